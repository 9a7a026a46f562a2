"""Which pragmas share out the iterations of a loop, and which loop of ours each belongs to."""

import pytest
from accuracy.real_c.match_marks import owner_at, pairs
from accuracy.real_c.openmp import loop_directive, marks


@pytest.mark.parametrize(
    ("pragma", "name", "collapse"),
    [
        ("#pragma omp parallel for", "parallel for", 1),
        ("  # pragma omp for nowait", "for", 1),
        ("#pragma omp parallel for simd collapse( 3 )", "parallel for simd", 3),
        ("#pragma omp target teams distribute parallel for map(to: a[0:n])", "target teams distribute parallel for", 1),
        ("#pragma omp for, schedule(static)", "for", 1),
        ("#pragma omp taskloop grainsize(4)", "taskloop", 1),
        ("#pragma omp teams loop", "teams loop", 1),
        ("#pragma omp parallel for reduction(+:for_all) collapse(2)", "parallel for", 2),
    ],
)
def test_loop_directives(pragma: str, name: str, collapse: int) -> None:
    directive = loop_directive(pragma)
    assert directive is not None
    assert (directive.name, directive.collapse) == (name, collapse)


@pytest.mark.parametrize(
    "pragma",
    [
        "#pragma omp parallel",
        "#pragma omp parallel private(for_all) if(loop)",
        "#pragma omp simd",
        "#pragma omp sections",
        "#pragma omp critical (for)",
        "#pragma omp declare simd",
        "#pragma GCC ivdep",
        "#pragma acc parallel loop",
        "#pragma ompx for",
    ],
)
def test_what_shares_out_no_loop(pragma: str) -> None:
    assert loop_directive(pragma) is None


def test_marks_point_at_the_loop_that_follows_other_pragmas() -> None:
    text = "void f(void) {\n#pragma omp parallel\n#pragma omp for\n#pragma GCC unroll 2\n for (;;) ; for (;;) ; }"
    (mark,) = marks(text)
    assert text[mark.offset :].startswith("#pragma omp for")
    assert mark.loop_offset == text.index("for (;;)")


def test_a_lost_directive_does_not_shift_the_others() -> None:
    assert pairs(["for", "parallel for", "for"], ["for", "for"]) == {0: 0, 2: 1}
    assert pairs(["for", "for", "parallel for"], ["parallel for"]) == {2: 0}
    assert pairs(["for"], []) == {}


def test_owner_is_the_stretch_around_an_offset() -> None:
    found = [owner_at(offset, [10, 30], [20, 40], ["f", "g"]) for offset in (9, 10, 19, 20, 30, 40)]
    assert found == [None, "f", "f", None, "g", None]
