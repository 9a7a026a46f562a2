from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from warplens.analysis.engine.memo import Memo
from warplens.analysis.frontend.comments.translation_unit import TranslationUnit
from warplens.analysis.ir.dump import dump
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.nest import Assign, LoopNest

Parse = Callable[..., TranslationUnit]
Nests = Callable[[str], list[LoopNest]]
OTHER = "\nvoid other(double *a, int n) { for (int i = 0; i < n; i++) a[i] = 1; }\n"


def found(unit: TranslationUnit) -> list[str]:
    return [f.name for f in unit.functions if f.nests]


def test_objects(nests: Nests) -> None:
    nest = nests(
        "static float t[8][4]; void f(int n, const double *restrict a, double (*m)[16]) {"
        "float local[3]; for (int i = 0; i < n; i++) { double inner[2]; inner[0] = a[i];"
        "t[i][1] = inner[0]; local[i] = m[i][2]; } }"
    )[0]
    seen = {x.name: (x.scope, [str(e) for e in x.extents], x.is_pointer, x.element_bytes) for x in nest.arrays}
    assert seen == {
        "t": ("global", ["8", "4"], False, 4),
        "a": ("parameter", ["None"], True, 8),
        "m": ("parameter", ["None", "16"], True, 8),
        "local": ("local", ["3"], False, 4),
        "inner": ("body", ["2"], False, 8),
    }
    assert nest.array("a").restrict
    assert nest.array("a").is_const
    assert nest.array("inner").declared_in == 0


def test_used_after(nests: Nests) -> None:
    first, second = nests(
        "double f(int n, double *a) { double s = 0, t = 0; int i;"
        "for (i = 0; i < n; i++) { t = a[i]; s += t; } for (i = 0; i < n; i++) a[i] = s; return s; }"
    )
    assert {s.name: s.used_after for s in first.scalars} == {"i": False, "s": True, "t": False, "n": True}
    assert {s.name: s.used_after for s in second.scalars}["i"] is False


def test_struct_layout(nests: Nests) -> None:
    nest = nests(
        "struct s { char c; short h; union { int i; double d; } u; unsigned b : 3; unsigned e : 30; float f; };"
        "void f(struct s *p, int n) { for (int i = 0; i < n; i++) p[i].f = p[i].u.d + p[i].h; }"
    )[0]
    statement = nest.root.body[0]
    assert statement.target.element_bytes == 32
    assert statement.target.member_offset_bytes == 24


def test_pragma_belongs_to_its_loop(nests: Nests) -> None:
    nest = nests("void f(double *a) {\n#pragma omp parallel for\nfor (int i = 0; i < 9; i++) a[i] = 0; }")[0]
    assert nest.root.pragmas == ("#pragma omp parallel for",)


def test_old_style_definition(nests: Nests) -> None:
    assert len(nests("int f(a, n)\ndouble *a; int n;\n{ int i; for (i = 0; i < n; i++) a[i] = 0; return 0; }")) == 1


def test_implicit_int(parse: Parse) -> None:
    assert found(parse("f(double *a) { for (int i = 0; i < 3; i++) a[i] = 0; }")) == ["f"]


def test_gnu_spellings(parse: Parse) -> None:
    unit = parse(
        "static __inline__ __attribute__((always_inline)) void f(float *__restrict a, int n) {"
        "__extension__ typeof(n) k = 2; for (int i = 0; i < n; i++) a[i] = ({ float q = k; q; }); }"
    )
    assert found(unit) == ["f"]
    assert unit.functions[0].nests[0].nest.inexact == ()


