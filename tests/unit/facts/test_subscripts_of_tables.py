"""What is said of a table's values tells elements apart only where its own subscripts name other values each time."""

from __future__ import annotations

import pytest
from support.iteration_order.labels import judged
from warplens.analysis.ir.promises.injective import Injective

ROWS = {
    "a[k[i * m]] = i;": ("1 <= m",),
    "for (int j = 0; j < m; j++) a[k[i * s + j]] = i;": ("m <= s",),
    "int *row = k + i * s; a[row[0]] = i;": ("1 <= s",),
    "a[k[i]] = i;": (),
    "a[k[3 * i + 2]] = i;": (),
}


@pytest.mark.parametrize("body", ROWS)
def test_rows_of_a_table_without_repeats_are_taken_to_be_apart(body: str) -> None:
    source = f"int a[999]; void f(int n, int m, int s, int *restrict k) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"
    (nest,) = judged(source, (Injective("k"),))
    assert nest.verdicts[0].kind == "parallel"
    texts = tuple(a.text for a in nest.verdicts[0].assumptions if a.kind == "bounds")
    assert texts == tuple(f"The subscripts of `k` are assumed to stay in their rows: {each}." for each in ROWS[body])
