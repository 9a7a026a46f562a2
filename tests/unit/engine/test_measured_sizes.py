"""Sizes that follow from what a real run counted: which loops decide, what is stronger, what is said."""

from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warplens.analysis.engine.measured_sizes import solve
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions, SizeChoice
from warplens.analysis.ir.formula import Formula
from warplens.analysis.measured.line_counts import FileCounts, LineCount
from warplens.analysis.measured.measured_counts import counted_functions

LOOP = "void f(int n, double *x) {\n    for (int i = 0; i < n; i++)\n        x[i] = 0;\n}\n"
BOUNDED = "double x[500];\nvoid f(int n) {\n    for (int i = 0; i < n; i++)\n        x[i] = 0;\n}\n"


def counts(source: str, headers: Mapping[int, tuple[int, int]], calls: int = 1) -> FileCounts:
    """Counts of loops by their header's line, (iterations, exits) each; every function was called so many times."""
    lines = tuple(LineCount(line, sum(pair), pair) for line, pair in sorted(headers.items()))
    digest, functions = counted_functions(source, dict.fromkeys(range(1, source.count("\n") + 1), calls))
    return FileCounts(digest, functions, lines, sum(line.count for line in lines), "2026-01-31")


def evaluated(analyse_c, source: str, headers: Mapping[int, tuple[int, int]], *choices: SizeChoice, calls: int = 1):
    options = AnalysisOptions(sizes=choices, counts=counts(source, headers, calls))
    ((nest,),) = (function.nests for function in analyse_c(source, options=options).functions)
    assert not nest.failure
    return nest.evaluation


def sizes(analyse_c, source: str, headers: Mapping[int, tuple[int, int]], *choices: SizeChoice, calls: int = 1):
    """Value and origin of each parameter."""
    evaluation = evaluated(analyse_c, source, headers, *choices, calls=calls)
    origins = {a.subject: a.origin for a in evaluation.assumptions if a.kind == "size"}
    return {name: (value, origins[name]) for name, value in evaluation.sizes}


def test_a_measurement_is_stronger_than_what_the_source_implies_and_weaker_than_what_was_said(analyse_c) -> None:
    assert sizes(analyse_c, LOOP, {2: (300, 1)}) == {"n": (300, "measured")}
    assert sizes(analyse_c, BOUNDED, {3: (300, 1)}) == {"n": (300, "measured")}
    assert sizes(analyse_c, LOOP, {2: (300, 1)}, SizeChoice("n", 7, "setting")) == {"n": (7, "setting")}
    assert sizes(analyse_c, LOOP, {2: (300, 1)}, SizeChoice("n", 8, "file")) == {"n": (8, "file")}
    assert sizes(analyse_c, f"// warplens: n = 9\n{LOOP}", {3: (300, 1)}) == {"n": (9, "directive")}


def test_the_sentence_says_how_often_and_when(analyse_c) -> None:
    evaluation = evaluated(analyse_c, LOOP, {2: (1048576, 1)})
    (size,) = [a for a in evaluation.assumptions if a.kind == "size"]
    assert size.text == (
        "`n` = 1048576, measured: 1 048 576 iterations per run of the loop over `i` (profile imported 2026-01-31)."
    )
    assert evaluation.measured[0][1].iterations == 1048576


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({2: (100, 1), 3: (5050, 100)}, 100),
        ({3: (5050, 100)}, 100),
        ({2: (100, 1)}, 100),
        ({3: (0, 100)}, 1024),
        ({2: (0, 0), 3: (0, 0)}, 1024),
    ],
)
def test_a_triangular_loop_gives_its_size_back(analyse_c, headers, expected) -> None:
    source = (
        "void f(int n, double *x) {\n    for (int i = 0; i < n; i++)\n        for (int j = i; j < n; j++)\n"
        "            x[j] += i;\n}\n"
    )
    assert sizes(analyse_c, source, headers)["n"][0] == expected


def test_a_bound_from_data_takes_the_measured_average(analyse_c) -> None:
    source = (
        "void f(int n, const int *row, const double *v, double *restrict y) {\n    for (int i = 0; i < n; i++)\n"
        "        for (int k = row[i]; k < row[i + 1]; k++)\n            y[i] += v[k];\n}\n"
    )
    found = sizes(analyse_c, source, {2: (100, 1), 3: (295, 100)})
    assert found["n"] == (100, "measured")
    assert found["iterations of k"] == (3, "measured")
    texts = [a.text for a in evaluated(analyse_c, source, {2: (100, 1), 3: (295, 100)}).assumptions]
    assert any("measured: 2.95 iterations per run of the loop over `k`" in text for text in texts)


def test_a_start_stays_at_its_default_where_only_the_distance_is_known(analyse_c) -> None:
    source = "void f(int lo, int hi, double *x) {\n    for (int i = lo; i < hi; i++)\n        x[i] = 0;\n}\n"
    assert sizes(analyse_c, source, {2: (40, 1)}) == {"lo": (0, "default"), "hi": (40, "measured")}
    assert sizes(analyse_c, source, {2: (40, 1)}, SizeChoice("lo", 5, "file"))["hi"] == (45, "measured")


