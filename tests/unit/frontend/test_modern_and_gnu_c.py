"""What people write beyond C99: each construct costs no function, and what is given up is said."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warplens.analysis.frontend.comments.translation_unit import TranslationUnit
from warplens.analysis.ir.dump import dump

Parse = Callable[..., TranslationUnit]
LOOP = "for (int i = 0; i < n; i++) a[i] = 1;"


def with_body(body: str, before: str = "") -> str:
    return f"{before}\nvoid f(int n, double *a) {{ {body} }}\n"


EXACT = {
    "attribute before": f'__attribute__((noinline, optimize("O3"))) void f(int n, double *a) {{ {LOOP} }}',
    "attribute on a parameter": f"void f(int n __attribute__((unused)), double *a) {{ {LOOP} }}",
    "attribute on a label": with_body(f"x: __attribute__((unused)); {LOOP} if (n) goto x;"),
    "C23 attributes": f"[[nodiscard]] int f [[gnu::pure]] ([[maybe_unused]] int n, double *a) {{ [[x]] {LOOP} }}",
    "asm of every form": with_body(
        f'register int r asm("eax"); asm goto ("jmp %l0" : : : : out); {LOOP} out: asm volatile ("");',
        'asm(".text");\nextern int foo(void) __asm__("foo2");',
    ),
    "typeof of a type": with_body("typeof(double *) p = a; for (int i = 0; i < n; i++) p[i] = 1;"),
    "auto": with_body("auto p = a; for (auto i = 0; i < n; i++) p[i] = 1;"),
    "computed goto": with_body(f"static void *t[] = {{ &&x, &&y }}; goto *t[n]; x: {LOOP} y: ;"),
    "flexible array": with_body(LOOP, "struct z { int n; double d[0]; }; struct y { int n; double d[]; };"),
    "short conditional": with_body("for (int i = 0; i < n; i++) a[i] = a[i] ?: 1;"),
    "static assertions": with_body(LOOP, '_Static_assert(1, "z"); struct q { int x; _Static_assert(1, "w"); };'),
    "alignas, atomic, thread local": with_body(
        f"_Alignas(32) double v[4]; {LOOP}", "_Atomic(int) y; static __thread double t[4]; extern _Thread_local int z;"
    ),
    "C23 words": with_body(f"bool b = true; void *p = nullptr; constexpr int k = 4; static_assert(k == 4); {LOOP}"),
    "C23 numbers": with_body("for (int i = 0; i < 1'000; i++) a[i] = 0b1010'1111u;"),
    "C23 enum": with_body(LOOP, "enum e : unsigned char { A, B }; enum : int { C = 1 };"),
    "unnamed parameter": f"int f(int, double *a, int n, char *) {{ {LOOP} return 0; }}",
    "names on several lines": f"long\n\nf (n, a, b)\n const char *b; double *a;\n register int n;\n{{ {LOOP} }}",
    "function pointer parameter": f"void f(g, n, a)\n double (*g)();\n int n; double *a; {{ {LOOP} }}",
    "untyped prototypes": with_body(LOOP, "test_dot ();\nstatic bar();"),
    "untyped locals": with_body(f"const k = 3; static q; register r; {LOOP}"),
    "range in an initialiser": with_body(f"int v[10] = {{ [0 ... 4] = 1, [5] = 2 }}; {LOOP}"),
    "old member initialiser": with_body(f"struct s q = {{ x: 3, y: 4 }}; {LOOP}", "struct s { int x, y; };"),
    "type name as a label": with_body(f"T: {LOOP} goto T;", "typedef double T;"),
    "pragma in an expression": with_body(f"a[0] = a[1] +\n#pragma foo\n a[2]; {LOOP}"),
    "pragma among parameters": f"void f(int n,\n#pragma foo\n double *a)\n#pragma bar\n{{ {LOOP} }}",
    "pragma in a condition": with_body(f"if (n > 5\n#pragma foo\n) n--; {LOOP}"),
    "operator _Pragma": with_body(f'_Pragma("omp parallel for") {LOOP}'),
    "identifier in German": with_body("int größe = n; for (int ï = 0; ï < größe; ï++) a[ï] = 1;"),
    "function in brackets": f"int (f)(int n, double *a) {{ {LOOP} return 0; }}",
    "function that returns a function": f"int (*f(int n, double *a))(int) {{ {LOOP} return 0; }}",
    "va_arg": "#include <stdarg.h>\ndouble f(int n, ...) { va_list l; va_start(l, n); double s = 0;"
    "for (int i = 0; i < n; i++) s += va_arg(l, double); va_end(l); return s; }",
}


@pytest.mark.parametrize("source", EXACT.values(), ids=EXACT.keys())
def test_nothing_is_lost(parse: Parse, source: str) -> None:
    unit = parse(source)
    assert unit.opaque == ()
    assert unit.problems == ()
    assert [function.name for function in unit.functions] == ["f"]
    assert unit.loops_found == unit.loops_in_text
    assert len(unit.functions[0].nests) == 1
    assert unit.functions[0].nests[0].nest.inexact == ()


INEXACT = {
    "double _Complex z = 2.0i;": "imaginary",
    "__int128 s = 0;": "128-bit",
    "_Float16 h = 1.0f16;": "16-bit",
    "_Decimal64 d = 1.0DD;": "decimal",
    "switch (n) { case 1 ... 5: n = 1; }": "ranges",
    "int t = __builtin_types_compatible_p(int, long);": "compatible",
    "int o = __builtin_offsetof(struct s, x[2].y);": "offsetof",
    "v4 x = {1, 2};": "vector",
}


@pytest.mark.parametrize(("body", "note"), INEXACT.items(), ids=INEXACT.keys())
def test_what_is_given_up_is_said(parse: Parse, body: str, note: str) -> None:
    unit = parse(with_body(f"{body} for (int i = 0; i < n; i++) {{ {body} a[i] = 1; }}",
                           "typedef float v4 __attribute__((vector_size(16)));"))  # fmt: skip
    assert unit.opaque == ()
    assert any(note in text for text in unit.functions[0].nests[0].nest.inexact)


def test_typeof_is_the_type_of_its_expression(parse: Parse) -> None:
    source = with_body("for (int i = 0; i < n; i++) { typeof(a[0] * 2) s = i; __auto_type q = &a[i]; *q = s; }")
    text = dump(parse(source).functions[0].nests[0].nest)
    assert "scalar s: double" in text
    assert "a[i]" in text


def test_a_statement_expression_keeps_its_loop(parse: Parse) -> None:
    body = "for (int i = 0; i < n; i++) a[i] = ({ double s = 0; for (int j = 0; j < n; j++) s += a[j]; s; });"
    unit = parse(with_body(body))
    assert unit.loops_found == unit.loops_in_text == 2
    assert "a[j]" in dump(unit.functions[0].nests[0].nest)


def test_the_type_of_a_block_is_that_of_its_last_item(parse: Parse) -> None:
    block = "({ typeof(a) t = a; struct { int k; } u; (void)u; (struct s *)t; })"
    source = with_body(
        f"__auto_type p = {block}; for (int i = 0; i < n; i++) p->w[i] = p->k;", "struct s { long k; float *w; };"
    )
    unit = parse(source)
    assert unit.opaque == ()
    assert "array p->w[?]: float" in dump(unit.functions[0].nests[0].nest)


def test_a_function_with_a_nested_one_is_refused(parse: Parse) -> None:
    unit = parse(with_body(f"int h(int x) {{ return x + n++; }} {LOOP}") + "void g(int n, double *a) {" + LOOP + "}")
    assert [opaque.reason for opaque in unit.opaque] == ["nested function `h`: the function around it is not analysed"]
    assert [len(function.nests) for function in unit.functions] == [0, 1]


def test_an_unknown_macro_before_a_function_is_dropped(parse: Parse) -> None:
    unit = parse(f"EXPORT void CALLED f(int n, double *a) {{ {LOOP} }}")
    assert unit.functions[0].nests[0].nest.inexact == ("dropped, not known here: EXPORT, CALLED",)


@pytest.mark.parametrize("aligned", ["_Alignas(32) static", "static _Alignas(double)", "alignas(2 * sizeof(int))"])
def test_an_aligned_variable_outside_functions_is_an_array(parse: Parse, aligned: str) -> None:
    unit = parse(with_body("for (int i = 0; i < n; i++) v[i] = a[i];", f"{aligned} double v[64];"))
    assert "array v[64]: double" in dump(unit.functions[0].nests[0].nest)


def test_an_enumerator_outside_functions_may_use_those_before_it(parse: Parse) -> None:
    unit = parse(
        with_body("for (int i = 0; i < F; i++) v[i] = 1;", "enum { D = 5, E = 2 * D, F }; static double v[E];")
    )
    text = dump(unit.functions[0].nests[0].nest)
    assert "array v[10]: double" in text
    assert "for int i = 0; < 11; +1" in text