def test_uncountable_loop_is_opaque_and_what_is_in_it_is_not(parse: Parse) -> None:
    unit = parse("struct l { struct l *next; }; void f(struct l *h, double *a) {"
                 "for (struct l *q = h; q; q = q->next) for (int i = 0; i < 4; i++) a[i] = 0; }")  # fmt: skip
    function = unit.functions[0]
    assert len(function.nests) == 1
    assert len(function.opaque) == 1
    assert "`q`" in function.opaque[0].reason


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("int i; g(&i); for (i = 0; i < n; i++) a[i] = 0;", "address of `i`"),
        ("for (;;) a[0] = 1;", "only a `break`"),
        ("for (double x = 0; x < 1; x += 1) a[0] = x;", "no integer"),
    ],
)
def test_opaque_reasons(parse: Parse, body: str, reason: str) -> None:
    unit = parse(f"void g(int *); void f(int n, double *a) {{ {body} }}")
    assert reason in unit.functions[0].opaque[0].reason


BROKEN = {
    "half-typed parameters": "void f(double *a, {\n for (int i = 0; i < 3; i++) a[i] = 1; }\n" + OTHER,
    "deep parentheses": f"void f(double *a) {{ for (;;) a[0] = {'(' * 10_000}1{')' * 10_000}; }}" + OTHER,
    "deep unary": f"void f(double *a) {{ for (;;) a[0] = {'- ' * 10_000}1; }}" + OTHER,
    "long else-if chain": "void f(int n) { for (int i = 0; i < 3; i++) " + "if (n) n = 1; else " * 3000 + "; }" + OTHER,
}


@pytest.mark.parametrize("source", BROKEN.values(), ids=BROKEN.keys())
def test_broken_declaration_costs_only_itself(parse: Parse, source: str) -> None:
    unit = parse(source)
    assert found(unit) == ["other"]
    assert len(unit.opaque) >= 1
    assert any("loops in the text" in problem.message for problem in unit.problems)


DEEP_NEST = (
    "void f(double *a) { "
    + "".join(f"for (int i{k} = 0; i{k} < 2; i{k}++) {{" for k in range(300))
    + f"a[0] = 1; {'}' * 300} }}"
)
LONG_SUM = f"void g(double *a) {{ for (int i = 0; i < 3; i++) a[i] = {'a[i] + ' * 10_000} 1; }}"


@pytest.mark.long
def test_deep_nest_within_the_default_recursion_limit(parse: Parse) -> None:
    unit = parse(DEEP_NEST + LONG_SUM + OTHER)
    assert found(unit) == ["g", "other"]
    assert [(o.function, o.reason) for o in unit.opaque] == [("f", "nested too deeply to be parsed")]


@pytest.mark.long
def test_deep_nest_with_a_higher_recursion_limit(parse: Parse) -> None:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(12_000)
    try:
        unit = parse(DEEP_NEST + LONG_SUM + OTHER)
    finally:
        sys.setrecursionlimit(before)
    assert found(unit) == ["f", "g", "other"]
    assert unit.loops_in_text == unit.loops_found == 302


def test_enumerators_of_a_typedef_are_no_types(parse: Parse) -> None:
    unit = parse("typedef enum { RED, COST } color; void f(double *a, color c) {"
                 "for (int i = 0; i < 3; i++) if (c == COST) a[i] = RED; }")  # fmt: skip
    assert found(unit) == ["f"]


@pytest.mark.long
def test_table_of_numbers_is_not_parsed(parse: Parse) -> None:
    rows = ",\n".join(f"{{{k}, {k * 0.5}}}" for k in range(150_000))
    unit = parse(f"static const double t[][2] = {{ {rows} }};"
                 f"void f(double *a) {{ for (int i = 0; i < 3; i++) a[i] = t[i][1]; }}")  # fmt: skip
    assert found(unit) == ["f"]
    assert [str(e) for e in unit.functions[0].nests[0].nest.array("t").extents] == ["None", "2"]


def test_not_c_at_all(parse: Parse) -> None:
    unit = parse("This is (some) text; it { has brackets } ] and for example while loops.\n" * 20)
    assert not found(unit)


def test_nul_byte_is_a_problem_at_its_place(parse: Parse) -> None:
    unit = parse("int x;\0" + OTHER)
    assert found(unit) == ["other"]
    assert [p.span.start for p in unit.problems if "NUL" in p.message] == [6]


