"""A call of a function that another file defines is judged by what that does, or stays unseen and says why."""

import pytest
from support.compiler_output import compiler_output
from support.program_files import program_of
from warplens.analysis.engine.memo import Memo
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.frontend.declarations.read_file import read_file
from warplens.analysis.program.companions import companions

LOOP = "void f(int n, double *restrict a) {{ for (int i = 0; i < n; i++) {} }}"


def verdict(main: str, files: dict[str, str], analyse_c) -> LoopVerdict:
    """Of the only loop of a file, which is the program's first."""
    report = analyse_c(main, program=program_of({"main.c": main, **files}))
    (nest,) = [nest for function in report.functions for nest in function.nests]
    assert nest.facts is not None
    assert (report.loops_in_text, report.loops_found) == (1, 1)
    return nest.facts.verdicts[0]


@pytest.mark.parametrize(
    ("declared", "body", "other", "kind"),
    [
        ("double g(double);", "a[i] = g(a[i]);", "double g(double v) { return v * v; }", "parallel"),
        ("void g(double *, int);", "g(a, i);", "void g(double *p, int i) { p[i] = i; }", "parallel"),
        ("void g(double *, int);", "g(a, i);", "void g(double *p, int i) { p[i + 1] = p[i]; }", "carried"),
        ("void g(double *, int);", "g(a, i);", "void g(double *p, int i) { p[0] = p[0] + i; }", "reduction"),
        (
            "struct s; double g(struct s *, int); struct s *here;",
            "a[i] = g(here, i);",
            "struct s { double *x; }; double g(struct s *p, int i) { return p->x[i]; }",
            "parallel",
        ),
        (
            "double g(int);",
            "a[i] = g(i);",
            "typedef double real; static real h(real v) { return 2 * v; } double g(int i) { return h(i); }",
            "parallel",
        ),
    ],
)
def test_what_the_function_does_decides(declared: str, body: str, other: str, kind: str, analyse_c) -> None:
    main = f"{declared}\n{LOOP.format(body)}"
    assert verdict(main, {"other.c": other}, analyse_c).kind == kind


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ('#include <stdio.h>\nvoid g(double *p, int i) { if (p[i] < 0) printf("%d", i); }', "prints"),
        ("#include <stdlib.h>\nvoid g(double *p, int i) { p[i] = rand(); }", "`rand` keeps hidden state"),
        ("static int calls; void g(double *p, int i) { p[calls++] = i; }", "calls"),
        ("void g(double *p, int i) { static int calls; p[i] = calls++; }", "calls"),
        ("void (*hook)(int); void g(double *p, int i) { p[i] = i; hook(i); }", "through the pointer `hook`"),
        ("void h(int); void g(double *p, int i) { p[i] = i; h(i); }", "calls `h`, whose"),
        ("int last; void g(double *p, int i) { p[i] = last; last = i; }", "last"),
        ("void g(double *p, int i) { if (i) g(p, i - 1); p[i] = p[i] + 1; }", "may name the same element twice"),
    ],
)
def test_a_reason_inside_the_function(other: str, said: str, analyse_c) -> None:
    main = f"void g(double *, int);\n{LOOP.format('g(a, i);')}"
    found = verdict(main, {"other.c": other}, analyse_c)
    assert found.kind in {"unknown", "carried"}
    assert found.kind == "carried" or said in found.reason
    assert "not in this file" not in found.reason or "`h`" in found.reason


