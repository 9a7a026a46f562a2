"""An index of a tree tells what walking through the tree tells, of every part of it."""

import pytest
from pycparser import c_ast, c_parser
from warplens.analysis.frontend.effects.writes import compared_names, contains, loops_in, writes_of
from warplens.analysis.frontend.syntax.syntax_index import indexed, is_indexed, nodes_of, nodes_of_kinds

SOURCE = """
int f(int n, double *a)
{
    int i, j = 0, *p = &j;
    for (i = 0; i < n; i++) {
        a[i] = g(a, &i) + (j > 2 ? j++ : 3);
        while (a[j] != 0) { if (n) break; j--; do ; while (j < 0); }
    }
    switch (n) { case 1: a[0] = 1; break; default: { double k = n; a[1] = k; } }
    if (n < 3) goto end; else return n;
end:
    return (i, p[0]);
}
"""
KINDS = ((c_ast.Assignment, c_ast.UnaryOp, c_ast.Decl), (c_ast.For, c_ast.While), (c_ast.FuncCall,), (c_ast.Goto,))


def walked(root: c_ast.Node) -> list[c_ast.Node]:
    """Every node once, the last child's part first."""
    return [root, *(node for child in reversed(list(root)) for node in walked(child))]


@pytest.fixture
def function() -> c_ast.FuncDef:
    """The function's tree."""
    return c_parser.CParser().parse(SOURCE).ext[0]


@pytest.mark.parametrize("is_known", [True, False])
def test_a_part_holds_the_nodes_below_it_in_one_order(function: c_ast.FuncDef, is_known: bool) -> None:
    every = walked(function)
    with indexed(function if is_known else function.body.block_items[1]):
        assert is_indexed(function) == is_known
        for part in every:
            expected = walked(part)
            assert [id(node) for node in nodes_of(part)] == [id(node) for node in expected]
            for kinds in KINDS:
                found = nodes_of_kinds(part, kinds)
                assert [id(node) for node in found] == [id(node) for node in expected if isinstance(node, kinds)]


def test_questions_have_the_same_answers_with_an_index_and_without(function: c_ast.FuncDef) -> None:
    parts = walked(function)

    def answers() -> list[tuple[object, ...]]:
        asked = (c_ast.Break, c_ast.Return)
        return [(writes_of(part), compared_names(part), loops_in(part), contains(part, asked)) for part in parts]

    alone = answers()
    with indexed(function):
        assert answers() == alone


def test_there_is_no_index_outside_nor_of_nothing(function: c_ast.FuncDef) -> None:
    with indexed(function):
        assert is_indexed(function.body)
        assert nodes_of(None) == nodes_of_kinds(None, KINDS[0]) == ()
    assert not is_indexed(function.body)