def test_only_changed_functions_are_parsed_again(parse: Parse) -> None:
    functions = [f"void f{k}(double *a, int n) {{ for (int i = 0; i < n; i++) a[i] = {k}; }}\n" for k in range(5)]
    memo = Memo()
    before = parse("".join(functions), memo)
    assert before.declarations_parsed == 5
    shifted = parse("int unrelated;\n\n\n" + "".join(functions), memo)
    assert shifted.declarations_parsed == 0
    functions[2] = functions[2].replace("a[i] = 2", "a[i] = 9")
    assert parse("".join(functions), memo).declarations_parsed == 1


def test_changed_type_parses_its_users_again(parse: Parse) -> None:
    memo = Memo()
    text = "typedef float T; void f(T *a) { for (int i = 0; i < 3; i++) a[i] = 0; }" + OTHER
    parse(text, memo)
    unit = parse(text.replace("float", "double"), memo)
    assert unit.declarations_parsed == 1
    assert unit.functions[0].nests[0].nest.array("a").element_bytes == 8


def test_directives(parse: Parse) -> None:
    source = (
        "// warplens: n = 4096, m=10\n/* warplens: g->nx = 0x10 */ int x; // warplens: n is big\n"
        'char *s = "// warplens: k = 1";\n'
    )
    unit = parse(source)
    assert [(d.name, d.value) for d in unit.directives] == [("n", 4096), ("m", 10), ("g->nx", 16)]
    assert source[unit.directives[1].span.start : unit.directives[1].span.end] == "m=10"
    assert ["n is big" in p.message for p in unit.problems] == [True]


def test_struct_named_before_its_definition(nests: Nests) -> None:
    nest = nests(
        "struct net; typedef struct layer layer; struct net { layer *layers; struct net *next; };"
        "struct layer { int n; float *out; layer *below; };"
        "void f(struct net *p) { for (int i = 0; i < 9; i++) {"
        "layer l = p->layers[i]; l.out[i] = l.below->n; p->next->layers[i].n = 1; } }"
    )[0]
    assert nest.array("p->layers").element_bytes == 24
    assert "opaque" not in dump(nest)


def test_pointer_set_before_its_nest_brings_its_scalars(nests: Nests) -> None:
    (nest,) = nests("void f(double *a, int lb) { double *p = a + lb * 2; for (int i = 0; i < 9; i++) p[i] = 0; }")
    assert nest.parameters == ("lb",)


def test_every_declarator_of_a_long_declaration_is_known(nests: Nests) -> None:
    value = "+".join(["1"] * 300)
    (nest,) = nests(f"static int k = {value}, *p = 0; void f(void) {{ for (int i = 0; i < 9; i++) p[i] = k; }}")
    assert nest.array("p").scope == "global"


def test_names_of_a_declaration_that_is_not_understood_are_declared(nests: Nests) -> None:
    (nest,) = nests("void f(double *a) { for (int i = 0; i < 9; i++) {"
                    "double v[2][2] = {1, 2, 3, 4}; a[i] = v[1][1]; } }")  # fmt: skip
    assert nest.array("v").scope == "body"
    assert "opaque: an aggregate initialiser" in dump(nest)


def test_a_name_of_a_block_that_ended_is_free_again(nests: Callable[[str], list[LoopNest]]) -> None:
    first, second = nests(
        "void f(int n, double *a, float *b) {"
        "{ int m = 2; double *p = a; for (int i = 0; i < n; i++) p[m * i] = 1; }"
        "{ int m = n; float *p = b, t[9]; for (int i = 0; i < n; i++) p[m * i + m] = t[i]; } }"
    )
    assert [array.name for array in first.arrays] == ["a"]
    assert {array.name: array.element.name for array in second.arrays} == {"b": "float", "t": "float"}
    (store,) = [s for s in second.root.body if isinstance(s, Assign)]
    assert isinstance(store.target, Access)
    assert [str(index) for index in store.target.indices] == ["i*n + n"]
