"""Published kinds of races under directives, and their twins without one: what is told, and that nothing else is."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.facts.directive_race import DirectiveRace
from warplens.analysis.ir.nest import LoopNest

NestsOf = Callable[[str], list[LoopNest]]

DECLARED = """
int omp_get_thread_num(void); void omp_set_lock(void *); void omp_unset_lock(void *); void settle(int); int found(int);
struct point { double x, y; };
extern int hits;
static int seed;
#pragma omp threadprivate(seed)
static _Thread_local int own_count;
"""


def races(nests_of: NestsOf, source: str) -> list[DirectiveRace]:
    return [race for nest in nests_of(DECLARED + source) for verdict in loop_verdicts(nest) for race in verdict.races]


def function(body: str) -> str:
    arrays = "double *a, const double *b, double *o, const int *idx"
    return f"void f(int n, int m, {arrays}) {{ double s = 0, t = 0; int i, j, k = 0, c = 0;{body} o[n] = s + c; }}"


def lines(*parts: str) -> str:
    return "".join(f"\n{part}" for part in parts)


PARALLEL = "#pragma omp parallel for"
FOR = "for (i = 0; i < n; i++)"

RACY = {
    "sum": (PARALLEL, f"{FOR} s += b[i];", "s", "reduction", "+"),
    "difference": (PARALLEL, f"{FOR} s -= b[i];", "s", "reduction", "+"),
    "product": (PARALLEL, f"{FOR} s *= b[i];", "s", "reduction", "*"),
    "largest": (PARALLEL, f"{FOR} if (b[i] > s) s = b[i];", "s", "reduction", "max"),
    "bits": (PARALLEL, f"{FOR} c |= idx[i];", "c", "reduction", "|"),
    "count": (PARALLEL, f"{FOR} c++;", "c", "reduction", "+"),
    "sum of the counter": (PARALLEL, f"{FOR} c += i;", "c", "reduction", "+"),
    "a sum of the file": (PARALLEL, f"{FOR} hits += idx[i];", "hits", "reduction", "+"),
    "one of two sums": ("#pragma omp parallel for reduction(+: s)", f"{FOR} {{ s += b[i]; c += idx[i]; }}", "c",
                        "reduction", "+"),
    "temporary": (PARALLEL, f"{FOR} {{ t = b[i]; o[i] = t * t; }}", "t", "private", ""),
    "inner counter": (PARALLEL, f"{FOR} for (j = 0; j < m; j++) o[i * m + j] = 0;", "j", "private", ""),
    "last value": (PARALLEL, f"{FOR} c = idx[i];", "c", "lastprivate", ""),
    "moved variable": (PARALLEL, f"{FOR} {{ o[k] = b[i]; k += 2; }}", "k", "linear", "2"),
    "moved with the element": (PARALLEL, f"{FOR} o[k++] = b[i];", "k", "linear", "1"),
    "chain": (PARALLEL, "for (i = 1; i < n; i++) a[i] = a[i - 1] + b[i];", "a", "", ""),
    "overwritten": (PARALLEL, "for (i = 0; i < n - 1; i++) a[i] = a[i + 1] + b[i];", "a", "", ""),
    "one element": (PARALLEL, f"{FOR} o[0] = b[i];", "o", "", ""),
    "sum in an element": (PARALLEL, f"{FOR} o[0] += b[i];", "o", "", "+"),
    "recurrence": (PARALLEL, f"{FOR} {{ o[i] = s; s = 0.5 * s + b[i]; }}", "s", "", ""),
    "joined loops": ("#pragma omp parallel for collapse(2)",
                     "for (i = 0; i < n; i++) for (j = 1; j < m; j++) a[i * m + j] = a[i * m + j - 1];", "a", "", ""),
    "far in a loop of known length": (PARALLEL, "for (i = 0; i < 100; i++) a[i + 64] = a[i];", "a", "", ""),
    "for and simd": ("#pragma omp parallel for simd", f"{FOR} s += b[i];", "s", "reduction", "+"),
    "lanes": ("#pragma omp simd", "for (i = 1; i < n; i++) a[i] = a[i - 1] + b[i];", "a", "", ""),
    "more lanes than safe": ("#pragma omp simd safelen(8)", "for (i = 4; i < n; i++) a[i] = a[i - 4];", "a", "", ""),
    "sum of lanes": ("#pragma omp simd", f"{FOR} s += b[i];", "s", "reduction", "+"),
    "device": ("#pragma omp target teams distribute parallel for map(tofrom: s)", f"{FOR} s += b[i];", "s",
               "reduction", "+"),
    "device in two lines": ("#pragma omp target map(tofrom: a[0:n])\n#pragma omp parallel for",
                            "for (i = 1; i < n; i++) a[i] = a[i - 1];", "a", "", ""),
    "teams loop": ("#pragma omp target teams loop", f"{FOR} s += b[i];", "s", "reduction", "+"),
    "gangs": ("#pragma acc parallel loop copy(s)", f"{FOR} s += b[i];", "s", "reduction", "+"),
    "said to be independent": ("#pragma acc kernels loop independent", "for (i = 1; i < n; i++) a[i] = a[i - 1];", "a",
                               "", ""),
    "in a region": ("#pragma omp parallel\n{\n#pragma omp for", f"{FOR} s += b[i];\n}}", "s", "reduction", "+"),
    "static in a region": ("#pragma omp parallel\n{ static double u;\n#pragma omp for",
                           f"{FOR} {{ u = b[i]; o[i] = u * u; }}\n}}", "u", "lastprivate", ""),
    "by the operator": ('_Pragma("omp parallel for")', f"{FOR} s += b[i];", "s", "reduction", "+"),
}  # fmt: skip


@pytest.mark.parametrize("case", RACY)
def test_race_is_told_with_the_clause_that_mends_it(nests_of: NestsOf, case: str) -> None:
    directive, loop, variable, clause, argument = RACY[case]
    (found,) = races(nests_of, function(lines(directive, loop)))
    assert (found.variable, found.clause, found.argument) == (variable, clause, argument)


@pytest.mark.parametrize("case", [name for name, (*_, clause, _) in RACY.items() if clause])
def test_with_the_clause_there_is_none(nests_of: NestsOf, case: str) -> None:
    directive, loop, variable, clause, argument = RACY[case]
    text = {"reduction": f"reduction({argument}: {variable})", "linear": f"linear({variable}: {argument})"}
    added = text.get(clause, f"{clause}({variable})")
    changed = (
        directive[:-2] + f' {added}")'
        if directive.endswith(")") and "_Pragma" in directive
        else (f"{directive} {added}")
    )
    assert not races(nests_of, function(lines(changed, loop)))


def test_a_directive_misses_several_clauses(nests_of: NestsOf) -> None:
    body = f"{FOR} {{ t = b[i]; for (j = 0; j < m; j++) o[i * m + j] = t; s += t; }}"
    found = races(nests_of, function(lines(PARALLEL, body)))
    assert {race.variable: race.clause for race in found} == {"t": "private", "j": "private", "s": "reduction"}


def test_accesses_are_those_that_meet(nests_of: NestsOf) -> None:
    source = function(lines(PARALLEL, "for (i = 1; i < n; i++) a[i] = a[i - 1] + b[i];"))
    (found,) = races(nests_of, source)
    assert (found.kind, found.distance) == ("flow", 1)
    assert found.first != found.second


FREE = {
    "no directive": ("", f"{FOR} s += b[i];"),
    "region without work sharing": ("#pragma omp parallel private(i, t)", f"{FOR} {{ t = b[i]; o[i] = t; }}"),
    "one thread": ("#pragma omp parallel for num_threads(1)", "for (i = 1; i < n; i++) a[i] = a[i - 1];"),
    "never in parallel": ("#pragma omp parallel for if(0)", "for (i = 1; i < n; i++) a[i] = a[i - 1];"),
    "macro": ("#pragma omp parallel for PRIVATES", f"{FOR} {{ t = b[i]; o[i] = t * t; }}"),
    "unknown clause": ("#pragma omp parallel for induction(step(2), +: k)", f"{FOR} {{ o[k] = b[i]; k += 2; }}"),
    "private by default": ("#pragma omp parallel for default(private) shared(n, b, o)",
                           f"{FOR} {{ t = b[i]; o[i] = t * t; }}"),
    "orphaned": ("#pragma omp for", f"{FOR} {{ t = b[i]; o[i] = t * t; }}"),
    "single": ("#pragma omp parallel\n#pragma omp single", "for (i = 1; i < n; i++) a[i] = a[i - 1];"),
    "sections": ("#pragma omp parallel sections\n{\n#pragma omp section",
                 "for (i = 1; i < n; i++) a[i] = a[i - 1];\n}"),
    "left to the compiler": ("#pragma acc kernels loop", "for (i = 1; i < n; i++) a[i] = a[i - 1];"),
    "sequential loop": ("#pragma acc parallel loop seq", "for (i = 1; i < n; i++) a[i] = a[i - 1];"),
    "inner sequential loop": (
        "#pragma acc parallel loop",
        f"{FOR} {{\n#pragma acc loop seq\nfor (int q = 1; q < m; q++) a[i * m + q] = a[i * m + q - 1]; }}",
    ),
    "variables of gangs": ("#pragma acc parallel loop", f"{FOR} {{ t = b[i]; o[i] = t * t; }}"),
    "firstprivate": ("#pragma omp parallel for firstprivate(t)", f"{FOR} {{ t += b[i]; o[i] = t; }}"),
    "region's own": ("#pragma omp parallel\n{ double u, w[4];\n#pragma omp for",
                     f"{FOR} {{ u = b[i]; w[0] = u; o[i] = w[0]; }}\n}}"),
    "region's private": ("#pragma omp parallel private(t, j)\n{\n#pragma omp for",
                         f"{FOR} {{ t = 0; for (j = 0; j < m; j++) t += b[j]; o[i] = t; }}\n}}"),
    "region's reduction": ("#pragma omp parallel reduction(+: s)\n{\n#pragma omp for", f"{FOR} s += b[i];\n}}"),
    "element of the thread": ("#pragma omp parallel\n{ int me = omp_get_thread_num();\n#pragma omp for",
                              f"{FOR} o[me] += b[i];\n}}"),
    "element by the number": (PARALLEL, f"{FOR} {{ int me = omp_get_thread_num(); o[me] += b[i]; }}"),
    "part of the thread": (
        "#pragma omp parallel\n{ double *w = a + omp_get_thread_num() * m;\n#pragma omp for",
        f"{FOR} {{ for (int q = 0; q < m; q++) w[q] = b[i * m + q]; o[i] = w[0] + w[m - 1]; }}\n}}",
    ),
    "threadprivate": (PARALLEL, f"{FOR} {{ seed += idx[i]; own_count++; }}"),
    "static threadprivate": (
        "static int mine;\n#pragma omp threadprivate(mine)",
        lines(PARALLEL, f"{FOR} o[i] = 0;", PARALLEL, f"{FOR} mine += idx[i];"),
    ),
    "atomic": (PARALLEL, f"{FOR} {{\n#pragma omp atomic\nc += idx[i];\n#pragma omp atomic\no[0] += b[i]; }}"),
    "atomic count": (PARALLEL, f"{FOR} {{\n#pragma omp atomic\nc++; }}"),
    "atomic by a function": (PARALLEL, f"{FOR} __sync_fetch_and_add(&c, idx[i]);"),
    "counted by a function": (PARALLEL, f"{FOR} {{ __atomic_fetch_add(&c, 1, 0); __sync_add_and_fetch(o, 1); }}"),
    "captured count": (PARALLEL, f"{FOR} {{ int at;\n#pragma omp atomic capture\nat = k++;\no[at] = b[i]; }}"),
    "critical": (PARALLEL,
                 f"{FOR} {{\n#pragma omp critical (best)\n{{ if (b[i] > s) {{ s = b[i]; k = i; }} c++; }} }}"),
    "asked again": (PARALLEL, f"{FOR} if (b[i] > s) {{\n#pragma omp critical\nif (b[i] > s) s = b[i];\n}}"),
    "ordered": ("#pragma omp parallel for ordered", f"{FOR} {{\n#pragma omp ordered\n{{ s += b[i]; o[i] = s; }} }}"),
    "waits for the one before": (
        "#pragma omp parallel for ordered(1)",
        lines("for (i = 1; i < n; i++) {", "#pragma omp ordered depend(sink: i - 1)", "a[i] = a[i - 1] + 1;",
              "#pragma omp ordered depend(source)", "}"),
    ),
    "task in order": (PARALLEL, f"{FOR} {{\n#pragma omp task depend(inout: o[0])\no[0] += b[i]; }}"),
    "omp locks": (PARALLEL, f"{FOR} {{ omp_set_lock(&c); s += b[i]; omp_unset_lock(&c); }}"),
    "calls for an effect": (PARALLEL, f"{FOR} {{ settle(0); s += b[i]; settle(1); }}"),
    "safe lanes": ("#pragma omp simd safelen(4)", "for (i = 4; i < n; i++) a[i] = a[i - 4];"),
    "lanes in order": ("#pragma omp simd", "for (i = 1; i < n; i++) { a[i] = b[i]; o[i] = a[i - 1]; }"),
    "lanes overwrite behind": ("#pragma omp simd", "for (i = 0; i < n - 1; i++) a[i] = a[i + 1] + b[i];"),
    "variables of tasks": ("#pragma omp taskloop", f"{FOR} {{ t = b[i]; o[i] = t * t; }}"),
    "inner declaration": (PARALLEL, f"{FOR} {{ double t = b[i]; o[i] = t * t; }}"),
    "joined counter": ("#pragma omp parallel for collapse(2)",
                       "for (i = 0; i < n; i++) for (j = 0; j < m; j++) o[i * m + j] = 0;"),
    "counter of lanes": (PARALLEL, f"{FOR} {{\n#pragma omp simd\nfor (j = 0; j < m; j++) o[i * m + j] = 0; }}"),
    "flag": (PARALLEL, f"{FOR} if (b[i] < 0) c = 1;"),
    "one value": (PARALLEL, f"{FOR} c = 1;"),
    "data decides": (PARALLEL, f"{FOR} a[idx[i]] += b[i];"),
    "data decides when": (PARALLEL, f"{FOR} if (idx[i] == 7) c += i;"),
    "sizes decide": (PARALLEL, f"{FOR} a[i + m] = a[i];"),
    "too far to be sure": (PARALLEL, f"{FOR} a[i + 4096] = a[i];"),
    "odd and even": (PARALLEL, f"{FOR} a[2 * i + 1] = a[2 * i];"),
}  # fmt: skip


@pytest.mark.parametrize("case", FREE)
def test_nothing_is_told_that_is_not_sure(nests_of: NestsOf, case: str) -> None:
    assert races(nests_of, function(lines(*FREE[case]))) == []


@pytest.mark.parametrize("wrapped", ["#pragma omp parallel", "#pragma omp parallel private(s)", ""])
def test_work_sharing_in_a_called_function_is_not_judged(nests_of: NestsOf, wrapped: str) -> None:
    source = f"""