@pytest.mark.parametrize(
    ("before", "files", "said"),
    [
        ("double g(double);", {"a.c": "double g(double v) { return v; }", "b.c": "double g(double v) { return -v; }"},
         "is defined in `a.c` and in `b.c`"),
        ("double g(double);",
         {"p/x/a.c": "double g(double v) { return v; }", "p/y/a.c": "double g(double v) { return -v; }"},
         "is defined in `x/a.c` and in `y/a.c`"),
        ("double g(double);", {"a.c": "__attribute__((weak)) double g(double v) { return v; }"}, "`weak`"),
        ("double g(double);", {"a.c": "#pragma weak g\ndouble g(double v) { return v; }"}, "`weak`"),
        ("double g(double);", {"a.c": "double g(double) __attribute__((weak)); double g(double v) { return v; }"},
         "`weak`"),
        ("double g(double);", {"a.c": "inline double g(double v) { return v; }"}, "is `inline`"),
        ("double g(double);", {"a.c": "float g(float v) { return v; }"}, "of another type"),
        ("double g();", {"a.c": "double g(double v) { return v; }"}, "of another type"),
        ("double g();", {"a.c": "double g(v) double v; { return v; }"}, "of another type"),
        ("double g(double), (*h)(double);",
         {"a.c": "double h(double v) { return v; } double g(double v) { return h(v); }"},
         "needs a `h` of another type"),
        ("double g(double); struct s { int x; };",
         {"a.c": "struct s { double x; }; static struct s k; double g(double v) { return v + k.x; }"}, "needs `s`"),
        ("double g(double); static double h(double v) { return v; }",
         {"a.c": "double g(double v) { return h(v); }"}, "needs another `h`"),
        ("double g(double); static double h(double v) { return v; }",
         {"a.c": "double h(double); double g(double v) { return h(v); }"}, "needs the `h`"),
        ("double g(double); enum { K = 2 };", {"a.c": "enum { K = 3 }; double g(double v) { return K * v; }"}, "`K`"),
        ("double g(double); typedef int real;", {"a.c": "typedef double real; double g(double v) { return (real)v; }"},
         "needs `real`"),
        ("double g(double);", {"a.c": "typedef double n; double g(double v) { return (n)v; }"}, "needs `n`"),
    ],
)  # fmt: skip
def test_another_meaning_keeps_the_call_unseen(before: str, files: dict[str, str], said: str, analyse_c) -> None:
    main = f"{before}\n{LOOP.format('a[i] = g(a[i]);')}"
    alone, found = (verdict(main, each, analyse_c) for each in ({}, files))
    assert (found.kind, found.assumptions) == (alone.kind, alone.assumptions)
    file = read_file(compiler_output("main.c", main), memo := Memo())
    joined = companions(program_of(files).definitions, file, "main.c", memo)
    assert said in joined.unseen["g"]
    assert (joined.declarations, dict(joined.places)) == ((), {})


def test_a_call_without_a_declaration_means_the_only_function_of_that_name(analyse_c) -> None:
    main = LOOP.format("g(a, i);")
    other = "void g(double *p, int i) { p[i] = i; }"
    assert verdict(main, {"other.c": other}, analyse_c).kind == "parallel"
    named = LOOP.format("{ int g = i; a[i] = g; }")
    assert verdict(named, {"other.c": other}, analyse_c).kind == "parallel"
    more = LOOP.format("g(a);")
    assert verdict(more, {"other.c": other}, analyse_c).kind == "unknown"


def test_a_static_function_answers_for_no_other_file(analyse_c) -> None:
    main = f"void g(double *, int);\n{LOOP.format('g(a, i);')}"
    found = verdict(main, {"other.c": "static void g(double *p, int i) { p[i] = i; }"}, analyse_c)
    assert found.reason == "calls `g`, whose body is not in this file"


def test_the_file_itself_is_asked_before_the_program(analyse_c) -> None:
    main = f"static void g(double *p, int i) {{ p[i] = 1; }}\n{LOOP.format('g(a, i);')}"
    assert verdict(main, {"other.c": "void g(double *p, int i) { p[0] += 1; }"}, analyse_c).kind == "parallel"


def test_identical_definitions_of_two_programs_are_one(analyse_c) -> None:
    main = f"void g(double *, int);\n{LOOP.format('g(a, i);')}"
    text = "static int two(void) { return 2; } void g(double *p, int i) { p[i] = two(); }"
    assert verdict(main, {"a.c": text, "b.c": text}, analyse_c).kind == "parallel"
    kept = f"static int k; {text.replace('return 2', 'return k')}"
    assert "is defined in `a.c` and in `b.c`" in verdict(main, {"a.c": kept, "b.c": kept}, analyse_c).reason


def test_recursion_over_files_comes_to_an_end(analyse_c) -> None:
    main = f"void g(double *, int);\nvoid here(double *p, int i) {{ if (i) g(p, i - 1); }}\n{LOOP.format('g(a, i);')}"
    other = "void here(double *, int); void g(double *p, int i) { p[i] = 0; here(p, i); }"
    found = verdict(main, {"other.c": other}, analyse_c)
    assert found.kind == "unknown"


def test_a_global_that_both_files_know(analyse_c) -> None:
    """The function writes what the loop reads: by one name in both files, an object of the program."""
    main = f"extern int shift; void g(int);\n{LOOP.format('{ a[i] = shift; g(a[i] > 1); }')}"
    other = "int shift; void g(int v) { shift += v; }"
    assert verdict(main, {"other.c": other}, analyse_c).kind == "carried"


def test_places_are_those_of_now(analyse_c) -> None:
    main = f"void g(double *, int);\n{LOOP.format('g(a, i);')}"
    other = "\n\nvoid\ng(double *p, int i) { p[i] = i; }"
    for above in ("", "\n\n\n"):
        report = analyse_c(main, program=program_of({"lib/other.c": above + other}))
        (place,) = report.functions[0].nests[0].elsewhere
        assert (place.function, place.path, place.line) == ("g", "lib/other.c", 4 + len(above))
