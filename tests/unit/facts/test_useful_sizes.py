"""No size is asked for that would leave a loop nothing to share out."""

from __future__ import annotations

import pytest
from support.iteration_order.labels import judged
from warplens.analysis.dependence.conditional.useful_sizes import are_useful
from warplens.analysis.ir.nest import loops_of
from warplens.analysis.ir.size_relation import SizeRelation, size_relation

NESTED = (
    "void f(int n, int m, int k, double *x) { for (int i = 0; i < n; i++) for (int j = 2; j < m; j += 3) x[i] = j; }"
)


def relations(*texts: str) -> list[SizeRelation]:
    found = [size_relation(text) for text in texts]
    return [one for one in found if one is not None]


@pytest.mark.parametrize(
    ("texts", "is_useful"),
    [
        (("n == 2",), False),
        (("n <= 7",), False),
        (("n <= 8",), True),
        (("2*n <= 15",), False),
        (("n >= 2",), True),
        (("k == 0",), True),
        (("m <= n",), True),
        (("n != 2",), True),
        (("m <= 5",), False),
        (("m <= 6",), True),
        (("n <= 100", "n == 3"), False),
        (("n + k == 2",), True),
    ],
)
def test_sizes_leave_iterations_or_not(texts: tuple[str, ...], is_useful: bool) -> None:
    (nest,) = judged(NESTED)
    assert are_useful(loops_of(nest.nest)[0], relations(*texts)) == is_useful


@pytest.mark.parametrize(
    ("loop", "offered"),
    [
        ("for (int i = 0; i < n; i++) x[i + k] = x[i] + 1;", True),
        ("for (int i = 0; i < n; i++) x[i + 4] = x[i] + 1;", False),
        ("for (int i = 0; i < n; i++) x[i + 64] = x[i] + 1;", False),  # carried for sure: sizes are not asked for
        ("for (int i = 0; i < n; i++) if (x[i] > 3) x[i + 4] = x[i] + 1;", False),
        ("for (int i = 0; i < n; i++) if (x[i] > 3) x[i + 64] = x[i] + 1;", True),
    ],
)
def test_only_sizes_of_use_are_offered(loop: str, offered: bool) -> None:
    (nest,) = judged(f"void f(int n, int k, double *x) {{ {loop} }}")
    assert bool(nest.verdicts[0].conditions) == offered
