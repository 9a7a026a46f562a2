"""Accesses in messages are C as the user wrote it, or could have written it."""

import pytest
from warplens.analysis.advice.naming import access_text, accesses_of, loop_name, node_text


@pytest.mark.parametrize(
    ("parameters", "written", "shown"),
    [
        ("double a[n][n]", "a[i][j + 1]", "a[i][j + 1]"),
        ("double *a", "a[i * n + j]", "a[i * n + j]"),
        ("double *a", "a[(i-1) * n\n  + j /* column */ ]", "a[(i-1) * n + j]"),
        ("double *a", "*(a + i*n + j)", "*(a + i*n + j)"),
        ("double **a", "*a[i]", "a[i][0]"),
        ("double *a", "AT(a, i, j)", "a[i*n + j]"),
        ("double *a", "a[AT_INDEX(i, j)]", "a[AT_INDEX(i, j)]"),
        ("float a[n][n]", "((int *) a[i])[j]", "a[i][j]"),
        ("struct { int kind; double v[8]; } *a", "a[i].v[j]", "a[i].v[j]"),
        ("struct { double x, y; } a[n][n]", "a[i][j].y", "a[i][j].y"),
        ("struct { double x, y; } *a", "a[i * n + j].y", "a[i * n + j].y"),
        ("struct { double x, y; } *a", "(a + i * n + j)->y", "a[i*n + j].y"),
        ("struct { double x, y; } *a", "AT(a, i, j).y", "a[i*n + j].y"),
    ],
)
def test_access_as_c(parameters: str, written: str, shown: str, analyse_c) -> None:
    macros = "#define AT(p, r, c) p[(r) * n + (c)]\n#define AT_INDEX(r, c) (r) * n + (c)\n"
    loops = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)"
    source = f"{macros}void f(int n, {parameters}) {{ {loops} {written} = 0; }}"
    (function,) = analyse_c(source).functions
    (report,) = function.nests
    nest = report.facts.nest
    ((node, access),) = accesses_of(nest).items()
    assert access_text(nest, access) == shown
    assert node_text(nest, node) == f"`{shown}`"
    assert loop_name(nest, nest.root.id) == "the `i` loop"
    assert node_text(nest, nest.root.id) == "loop over `i`"