def test_what_all_calls_pass_stays_where_only_the_distance_is_measured(analyse_c) -> None:
    source = (
        "static void f(int lo, int hi, double *x) {\n    for (int i = lo; i < hi; i++)\n        x[i] = 0;\n}\n"
        "void g(int m, double *x) { f(5, m, x); }\n"
    )
    report = analyse_c(source, options=AnalysisOptions(counts=counts(source, {2: (40, 1)})))
    (nest,) = (nest for function in report.functions for nest in function.nests)
    origins = {a.subject: a.origin for a in nest.evaluation.assumptions if a.kind == "size"}
    assert dict(nest.evaluation.sizes) == {"lo": 5, "hi": 45}
    assert origins == {"lo": "program", "hi": "measured"}


def test_two_limits_give_a_value_for_which_the_loop_runs_as_measured(analyse_c) -> None:
    source = "void f(int n, int m, double *x) {\n    for (int i = 0; i < n && i < m; i++)\n        x[i] = 0;\n}\n"
    found = sizes(analyse_c, source, {2: (20, 1)})
    assert min(found["n"][0], found["m"][0]) == 20


def test_of_loops_that_disagree_the_one_with_most_iterations_wins_and_the_other_is_named(analyse_c) -> None:
    source = (
        "void f(int n, double *x) {\n    for (int t = 0; t < 9; t++) {\n        for (int i = 0; i < n; i++)\n"
        "            x[i] = t;\n        for (int j = 0; j < n; j++)\n            x[j] += 1;\n    }\n}\n"
    )
    evaluation = evaluated(analyse_c, source, {2: (9, 1), 3: (90, 9), 5: (900, 9)})
    assert dict(evaluation.sizes) == {"n": 100}
    (size,) = [a for a in evaluation.assumptions if a.kind == "size"]
    assert size.text.endswith("; 10 by the one over `i`.")


def test_a_loop_that_can_end_early_decides_only_where_no_other_does(analyse_c) -> None:
    early = "        if (x[i] == 3)\n            break;\n"
    alone = f"void f(int n, double *x) {{\n    for (int i = 0; i < n; i++) {{\n{early}    }}\n}}\n"
    assert sizes(analyse_c, alone, {2: (80, 2)}, calls=4)["n"] == (20, "measured")
    assert sizes(analyse_c, alone, {2: (80, 2)}, calls=0)["n"] == (1024, "default"), "entries are not known"


def test_new_counts_are_new_evaluations_of_the_same_facts(analyse_c) -> None:
    memo = Memo()
    analyse_c(LOOP, memo=memo)
    for headers, evaluated_anew in (({2: (300, 1)}, 1), ({2: (300, 1)}, 0), ({2: (400, 1)}, 1)):
        report = analyse_c(LOOP, memo=memo, options=AnalysisOptions(counts=counts(LOOP, headers)))
        assert report.recomputed.nests_analysed == 0
        assert report.recomputed.nests_evaluated == evaluated_anew


def test_an_edited_function_is_named_once_and_its_counts_are_not_used(analyse_c) -> None:
    both = LOOP + LOOP.replace("f(", "g(")
    old = counts(both, {2: (300, 1), 6: (300, 1)})
    edited = "// moved down\n" + LOOP + LOOP.replace("f(", "g(").replace("= 0;\n", "= 1;\n")
    report = analyse_c(edited, options=AnalysisOptions(counts=old))
    kept, changed = (function.nests[0].evaluation for function in report.functions)
    assert dict(kept.sizes)["n"] == 300
    assert kept.measured
    assert (dict(changed.sizes)["n"], changed.measured) == (1024, ())
    (problem,) = report.problems
    assert problem.severity == "note"
    assert "older text: `g` changed since then" in problem.message
    assert edited[problem.span.start : problem.span.end].startswith("void g(")


FORMULAS = {
    "n": Formula.parameter("n"),
    "half": (Formula.parameter("n") + 1) / 2,
    "strided": ((Formula.parameter("n") - 3) / 4).ceil().at_least(0),
    "falling": (Formula.constant(10**6) - Formula.parameter("n")).at_least(0),
    "product": Formula.parameter("n") * Formula.parameter("n"),
}


@given(st.sampled_from(sorted(FORMULAS)), st.integers(5, 10**5))
def test_a_value_gives_itself_back(name: str, value: int) -> None:
    formula = FORMULAS[name]
    count = formula.evaluate({"n": value})
    found = solve(formula, "n", {}, count)
    assert found is not None
    assert formula.evaluate({"n": found}) == count


@given(st.sampled_from(sorted(FORMULAS)), st.fractions(1, 10**5))
def test_no_neighbour_comes_nearer(name: str, target: Fraction) -> None:
    formula = FORMULAS[name]
    found = solve(formula, "n", {}, target)
    assert found is not None
    errors = [abs(formula.evaluate({"n": max(0, found + by)}) - target) for by in (-1, 0, 1)]
    assert errors[1] == min(errors)
