"""What the C library's functions do to a loop, and what is believed of functions that are only declared."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.nest import LoopNest

Nests = Callable[[str], list[LoopNest]]


def verdict_of(nests: Nests, body: str, before: str = "") -> LoopVerdict:
    headers = "#include <stdlib.h>\n#include <stdio.h>\n#include <string.h>\n#include <assert.h>\n#include <time.h>\n"
    source = f"{headers}{before}\nvoid f(int n, double *restrict a, const double *restrict b) {{"
    nest = nests(f"{source} for (int i = 0; i < n; i++) {{ {body} }} }}")[-1]
    return loop_verdicts(delinearise(nest))[0]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ('printf("%g", a[i]);', "`printf` prints or writes a file: its output would come in another order"),
        ("a[i] = rand();", "`rand` keeps hidden state: each call depends on the one before"),
        ("a[i] = time(0);", "`time` reads the clock or the process's state"),
        ("a[i] = omp_get_thread_num();", "`omp_get_thread_num` depends on the thread that runs it"),
        ("a[i] = __sync_fetch_and_add(&n, 1);",
         "`__sync_fetch_and_add` is an atomic operation, whose order among the iterations matters"),
        ("a[i] = _mm256_cvtsd_f64(b[i]);",
         "`_mm256_cvtsd_f64` is an x86 vector intrinsic, which is not understood"),
    ],
)  # fmt: skip
def test_order_matters(nests: Nests, body: str, reason: str) -> None:
    verdict = verdict_of(nests, body)
    assert verdict.kind == "unknown"
    assert reason in verdict.reason


@pytest.mark.parametrize("prototype", ["double g(double);", "double g(double, int);", "double g(const double *, int);"])
def test_a_declared_function_that_gets_nothing_to_write_through_is_assumed_pure(nests: Nests, prototype: str) -> None:
    argument = "b" if "*" in prototype else "b[i]"
    call = f"a[i] = g({argument}{', i' if ', int' in prototype else ''});"
    verdict = verdict_of(nests, call, prototype)
    assert verdict.kind == "parallel"
    assert [(a.kind, a.subject) for a in verdict.assumptions] == [("call", "g")]


@pytest.mark.parametrize(
    "prototype",
    [
        "double g(void);",
        "double g(double *);",
        "void g(double);",
        "double g(double, ...);",
        "double *g(double);",
        "double next_random(double);",
    ],
)
def test_any_other_is_not(nests: Nests, prototype: str) -> None:
    name = prototype.replace("*", " ").split("(")[0].split()[-1]
    argument = "" if "void)" in prototype else "a" if "(double *" in prototype else "b[i]"
    assert verdict_of(nests, f"{name}({argument}); a[i] = 0;", prototype).kind == "unknown"


@pytest.mark.parametrize(
    ("member", "kind"),
    [
        ("double scale; float parts[3];", "parallel"),
        ("const double *values;", "parallel"),
        ("void *state;", "unknown"),
        ("struct { int *cells; } grid[2];", "unknown"),
        ("const struct inner *inner;", "unknown"),
        ("double (*run)(double);", "unknown"),
    ],
)
def test_what_a_constant_struct_leads_to_may_be_written(nests: Nests, member: str, kind: str) -> None:
    declared = (
        f"struct inner {{ int *count; }}; struct s {{ {member} }}; extern struct s *q; double g(const struct s *);"
    )
    assert verdict_of(nests, "a[i] = g(q);", declared).kind == kind


@pytest.mark.parametrize("promise", ["const", "pure", "__pure__"])
def test_a_promise_needs_no_assumption(nests: Nests, promise: str) -> None:
    verdict = verdict_of(nests, "a[i] = g(b[i]);", f"double g(double) __attribute__(({promise}));")
    assert (verdict.kind, verdict.assumptions) == ("parallel", ())


def test_what_a_pure_function_reads_must_not_be_written(nests: Nests) -> None:
    assert verdict_of(nests, "a[i] = g(a, i);", "double g(const double *, int);").kind == "unknown"


def test_an_assertion_is_assumed_to_hold(nests: Nests) -> None:
    verdict = verdict_of(nests, "assert(b[i] > 0); a[i] = b[i];")
    assert verdict.kind == "parallel"
    assert "is assumed not to be called" in verdict.assumptions[0].text


def test_a_block_copy_is_a_loop_over_its_elements(nests: Nests) -> None:
    assert verdict_of(nests, "memcpy(a + 8 * i, b, 8 * sizeof(double));").kind == "parallel"
    assert verdict_of(nests, "memcpy(a + 8 * i, b, 9 * sizeof(double));").kind == "carried"
    assert verdict_of(nests, "memcpy(a + 8 * i, b, 9);").kind == "unknown"


def test_a_call_through_a_pointer_is_named(nests: Nests) -> None:
    verdict = verdict_of(nests, "a[i] = g(b[i]);", "double (*g)(double);")
    assert verdict.kind == "unknown"
    assert "through the pointer `g`" in verdict.reason


def test_fresh_memory_overlaps_with_nothing(nests: Nests) -> None:
    source = (
        "#include <stdlib.h>\nvoid f(int n, double *b) { double *t = malloc(n * sizeof *t);"
        "for (int i = 0; i < n; i++) t[i] = b[i]; free(t); }"
    )
    (nest,) = nests(source)
    assert nest.array("t").is_allocated
    assert loop_verdicts(nest)[0].assumptions == ()


@pytest.mark.parametrize(
    "use", ["keep = t;", "t = b;", "double **q = &t;", "struct s { double *p; } v; v.p = t;", "unseen(t);", "t++;"]
)
def test_memory_that_something_else_may_reach_is_not_taken_for_fresh(nests: Nests, use: str) -> None:
    source = (
        "#include <stdlib.h>\ndouble *keep; void unseen(double *);"
        f"void f(int n, double *b) {{ double *t = malloc(n * sizeof *t); {use}"
        "for (int i = 0; i < n; i++) t[i] = b[i]; }"
    )
    (nest,) = nests(source)
    assert not any(array.is_allocated for array in nest.arrays)


PAIRS = [
    ("R_chk_calloc(n, 8)", "R_chk_free"),
    ("g_malloc(8 * n)", "g_free"),
    ("fftw_malloc(8 * n)", "fftw_free"),
    ("_mm_malloc(8 * n, 64)", "_mm_free"),
    ("PyMem_RawMalloc(8 * n)", "PyMem_RawFree"),
]
DECLARED = "void *R_chk_calloc(size_t, size_t), *g_malloc(size_t), *fftw_malloc(size_t), *_mm_malloc(size_t, size_t);\n"
WORK = "double *t = {get}; t[0] = b[i]; t[1] = t[0]; a[i] = t[1]; {give}(t);"


@pytest.mark.parametrize(("get", "give"), PAIRS)
def test_other_libraries_give_and_take_back_memory_as_well(nests: Nests, get: str, give: str) -> None:
    assert verdict_of(nests, WORK.format(get=get, give=give), DECLARED).kind == "parallel"
    assert verdict_of(nests, WORK.format(get="kept(i)", give=give), DECLARED).kind == "unknown"
    assert f"`{give}` frees" in verdict_of(nests, f"a[i] = 1; {give}(b + i);", DECLARED).reason


def test_a_function_of_the_file_by_such_a_name_does_what_its_body_does(nests: Nests) -> None:
    own = "double shelf[8], *last; void *g_malloc(size_t n) { return shelf; } void g_free(void *p) { last = p; }\n"
    assert verdict_of(nests, WORK.format(get="g_malloc(8 * n)", give="g_free"), own).kind != "parallel"
    took = WORK.format(get="malloc(8 * n)", give="g_free")
    assert "last" in verdict_of(nests, took, own).private