static void part(int n, const double *b, double *o) {{
    double t;
    #pragma omp for
    for (int i = 0; i < n; i++) {{ t = b[i]; o[i] = t * t; }}
}}
void f(int n, int steps, const double *b, double *o) {{
    double s = 0;
    {wrapped}
    for (int k = 0; k < steps; k++) part(n, b, o);
}}"""
    assert races(nests_of, source) == []


def test_no_clause_mends_what_a_called_function_does(nests_of: NestsOf) -> None:
    called = "static double total; static void add(double v) { total += v; }"
    (found,) = races(nests_of, called + function(lines(PARALLEL, f"{FOR} add(b[i]);")))
    assert (found.variable, found.clause, found.argument) == ("total", "", "+")
    called = called.replace("{ total", "{\n#pragma omp atomic\ntotal")
    assert not races(nests_of, called + function(lines(PARALLEL, f"{FOR} add(b[i]);")))


def _told(source: str, nests_of: NestsOf) -> Iterator[str]:
    return (race.variable for race in races(nests_of, source))


def test_loops_in_a_time_loop(nests_of: NestsOf) -> None:
    body = lines("for (k = 0; k < m; k++) {", PARALLEL, f"{FOR} {{ t = b[i]; o[i] = t * 2; }}", PARALLEL,
                 "for (i = 1; i < n; i++) a[i] = a[i - 1] + o[i];", "}")  # fmt: skip
    assert sorted(_told(function(body), nests_of)) == ["a", "t"]
