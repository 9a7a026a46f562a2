from __future__ import annotations

import pytest
from warplens.analysis.frontend.cut import cut
from warplens.analysis.frontend.gnu import rewrite_gnu

CASES = {
    "int x; int f(void) { } struct s { int a; } t;": ["int x;", "int f(void) { }", "struct s { int a; } t;"],
    "int a[] = { 1, 2 }; double d;": ["int a[] = { 1, 2 };", "double d;"],
    "int f(a, b) int a; char *b; { } int x;": ["int f(a, b) int a; char *b; { }", "int x;"],
    'char *s = "}{;"; char c = \'{\';': ['char *s = "}{;";', "char c = '{';"],
    "typedef int (*fp)(int); int g(fp p) { }": ["typedef int (*fp)(int);", "int g(fp p) { }"],
    "int f(int) __attribute__((pure)); int y;": ["int f(int) __attribute__((pure));", "int y;"],
    "__attribute__((a(1))) int f(void) { if (1) { } }": ["__attribute__((a(1))) int f(void) { if (1) { } }"],
    ";; int x;": ["int x;"],
    "int f(void) { \n\nint g(int n) {\n return n; }": ["int f(void) { \n\n", "int g(int n) {\n return n; }"],
    "#pragma omp declare simd\nint x;": ["#pragma omp declare simd", "int x;"],
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CASES.items(), ids=CASES.keys())
def test_cut(text: str, expected: list[str]) -> None:
    assert [text[c.start : c.end] for c in cut(text)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "__inline__ int f(__restrict int *a) __attribute__((pure,\n const));",
        "__extension__ typeof(x)\n y = __alignof__(int);",
        'int f() { __asm__ volatile("nop"\n : : ); return 2.0iF; }',
        "__builtin_va_list v; __auto_type q = 1;",
    ],
)
def test_rewriting_moves_nothing(text: str) -> None:
    rewritten = rewrite_gnu(text, text.find("{")).text
    assert len(rewritten) == len(text)
    assert [i for i, c in enumerate(rewritten) if c == "\n"] == [i for i, c in enumerate(text) if c == "\n"]
    assert "__" not in rewritten.replace("__asm", "")
