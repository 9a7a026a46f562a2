"""What one function's declarations made of their names may be taken again for another's: nothing else may come out."""

from __future__ import annotations

from dataclasses import fields

from hypothesis import given, settings
from hypothesis import strategies as st
from pycparser import c_ast, c_parser
from support.examples import examples
from warplens.analysis.frontend.pointers.address_kinds import AddressKinds
from warplens.analysis.frontend.scopes.file_scopes import FileScopes
from warplens.analysis.frontend.scopes.scope import FileScope
from warplens.analysis.ir.types import PointerTo, Scalar

DECLARATIONS = (
    "typedef struct s T;",
    "typedef struct { T *to; int n; } T;",
    "struct s { int a; double b[N]; };",
    "struct s { T t; struct { U x; } in; };",
    "union u { struct s whole; char bytes[sizeof(struct s)]; };",
    "typedef int U;",
    "typedef double *U;",
    "enum { N = 3, M };",
    "enum e { N = 5 };",
    "const int K = N + 1;",
    "static const int K = 7;",
    "extern U table[K];",
    "const int table[] = { N, K, 2 };",
    "extern const int table[];",
    "struct s v, *w = &v;",
    "T *f(U x);",
    "static union u f(void);",
    "U g(T *t) { return 0; }",
)
TREES = [c_parser.CParser().parse(f"typedef int T, U; {text}").ext[2:] for text in DECLARATIONS]


def shown(scope: FileScope) -> dict[str, object]:
    kept = {"definition", "members", "bodies", "shared_effects", "found", "trees"}
    plain = [f.name for f in fields(scope) if f.name not in kept]
    members = {
        name: sorted(map(repr, set(scope.members.of(name)))) for name in ("to", "n", "a", "b", "t", "x", "bytes")
    }
    return {name: getattr(scope, name) for name in plain} | {"members": members}


@given(st.lists(st.lists(st.integers(0, len(TREES) - 1), max_size=9), min_size=1, max_size=5))
@settings(max_examples=examples(400))
def test_a_scope_does_not_depend_on_those_made_before(wanted: list[list[int]]) -> None:
    shared = FileScopes()
    for numbers in wanted:
        nodes = [node for number in numbers for node in TREES[number]]
        assert shown(shared.scope(nodes)) == shown(FileScopes().scope(nodes))


def kinds_of(source: str) -> AddressKinds:
    nodes = c_parser.CParser().parse(source).ext
    function = nodes.pop()
    declared: dict[str, list[c_ast.Decl]] = {}
    for node in function.body.block_items:
        declared.setdefault(node.name, []).append(node)
    return AddressKinds(declared, FileScopes().scope(nodes))


def test_members_of_a_structure_that_is_named_before_it_is_defined_are_known() -> None:
    kinds = kinds_of(
        "typedef struct s S; struct r { double *data; }; struct s { double data; }; void f(void) { int i; }"
    )
    assert {type(one) for one in kinds.members.of("data")} == {PointerTo, Scalar}
    assert not kinds.is_number(c_ast.StructRef(c_ast.ID("p"), "->", c_ast.ID("data")))


def test_members_of_structures_of_the_function_are_known_beside_those_of_the_file() -> None:
    kinds = kinds_of("struct s { double data; }; void f() { struct s { double *data; } a; struct { int only; } b; }")
    assert {type(one) for one in kinds.members.of("data")} == {PointerTo, Scalar}
    assert [type(one) for one in kinds.members.of("only")] == [Scalar]
