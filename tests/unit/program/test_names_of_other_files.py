"""Names of other files: what only those have, what functions here hide, and what is too much or not understood."""

import pytest
from support.compiler_output import compiler_output
from support.program_files import program_of
from warplens.analysis.engine.memo import Memo
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.frontend.declarations.read_file import read_file
from warplens.analysis.program.companions import companions
from warplens.analysis.program.hidden_names import is_of_its_own

LOOP = "void f(int n, double *restrict a) {{ for (int i = 0; i < n; i++) {} }}"


def verdict(main: str, files: dict[str, str], analyse_c) -> LoopVerdict:
    """Of the only loop of a file, which is the program's first."""
    report = analyse_c(main, program=program_of({"main.c": main, **files}))
    (nest,) = [nest for function in report.functions for nest in function.nests]
    assert nest.facts is not None
    return nest.facts.verdicts[0]


def joined(main: str, files: dict[str, str]):
    file = read_file(compiler_output("main.c", main), memo := Memo())
    return companions(program_of(files).definitions, file, "main.c", memo)


GIVES = "double g(double);"
STATES = "static int k; double g(double v) { return v + k++; }"


@pytest.mark.parametrize(
    ("before", "other", "kind", "said"),
    [
        (f"{GIVES} static int k;", "static int k = 2; double g(double v) { return v + k; }", "parallel", ""),
        (f"{GIVES} static int k;", STATES, "unknown", "`k"),
        (f"{GIVES} static int k = 3; int all(void) {{ return k; }}", STATES, "unknown", "`k"),
        (f"{GIVES} static double h(double v) {{ return v; }}",
         "static double h(double v) { return v + 1; } double g(double v) { return h(v); }", "parallel", ""),
        (f"{GIVES} static double h(double v) {{ return v; }}",
         "int last; static double h(double v) { return last++; } double g(double v) { return h(v); }", "carried", ""),
        (f"{GIVES} struct s {{ int h; }}; int h;",
         "static double h(double v) { return v; } double g(double v) { return h(v); }", "parallel", ""),
        (f"{GIVES} double pow(double, double);",
         "static double pow(double v, double w) { return v + w; } double g(double v) { return pow(v, 2); }",
         "parallel", ""),
        (GIVES, "static double i = 2; double g(double v) { return v + i; }", "parallel", ""),
        (GIVES, "double a = 2; double g(double v) { return v + a; }", "parallel", ""),
        (GIVES, "double a; double g(double v) { return a = 2 * a + v; }", "unknown", "it uses `a` of the file"),
    ],
)  # fmt: skip
def test_what_two_files_call_the_same(before: str, other: str, kind: str, said: str, analyse_c) -> None:
    found = verdict(f"{before}\n{LOOP.format('a[i] = g(i);')}", {"other.c": other}, analyse_c)
    assert found.kind in {kind, "carried" if kind == "unknown" else kind}
    assert found.kind == "carried" or said in found.reason
    assert "ʹ" not in repr(found.assumptions) + found.reason


def test_three_files_with_one_name_for_their_own(analyse_c) -> None:
    main = f"double g(int); double h(int);\n{LOOP.format('a[i] = g(i) + h(i);')}"
    first = "static int own(int i) { return i; } double g(int i) { return own(i); }"
    second = "static int last; static int own(int i) { return last = last * 2 + i; } double h(int i) { return own(i); }"
    assert verdict(main, {"p.c": first, "q.c": second}, analyse_c).kind == "carried"
    assert verdict(main.replace("+ h(i)", ""), {"p.c": first, "q.c": second}, analyse_c).kind == "parallel"


def test_a_function_with_another_name_keeps_its_place(analyse_c) -> None:
    main = f"double g(double); static double h(double v) {{ return v; }}\n{LOOP.format('a[i] = h(g(i));')}"
    other = "\nstatic double h(double v) { return v + 1; }\n\ndouble g(double v) { return h(v); }"
    report = analyse_c(main, program=program_of({"other.c": other}))
    places = report.functions[-1].nests[0].elsewhere
    assert [(one.function, one.line) for one in places] == [("g", 4), ("h", 2)]


