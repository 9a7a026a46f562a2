"""Names of declarators, by the parser's own word for it; a header's declarations are found as the file's own are."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pycparser import c_ast, c_parser
from support.examples import examples
from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.engine.memo import Memo
from warplens.analysis.frontend.declarations.cut import cut
from warplens.analysis.frontend.declarations.declarations import read_declaration
from warplens.analysis.frontend.declarations.declarators import Declarator, declarators
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.source import Preprocessed

SPECIFIERS = (
    "int",
    "static const double",
    "extern unsigned long",
    "T",
    "extern T",
    "const struct s",
    "struct { int m; }",
)
SUFFIXES = (
    "[5]",
    "[(64)]",
    "[(N) + 1]",
    "[sizeof(T)]",
    "[sizeof(struct s[2])]",
    "(void)",
    "(int a, T *)",
    "(T (*)(int))",
)


@st.composite
def nested(draw: st.DrawFn, name: str, depth: int) -> str:
    """A declarator as C nests them: what it means for the type does not matter here."""
    if depth == 0:
        return name
    inside = draw(nested(name, depth - 1))
    kind = draw(st.sampled_from(("pointer", "suffix", "brackets")))
    if kind == "pointer":
        return draw(st.sampled_from(("*", "* const ", "*restrict "))) + inside
    if kind == "brackets":
        return f"({inside})"
    return (f"({inside})" if inside.startswith("*") else inside) + draw(st.sampled_from(SUFFIXES))


@st.composite
def declarations(draw: st.DrawFn) -> str:
    count = draw(st.integers(1, 3))
    values = ("", "", " = 1", " = { (1), 2 }", ' = f(a, "x, y")')
    parts = [draw(nested(f"v{n}", draw(st.integers(0, 4)))) + draw(st.sampled_from(values)) for n in range(count)]
    return f"{draw(st.sampled_from(SPECIFIERS))} {', '.join(parts)};"


def is_type(node: c_ast.Node) -> bool:
    """No function returns a function or an array, no array is of functions."""
    if isinstance(node, c_ast.FuncDecl) and isinstance(node.type, (c_ast.FuncDecl, c_ast.ArrayDecl)):
        return False
    if isinstance(node, c_ast.ArrayDecl) and isinstance(node.type, c_ast.FuncDecl):
        return False
    return not isinstance(node, (c_ast.FuncDecl, c_ast.ArrayDecl, c_ast.PtrDecl)) or is_type(node.type)


def by_the_parser(text: str) -> list[Declarator] | None:
    """None for what is no C: a function that returns a function, or has a value."""
    try:
        nodes = c_parser.CParser().parse(f"typedef int T;\n{text}").ext[1:]
    except (c_parser.ParseError, AssertionError):
        return None
    if not all(is_type(node.type) and not (node.init and isinstance(node.type, c_ast.FuncDecl)) for node in nodes):
        return None
    return [Declarator(node.name, isinstance(node.type, c_ast.FuncDecl)) for node in nodes]


@given(declarations())
@settings(max_examples=examples(600))
def test_each_declarator_has_the_name_that_the_parser_gives_it(text: str) -> None:
    expected = by_the_parser(text)
    assert expected is None or list(declarators(text)) == expected


@given(declarations())
@settings(max_examples=examples(300))
def test_a_header_declares_what_the_same_text_declares_in_the_file(text: str) -> None:
    one, other = (
        [name for chunk in cut(text) if (read := read_declaration(text, chunk, own, False)) for name in read.names]
        for own in (True, False)
    )
    assert other == one or by_the_parser(text) is None


@pytest.mark.parametrize(
    "declared",
    [
        "static double u[(64) + 1][5];",
        "static double u[(64 + 2) / 2 * 2][5] __attribute__((aligned(64)));",
        "extern __attribute__((aligned(64))) double u[65][5];",
        'double u[65][5] __attribute__((section(".far"), aligned((64))));',
        "extern double (*u)[5];",
        "extern double (*restrict const u)[(5)];",
        "extern double (u)[65][5];",
        "extern double ((*u))[5];",
        "_Alignas(64) extern double u[65][5];",
        "[[gnu::aligned(64)]] extern double u[65][5];",
        "extern __typeof__(double) u[65][5];",
        "extern int shift(int), (*other)(int); extern double u[sizeof(double[65]) / sizeof(double)][5];",
        "extern double at[(3)], u[(65)][5], (*more)[5];",
        "typedef double field[(65)][5]; extern field u;",
        "typedef double (row)[(5)]; extern row u[(65)];",
        "typedef double row[5]; extern row (*u);",
        "extern double sqrt(double), u[(65)][5];",
        "struct all { double u[(65)][5]; } __attribute__((aligned(64))); extern struct all all;\n#define u all.u",
        "typedef struct { double u[(65)][5]; } all_t; extern all_t (all);\n#define u all.u",
        "double f(void);\nextern double\n  u[ (65) ]\n  [5]\n  ;",
    ],
)
def test_a_loop_over_an_array_of_a_header_is_parallel(declared: str) -> None:
    function = "void f(int n) { for (int i = 0; i < n; i++) for (int m = 0; m < 5; m++) u[i][m] = 2.0 * u[i][m]; }\n"
    text = f'# 1 "main.c"\n# 1 "all.h" 1\n{declared}\n# 2 "main.c" 2\n'
    defined = declared.partition("#define u ")[2]
    if defined:
        function, text = function.replace("u[", f"{defined}["), text.replace(f"#define u {defined}", "")
    unit = parse_unit(f'#include "all.h"\n{function}', Preprocessed(text + function, "main.c"), Memo())
    (nest,) = (one.nest for function in unit.functions for one in function.nests)
    assert [verdict.kind for verdict in loop_verdicts(delinearise(nest))] == ["parallel", "parallel"]
