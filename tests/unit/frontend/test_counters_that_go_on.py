"""`for (; i < n; i++)` begins where the loop before it left `i`, and where that is if it did not run."""

import pytest
from support.c_nests.parsed import facts_of
from warplens.analysis.ir.nest import If, Loop, loops_of

HEAD = "void f(int m, int n, int k, float y[m][n]) { int i; for (int r = 0; r < m; r++) {"
FOUR = "for (i = 0; i < (n & ~3); i += 4) { y[r][i] = 0; y[r][i+1] = 0; y[r][i+2] = 0; y[r][i+3] = 0; }"


def tail(body: str) -> Loop:
    return loops_of(facts_of(f"{HEAD} {body} }} }}").nest)[-1]


@pytest.mark.parametrize(
    ("body", "start", "guard"),
    [
        ("for (i = 0; i < 8; i++) y[r][i] = 0; for (; i < n; i++) y[r][i] = 1;", "8", False),
        ("for (i = 2; i < k; i++) y[r][i] = 0; for (; i < n; i++) y[r][i] = 1;", "k", True),
        ("for (i = n - 1; i >= k; i--) y[r][i] = 0; for (; i >= 0; i--) y[r][i] = 1;", "k - 1", True),
        ("for (i = 0; i < 4 * k; i += 4) y[r][i] = 0; for (; i < n; i++) y[r][i] = 1;", "4*k", True),
        ("for (i = 0; i < 8; i++) y[r][i] = 0; while (i < n) { y[r][i] = 1; i++; }", "8", False),
    ],
)
def test_a_loop_goes_on_where_the_one_before_it_ended(body: str, start: str, guard: bool) -> None:
    loop = tail(body)
    assert str(loop.start) == start
    assert not loop.bound_reads
    assert isinstance(loop.body[0], If) == guard


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(f"{FOUR} if (y[r][0] > 0) i = 1; for (; i < n; i++) y[r][i] = 1;", id="set in between"),
        pytest.param("for (i = 0; i < 8; i++) if (y[r][i]) break; for (; i < n; i++) y[r][i] = 1;", id="left early"),
        pytest.param("for (i = 0; i < k; i += 3) y[r][i] = 0; for (; i < n; i++) y[r][i] = 1;", id="a rest of three"),
        pytest.param("if (k) for (i = 0; i < 8; i++) y[r][i] = 0; for (; i < n; i++) y[r][i] = 1;", id="may not run"),
        pytest.param("for (i = 0; i < 8; i++) { y[r][i] = 0; if (y[r][0] > 1) i++; } for (; i < n; i++) y[r][i] = 1;",
                     id="moved by data"),
        pytest.param("for (i = 0; i < k; i++) y[r][i] = 0; for (; i < n; i += 2) y[r][i] = 1;", id="a larger step"),
    ],
)  # fmt: skip
def test_where_that_is_not_known_it_stays_so(body: str) -> None:
    assert tail(body).start is None


def test_each_row_counts_anew() -> None:
    loop = tail("for (i = 0; i < r; i++) y[r][i] = 0; for (; i < n; i++) y[r][i] = 1;")
    assert str(loop.start) == "r"
    first = loops_of(facts_of(f"{HEAD} for (; i < n; i++) y[r][i] = 1; }} }}").nest)[-1]
    assert first.start is None