@pytest.mark.parametrize(
    ("text", "name", "is_own"),
    [
        ("void f(int n) { g(n); }", "n", True),
        ("void f(const struct s *restrict n) { g(n); }", "n", True),
        ("void f(void) { for (int k = 0; k < 3; k++) g(k); }", "k", True),
        ("void f(void) { double a, *b = 0, c[3]; g(b, c); }", "c", True),
        ("void f(void) { double a = h(1, 2), b; g(b); }", "b", True),
        ("void f(void) { g(b); double b; }", "b", False),
        ("void f(void) { int a = b * c; }", "b", False),
        ("void f(void) { int a = b * c; }", "c", False),
        ("void f(void) { h(a, b * c); }", "c", False),
        ("void f(void) { return k; }", "k", False),
        ("void f(void) { extern int k; k = 1; }", "k", False),
        ("void f(void) { if (a) k = 1; else k = 2; }", "k", False),
        ('void f(void) { puts("int k"); k = 1; }', "k", False),
        ("void f(struct k *p) { k = p->k; }", "k", False),
    ],
)
def test_names_that_a_function_declares_itself(text: str, name: str, *, is_own: bool) -> None:
    assert is_of_its_own(text, text.index("{"), name) is is_own


def test_of_a_large_part_the_nearest_functions_are_known(analyse_c) -> None:
    long = "".join(f"*p += {number} * *p; " for number in range(2000))
    next_one = ["far1(p);", "far2(p);", "far3(p);", ""]
    far = "".join(f"void far{number}(double *p) {{ {long} {call} }}\n" for number, call in enumerate(next_one))
    near = "void near(double *p) { if (*p < 0) far0(p); } void g(double *p) { near(p); }"
    files = {"other.c": f"{far}{near}"}
    main = f"void g(double *);\n{LOOP.format('g(a + i);')}"
    found = joined(main, files)
    assert {"g", "near"} <= found.places.keys()
    assert "far3" not in found.places
    reason = verdict(main, files, analyse_c).reason
    assert reason.startswith("calls `far")
    assert "leads to more code than is looked into" in reason


SAYS = "void g(const char *f, ...) { va_list l; va_start(l, f); vfprintf(stderr, f, l); va_end(l); }"


@pytest.mark.parametrize(
    ("declared", "other", "call", "kind", "said"),
    [
        # the header that would say what a `Handle` is was not found
        ("void g(double *p, Handle h, int i);", "void g(double *p, Handle h, int i) { Handle k = h; p[i] = i; }",
         "g(a, 0, i);", "parallel", ""),
        ("Handle here; void g(Handle h, int i);",
         "void g(Handle h, int i) { again: h->last = i; if (--i > 3) goto again; }",
         "{ g(here, i); a[i] = 1; }", "unknown", "a type that is not known"),
        ("void g(double *, int);", "void g(double *p, int i) { switch (i) { case 1 ... 3: p[i] = 1; } }",
         "g(a, i);", "unknown", "which is not understood (case ranges"),
        ("void g(double *, int);",
         "void g(double *p, int i) { double _Complex z = 1.0i; again: p[i] = z * z; if (--i < 0) goto again; }",
         "g(a, i);", "unknown", "may name the same element twice"),
        ("#include <stdio.h>\nvoid g(const char *, ...);",
         f"#include <stdio.h>\n#include <stdarg.h>\n{SAYS}",
         '{ a[i] = i; g("%d", i); }', "unknown", "`g`, which prints"),
    ],
)  # fmt: skip
def test_what_is_only_half_understood(declared: str, other: str, call: str, kind: str, said: str, analyse_c) -> None:
    found = verdict(f"{declared}\n{LOOP.format(call)}", {"other.c": other}, analyse_c)
    assert found.kind == kind
    assert said in found.reason


def test_a_definition_tells_the_type_where_a_declaration_cannot_be_read(analyse_c) -> None:
    main = f"double _Complex g(double _Complex);\n{LOOP.format('a[i] = g(i);')}"
    other = "double complex g(double complex v);\ndouble _Complex g(double _Complex v) { return 2 * v; }"
    assert verdict(main, {"other.c": other}, analyse_c).kind == "parallel"


def test_what_the_other_file_calls_without_a_declaration_is_the_only_function_of_that_name(analyse_c) -> None:
    main = f"void g(double *, int);\n{LOOP.format('g(a, i);')}"
    files = {"p.c": "void g(double *p, int i) { h(p, i); }", "q.c": "void h(double *p, int i) { p[i] = i; }"}
    assert verdict(main, files, analyse_c).kind == "parallel"
    other = {**files, "q.c": "void h(double *p, int i) { p[i + 1] = p[i]; }"}
    assert verdict(main, other, analyse_c).kind == "carried"


def test_what_a_file_defines_in_its_headers_is_not_asked_of_the_program(analyse_c) -> None:
    main = '# 1 "h.h" 1\nstatic int g(int i) { return i; }\n# 2 "main.c" 2\n' + LOOP.format("a[i] = g(i);")
    assert verdict(main, {"other.c": "int last; int g(int i) { return last++; }"}, analyse_c).kind == "parallel"
