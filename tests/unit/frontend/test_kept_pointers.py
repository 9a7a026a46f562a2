"""Pointers set to where data says: a variable keeps the place, which is followed while it moves evenly."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.nest import Assign, LoopNest, walk_statements

Nests = Callable[[str], list[LoopNest]]


def arrays_written(nests: Nests, body: str) -> set[str]:
    """Objects of the stores through `row`."""
    source = f"void f(int n, double *y, int *pick) {{ double *row, *q; for (int i = 0; i < n; i++) {{ {body} }} }}"
    (nest,) = nests(source)
    stores = [s.target for s in walk_statements((nest.root,)) if isinstance(s, Assign)]
    return {target.array for target in stores if isinstance(target, Access)}


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("row = y + pick[i]; row[0] = 1;", id="a look-up"),
        pytest.param("int at = pick[i]; row = y + n * at; at = 0; row[1] = 1;", id="a variable that changes after"),
        pytest.param("double *r = &y[pick[i]]; for (int j = 0; j < n; j++) r[j] = i;", id="an address of an element"),
        pytest.param("row = y + pick[i]; q = row + pick[i + 1]; row = 0; q[0] = 1;", id="by way of another"),
        pytest.param("if (pick[i]) { row = y + pick[i]; row[0] = 1; }", id="in a branch"),
        pytest.param("row = y + pick[i]; row++; row[0] = 1;", id="moved"),
        pytest.param("row = y; row += pick[i]; row[0] = 1;", id="moved by data"),
        pytest.param("row = y + i; row -= n * pick[i]; row += pick[i + 1]; row[0] = 1;", id="moved by data twice"),
        pytest.param("row = y + pick[i]; for (int j = 0; j < 4; j++) *row++ = 1;", id="walking"),
        pytest.param("for (row = y + pick[i]; row < y + pick[i + 1]; row++) *row = 1;", id="to where data says"),
        pytest.param("q = row = y + i; q[0] = 1; row[1] = 1;", id="two at once"),
    ],
)
def test_a_place_that_data_decides_is_followed(nests: Nests, body: str) -> None:
    assert arrays_written(nests, body) == {"y"}


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("row = y + pick[i]; if (pick[0]) row++; row[0] = 1;", id="moved under a condition"),
        pytest.param("row = y; if (n > 3) row += pick[i]; row[0] = 1;", id="moved by data or not"),
        pytest.param("row += pick[i]; row[0] = 1;", id="moved by data all along"),
        pytest.param("row[0] = 1; row = y + pick[i];", id="of the iteration before"),
        pytest.param("if (pick[i]) row = y + pick[i]; row[0] = 1;", id="set in one branch"),
        pytest.param("row = row + pick[i]; row[0] = 1;", id="its own value"),
        pytest.param("for (int j = 0; j < n; j++) row = y + pick[j]; row[0] = 1;", id="of a loop that may not run"),
    ],
)
def test_any_other_is_an_object_of_its_own(nests: Nests, body: str) -> None:
    assert "y" not in arrays_written(nests, body)
