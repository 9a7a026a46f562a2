"""Members that a function sets to addresses do not stand in the way of pointers that are reached in other ways."""

from collections.abc import Callable

from warplens.analysis.engine.report import Report


def test_a_structure_behind_a_pointer_to_its_pointer(analyse_c: Callable[..., Report]) -> None:
    report = analyse_c(
        """struct S { int *w; int a; };
void f(struct S **A, int *p, int n)
{   (*A)->w = p;
    for (int k = 0; k < n; k++) (*A)->w[k] = (*A)->a; }"""
    )
    (nest,) = report.functions[0].nests
    assert nest.evaluation is not None
