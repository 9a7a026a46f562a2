"""Headers of C++ are told from those of C by what a C compiler would see of them."""

import pytest
from warplens.analysis.api import analyse
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.engine.report import Report
from warplens.analysis.frontend.preprocessing.cpp_header import is_cpp, is_cpp_header
from warplens.analysis.frontend.preprocessing.python_preprocessor import preprocess_in_python
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.hwprofiles.loader import load_cpu, load_gpu

CPP = [
    "namespace a { int f(int); }",
    "namespace { int x; }",
    "class Grid { int n; };",
    "class Grid;",
    "class Fine : public Grid { };",
    "enum class Side { left, right };",
    "template <typename T> T first(T *x) { return x[0]; }",
    "template <int N> struct Row { double x[N]; };",
    "template <> int f<int>(int);",
    "using real = double;",
    "using namespace std;",
    "inline void f(double *x, int n) { for (int i = 0; i < n; i++) x[i] = std::sqrt(x[i]); }",
    "struct V { double x; double len() const { return x; } };",
    "struct V { double *x; int n; void zero() { for (int i = 0; i < n; i++) x[i] = 0; } };",
    "struct Fine : Grid { int m; };",
    "struct V { V() = default; };",
    "void swap(int &a, int &b);",
    "void scale(const Vector &x, double f = 1.0);",
    "void scale(double *x, int n = 3);",
    "static inline double sum(Vector const& v) { double s = 0; for (auto x : v) s += x; return s; }",
    "inline int *f(int n) { return new int[n]; }",
    "inline void f(int *x) { delete[] x; }",
    "inline int f(long x) { return static_cast<int>(x); }",
    "constexpr int f(int n) { return n + 1; }",
    "int f(int) noexcept;",
    'extern "C" { int f(int); }',
    "inline void f(double *x, int n) { auto g = [&](int i) { x[i] = 0; }; for (int i = 0; i < n; i++) g(i); }",
]
C = [
    "int class; int namespace, template, new, delete, this, private, virtual;",
    "struct class { int a; }; struct class one; enum namespace { left, right };",
    "struct namespace { int a; };",
    "struct A { int public : 3; int private : 4; };",
    "int f(int a, int b) { return a & b; }\nint g(int a, int b) { return f(a & b, b && a); }",
    'int mask[(4 & 12) + 1]; _Static_assert((4 & 12) == 4, "a & b, c");',
    "int f(int template) { return template < 3 && template > 1; }",
    'static inline void pause(void) { __asm__ volatile("pause" :: "r"(1) : "memory"); }',
    "[[gnu::unused]] static int x; [[nodiscard]] int f(void);",
    "struct A { struct __attribute__((packed)) { int x; } inner; int (*call)(int n); };",
    'static const char *text = "class A { public: std::vector<int> &x; };";',
    "// class A; namespace b { }\n/* template <typename T> */ int f(void);",
    "constexpr int n = 3; static int row[n]; typeof(n) m = 4;",
    "int f(int x) { switch (x) { case 1: return private; default: ; } return x ? x : -x; }",
    "static inline int f(int n) { int s = 0; for (int i = n ? 1 : 2; i < n; i++) s += i; return s; }",
    "typedef double V __attribute__((vector_size(16)));\nstatic inline V f(V a, V b) { return a * b; }",
    "double f(const double *restrict x, int n) __attribute__((pure));",
    "static int table[] = {1 & 2, 3}; enum { A = 1 & 2, B };",
    "static inline double sum(grid_t *g) { double s = 0; for (int i = 0; i < g->nx; i++) s += g->u[i]; return s; }",
]


@pytest.mark.parametrize("text", CPP)
def test_what_is_no_c_is_cpp(text: str) -> None:
    assert is_cpp(text)
    assert is_cpp(f"#pragma once\n#include <stddef.h>\nstruct P {{ int n; }};\nint g(int a, int b);\n{text}\n")


@pytest.mark.parametrize("text", C)
def test_c_with_words_of_cpp_is_c(text: str) -> None:
    assert not is_cpp(text)


def header(text: str, name: str = "grid.h") -> Preprocessed:
    return preprocess_in_python(name, text, lambda _: None, (), ())


def report(text: str, name: str = "grid.h") -> Report:
    return analyse(text, header(text, name), load_gpu("a100"), load_cpu("server"), AnalysisOptions(), Memo())


LOOP = "static inline void f(double *x, int n) {\n    for (int i = 0; i < n; i++)\n        x[i] *= 2;\n}\n"
GUARDED = (
    f'#ifdef __cplusplus\n#include <vector>\nextern "C" {{\nclass A;\n#endif\n{LOOP}#ifdef __cplusplus\n}}\n#endif\n'
)


def test_what_is_for_cpp_alone_does_not_make_a_header_cpp() -> None:
    assert not is_cpp_header(header(GUARDED))
    assert report(GUARDED).loops_found == 1


def test_a_header_of_the_library_of_cpp_makes_one_of_cpp() -> None:
    assert is_cpp_header(header(f"#include <cmath>\n{LOOP}"))
    assert not is_cpp_header(header(f"#include <math.h>\n#include <own.grid>\n{LOOP}"))


def test_a_header_that_refuses_c_is_one_of_cpp() -> None:
    assert is_cpp_header(header(f"#ifndef __cplusplus\n#error needs C++ 11\n#endif\n{LOOP}"))


def test_nothing_is_said_of_a_header_of_cpp() -> None:
    text = f"// warplens: m = 3\n#include <vector>\n{LOOP}class A {{ void f() {{ while (1) ; }} }};\n"
    found = report(text)
    assert found.is_cpp
    assert (found.functions, found.opaque, found.problems) == ((), (), ())
    assert report(text, "grid.c").problems  # who opens it as C is told what is wrong
