"""What functions touch through members and rows: arrays are part of what holds them, pointers lead elsewhere."""

import pytest
from pycparser import c_ast, c_parser
from warplens.analysis.frontend.effects.call_effects import CallEffects, EffectsOfCalls
from warplens.analysis.frontend.effects.own_effects import own_effects
from warplens.analysis.frontend.effects.type_shapes import declared_shapes, joined_shapes

DECLARED = """
typedef double row[4]; typedef double *vector; typedef struct part { double *at; double v[4]; } part;
struct whole { part one, *all; row table[3]; vector held; int n; };
double grid[3][4]; double *rows[3]; struct whole all; double plain;
"""


def effects_of(text: str) -> CallEffects:
    """Of the last function of a text."""
    nodes = c_parser.CParser().parse(DECLARED + text).ext
    names = frozenset(name for name in DECLARED.replace("*", " ").replace("[", " ").replace(";", " ").split())
    mentioned = frozenset(
        part.name for node in nodes for part in every(node) if isinstance(getattr(part, "name", None), str)
    ) | {"row", "vector", "part"}
    functions = [node for node in nodes if isinstance(node, c_ast.FuncDef)]
    shapes = joined_shapes([declared_shapes([n]) for n in nodes if not isinstance(n, c_ast.FuncDef)], mentioned)
    own = {node.decl.name: own_effects(node, names, shapes) for node in functions}
    found = EffectsOfCalls(own.get).of(functions[-1].decl.name)
    assert found is not None
    return found


def every(node: c_ast.Node):
    yield node
    for part in node:
        yield from every(part)


@pytest.mark.parametrize(
    ("body", "written", "deeply", "names"),
    [
        ("p->one.v[i] = 1;", {0}, set(), set()),
        ("p->table[i][1] = 1;", {0}, set(), set()),
        ("p->all[i].v[0] = 1;", set(), {0}, set()),
        ("p->held[i] = 1;", set(), {0}, set()),
        ("p->one.at[i] = 1;", set(), {0}, set()),
        ("part s = {q}; s.at[i] = 1;", {1}, set(), set()),
        ("part s; s.v[i] = q[i];", set(), set(), set()),
        ("part s; s.at = q + 1; *s.at = 1;", {1}, set(), set()),
        ("vector r = q; r[i] = 1;", {1}, set(), set()),
        ("double *r[2]; r[i] = q; r[1][0] = 1;", {1}, set(), set()),
        ("part s, *t = &s; t->at = q; t->at[i] = 1;", {1}, set(), set()),
        ("grid[i][1] = 1;", set(), set(), {"grid"}),
        ("all.table[i][1] = 1;", set(), set(), {"all"}),
        ("double r[4]; r[i] = *q; plain = r[0];", set(), set(), {"plain"}),
    ],
)
def test_what_is_written(body: str, written: set[int], deeply: set[int], names: set[str]) -> None:
    found = effects_of(f"void f(struct whole *p, double *q, int i) {{ {body} }}")
    assert found.unknown == ""
    assert (found.written, found.written_deeply, found.globals_written) == (written, deeply, names)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("rows[i][1] = 1;", "writes what pointers in `rows` lead to"),
        ("all.held[i] = 1;", "writes what pointers in `all` lead to"),
        ("plain = all.one.at[i];", "reads what pointers in `all` lead to"),
        ("double *r = rows[i]; *r = 1;", "writes memory that is not followed"),
        ("part s = p->one; s.at[i] = 1;", "writes memory that is not followed"),
        ("part s = all.one; s.at[i] = 1;", "writes memory that is not followed"),
        ("part s; fill(&s, q); s.at[i] = 1;", "writes memory that is not followed"),
        ("part s; s.at = q; reach(&s);", ""),
    ],
)
def test_what_is_not_followed(body: str, why: str) -> None:
    called = "void fill(part *s, double *q) { s->at = q; } void reach(part *s) { s->at[0] = 1; }"
    found = effects_of(f"{called} void f(struct whole *p, double *q, int i) {{ {body} }}")
    assert found.unknown == why
    assert why or found.written == {1}


def test_structures_by_value_lead_to_memory_of_the_caller() -> None:
    found = effects_of("void f(part s, int i) { s.at[i] = s.v[i]; }")
    assert (found.written, found.written_deeply, found.by_value) == (frozenset(), {0}, {0})


def test_shapes_that_structures_do_not_agree_on_are_open() -> None:
    nodes = c_parser.CParser().parse("struct a { double x[2]; }; struct b { double *x; }; typedef double t[2];").ext
    found = joined_shapes(map(declared_shapes, ([node] for node in nodes)), frozenset(("x", "t")))
    assert (dict(found.members), dict(found.types)) == ({"x": "?"}, {"t": "[="})
