from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warplens.analysis.frontend.declarations import cut as cutting
from warplens.analysis.frontend.declarations.cut import cut
from warplens.analysis.frontend.declarations.gnu import rewrite_gnu

CASES = {
    "int x; int f(void) { } struct s { int a; } t;": ["int x;", "int f(void) { }", "struct s { int a; } t;"],
    "int a[] = { 1, 2 }; double d;": ["int a[] = { 1, 2 };", "double d;"],
    "int f(a, b) int a; char *b; { } int x;": ["int f(a, b) int a; char *b; { }", "int x;"],
    'char *s = "}{;"; char c = \'{\';': ['char *s = "}{;";', "char c = '{';"],
    "typedef int (*fp)(int); int g(fp p) { }": ["typedef int (*fp)(int);", "int g(fp p) { }"],
    "int f(int) __attribute__((pure)); int y;": ["int f(int) __attribute__((pure));", "int y;"],
    "__attribute__((a(1))) int f(void) { if (1) { } }": ["__attribute__((a(1))) int f(void) { if (1) { } }"],
    ";; int x;": ["int x;"],
    "{ } ( ) { } int x;": ["{ } ( ) { }", "int x;"],
    "int f(void) { \n\nint g(int n) {\n return n; }": ["int f(void) { \n\n", "int g(int n) {\n return n; }"],
    "#pragma omp declare simd\nint x;": ["#pragma omp declare simd", "int x;"],
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CASES.items(), ids=CASES.keys())
def test_cut(text: str, expected: list[str]) -> None:
    assert [text[c.start : c.end] for c in cut(text)] == expected


PIECES = (
    "int f(a,b)", "int a;", " int", " x", ";", "(", ")", "{", "}", "__attribute__((p))", "__attribute__ ((a (1)))",
    "* ", "static",
    "\n", '\n# 1 "a.h"\n', "#pragma x\n", "=", '"s;"', "'c'", ",", "[3]", "typedef int t;", "struct s {",
    "void g(int (*h)(int), char *p);", '__asm__ ("x" "y")', "f(void)", "extern int q;", " k(x)", "\n#pragma z\n",
    '__attribute__((d("u" "v;")))', "__attribute__((v)) extern int w(int);",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=14))
def test_plain_declarations_end_where_a_scan_by_tokens_ends_them(pieces: list[str]) -> None:
    text = " ".join(pieces)
    found = cut(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cutting, "_PLAIN", re.compile(r"(?!)"))
        assert cut(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "__inline__ int f(__restrict int *a) __attribute__((pure,\n const));",
        "__extension__ typeof(x)\n y = __alignof__(int);",
        'int f() { __asm__ volatile("nop"\n : : ); return 2.0iF; }',
        "__builtin_va_list v; __auto_type q = 1;",
        "int f(int *p) { int *q = __builtin_assume_aligned(p,\n 16, 4); return __builtin_expect (!!(*q), 0); }",
        'int f() { return __builtin_expect(g("),(", (1, 2)), __builtin_expect(\n3, 1)); }',
    ],
)
def test_rewriting_moves_nothing(text: str) -> None:
    rewritten = rewrite_gnu(text, text.find("{")).text
    assert len(rewritten) == len(text)
    assert [i for i, c in enumerate(rewritten) if c == "\n"] == [i for i, c in enumerate(text) if c == "\n"]
    assert "__" not in rewritten.replace("__asm", "")


def test_a_hint_that_never_closes_stays() -> None:
    text = "int f() { return __builtin_expect((1, 2"
    assert rewrite_gnu(text, 8).text == text
