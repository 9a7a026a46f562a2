"""Loops that are parallel on the word of the directive above them, and what no directive says away."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.nest import LoopNest, loops_of

NestsOf = Callable[[str], list[LoopNest]]

DECLARED = """
void settle(int); int start_of(int); void report(int); int printf(const char *, ...); double *row_of(int);
"""
PARAMETERS = "int n, int m, double *a, const double *b, double *o, const int *slot, const int *start"


def verdict(nests_of: NestsOf, text: str) -> LoopVerdict:
    (nest,) = nests_of(
        f"{DECLARED}void f({PARAMETERS}) {{ double s = 0, t = 0; int k = 0;\n{text}\n o[n] = s + t + k; }}"
    )
    return loop_verdicts(nest)[0]


LOOP = "for (int i = 0; i < n; i++)"
UNDECIDED = {
    "call": f"{LOOP} settle(i);",
    "table": f"{LOOP} a[slot[i]] = b[i];",
    "sum by a table": f"{LOOP} a[slot[i]] += b[i];",
    "rows by a table": f"{LOOP} for (int q = start[i]; q < start[i + 1]; q++) o[q] = 0.5 * o[q];",
    "printing": f'{LOOP} printf("%d", i);',
    "sizes": f"{LOOP} a[i + m] = a[i];",
}
SAYING = [
    "omp parallel for", "omp for", "omp parallel for simd schedule(static)", "omp simd", "omp taskloop",
    "omp target teams distribute parallel for", "omp distribute", "omp loop bind(parallel)", "acc parallel loop",
    "acc kernels loop independent", "acc loop independent", "acc loop gang vector",
]  # fmt: skip


@pytest.mark.parametrize("case", UNDECIDED)
def test_undecided_loop_is_parallel_by_a_directive(nests_of: NestsOf, case: str) -> None:
    plain = verdict(nests_of, UNDECIDED[case])
    assert plain.kind in {"unknown", "reduction"}
    assert plain.word is None
    found = verdict(nests_of, f"#pragma omp parallel for\n{UNDECIDED[case]}")
    assert found.kind == "parallel"
    assert found.word is not None
    assert not found.conditions
    (said,) = (a for a in found.assumptions if a.origin == "directive")
    assert "`omp parallel for`, says so" in said.text
    assert said.kind == "promise"


@pytest.mark.parametrize("said", SAYING)
def test_directives_that_say_so(nests_of: NestsOf, said: str) -> None:
    found = verdict(nests_of, f"#pragma {said}\n{UNDECIDED['table']}")
    assert (found.kind, found.word is not None) == ("parallel", True)
    by_operator = verdict(nests_of, f'_Pragma("{said}")\n{UNDECIDED["table"]}')
    assert (by_operator.kind, by_operator.word is not None) == ("parallel", True)


@pytest.mark.parametrize(
    "said",
    [
        "omp parallel", "omp target", "omp single", "omp critical", "omp simd safelen(4)", "omp parallel for ordered",
        "acc kernels loop", "acc loop seq", "acc parallel loop auto", "acc serial loop", "scop", "GCC ivdep",
    ],
)  # fmt: skip
def test_directives_that_do_not(nests_of: NestsOf, said: str) -> None:
    found, plain = verdict(nests_of, f"#pragma {said}\n{UNDECIDED['table']}"), verdict(nests_of, UNDECIDED["table"])
    assert (found.loop, found.kind, found.reason) == (plain.loop, "unknown", plain.reason)
    assert found.conditions == plain.conditions


def test_what_needs_no_word_stays_proved(nests_of: NestsOf) -> None:
    found = verdict(nests_of, f"#pragma omp parallel for\n{LOOP} o[i] = b[i];")
    assert (found.kind, found.word) == ("parallel", None)
    assert all(a.origin != "directive" for a in found.assumptions)


@pytest.mark.parametrize("said", ["scop", "endscop", "unheard of(by) anybody", "GCC unroll 4"])
def test_pragmas_that_are_no_directives_block_nothing(nests_of: NestsOf, said: str) -> None:
    found = verdict(nests_of, f"#pragma {said}\n{LOOP} {{\n#pragma {said}\no[i] = b[i]; }}")
    assert (found.kind, found.word) == ("parallel", None)


@pytest.mark.parametrize(
    ("directive", "loop"),
    [
        ("omp parallel for", "for (int i = 1; i < n; i++) { settle(i); a[i] = a[i - 1]; }"),
        ("omp parallel for", "for (int i = 1; i < n; i++) { a[i] = a[i - 1]; o[slot[i]] = 1; }"),
        ("omp parallel for UNKNOWN", "for (int i = 1; i < n; i++) a[i] = a[i - 1];"),
        ("omp for", "for (int i = 1; i < n; i++) a[i] = a[i - 1];"),
        ("acc parallel loop", "for (int i = 1; i < n; i++) a[i] = a[i - 1];"),
        ("omp parallel for", f"{LOOP} {{ double u = s; s = 0.5 * u + b[i]; o[slot[i]] = s; }}"),
    ],
)
def test_no_directive_says_a_witness_away(nests_of: NestsOf, directive: str, loop: str) -> None:
    assert not verdict(nests_of, f"#pragma {directive}\n{loop}").can_run_in_parallel


def test_local_array_with_a_witness_is_not_parallel_by_word(nests_of: NestsOf) -> None:
    source = """void f(void) { int i, a[1000]; for (i = 0; i < 1000; i++) a[i] = i;
    #pragma omp parallel for
    for (i = 0; i < 999; i++) a[i] = a[i + 1] + 1;
    use(a); }"""
    found = loop_verdicts(nests_of(f"void use(int *);{source}")[1])[0]
    assert not found.can_run_in_parallel
    assert [race.variable for race in found.races] == ["a"]


@pytest.mark.parametrize(
    ("clause", "statement", "private", "reductions"),
    [
        ("private(t)", "t = t + b[i]; o[slot[i]] = t;", ("t",), ()),
        ("firstprivate(t)", "t += b[i]; o[slot[i]] = t;", ("t",), ()),
        ("lastprivate(t)", "if (b[i] > 0) t = b[i]; o[slot[i]] = 1;", ("t",), ()),
        ("reduction(+: s)", "o[slot[i]] = 1; s = b[i] + s;", (), (("s", "+"),)),
        ("reduction(max: s)", "settle(i); s = s < b[i] ? b[i] : s;", (), (("s", "max"),)),
    ],
)
def test_clauses_say_what_variables_are(
    nests_of: NestsOf, clause: str, statement: str, private: tuple[str, ...], reductions: tuple[tuple[str, str], ...]
) -> None:
    found = verdict(nests_of, f"#pragma omp parallel for {clause}\n{LOOP} {{ {statement} }}")
    assert found.kind == ("reduction" if reductions else "parallel")
    assert found.private == private
    assert tuple((r.variable, r.operator) for r in found.reductions) == reductions


def test_variables_of_each_thread(nests_of: NestsOf) -> None:
    source = f"""{DECLARED}static unsigned seed;
    #pragma omp threadprivate(seed)
    void f({PARAMETERS}) {{
    #pragma omp parallel for
    {LOOP} {{ seed = seed * 1664525u + (seed >> 3); o[i] = seed; }} }}"""
    found = loop_verdicts(nests_of(source)[0])[0]
    assert (found.kind, found.word is not None, found.private) == ("parallel", True, ("seed",))


@pytest.mark.parametrize(
    "turn",
    ["#pragma omp critical\n{ o[k] = b[i]; k += slot[i]; }", "#pragma omp atomic capture\n{ s = o[0]; o[0] = b[i]; }"],
)
def test_iterations_may_take_turns(nests_of: NestsOf, turn: str) -> None:
    found = verdict(nests_of, f"#pragma omp parallel for private(s)\n{LOOP} {{\n{turn}\n}}")
    assert found.can_run_in_parallel
    assert found.left_shared
    beside = verdict(nests_of, f"#pragma omp parallel for private(s)\n{LOOP} {{\n{turn}\na[i + 1] = a[i]; }}")
    assert not beside.can_run_in_parallel


def test_joined_loops_are_all_meant(nests_of: NestsOf) -> None:
    loops = "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int q = 0; q < m; q++) settle(i + j + q);"
    (nest,) = nests_of(f"{DECLARED}void f({PARAMETERS}) {{\n#pragma omp parallel for collapse(2)\n{loops} }}")
    kinds = [v.kind for v in loop_verdicts(nest)]
    assert kinds == ["parallel", "parallel", "unknown"]
    assert [loop.directive is not None for loop in loops_of(nest)] == [True, True, False]


def test_facts_show_the_word_as_an_assumption(nests_of: NestsOf) -> None:
    (nest,) = nests_of(
        f"{DECLARED}void f({PARAMETERS}) {{\n#pragma acc parallel loop independent\n{UNDECIDED['table']} }}"
    )
    facts = analyse_nest(nest)
    assert facts.kernels
    assert any(a.origin == "directive" and "`acc parallel loop`" in a.text for a in facts.assumptions)


WORK_ARRAY = """
double total(const double *v, long n) {{
  return n < 3 ? v[0] : total(v, n / 2) + total(v + n / 2, n - n / 2);
}}
struct sizes {{ int rows, columns; }};
void *malloc(unsigned long);
void f(struct sizes s, const double *b, double *o) {{
  double *row = malloc(s.columns * sizeof(double));
{directive}
  for (int i = 0; i < s.rows; i++) {{
    for (int j = 0; j < s.columns; j++) row[j] = b[i] * j;
    o[i] = total(row, s.columns);
  }}
  {after}
}}
"""


@pytest.mark.parametrize(
    ("directive", "after", "kind"),
    [
        ("#pragma omp for", "", "parallel"),  # threads that call the function have a `row` each
        ("#pragma omp parallel for", "", "unknown"),
        ("#pragma omp for", "o[0] = row[1];", "unknown"),
        ("", "", "unknown"),
    ],
)
def test_work_memory_of_a_function_that_threads_call(nests_of: NestsOf, directive: str, after: str, kind: str) -> None:
    *_, nest = nests_of(WORK_ARRAY.format(directive=directive, after=after))
    assert loop_verdicts(nest)[0].kind == kind
