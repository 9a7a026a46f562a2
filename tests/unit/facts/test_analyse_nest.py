"""The whole layer on odd nests: it answers, twice the same."""

from __future__ import annotations

import pytest
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.facts.program import blocks
from warplens.analysis.workload.loops.derived_symbols import extend_sizes

ODD = [
    "for (int i = 0; i < 10; i--) a[i] = 1;",
    "for (int i = 0; i < n; i++) ;",
    "for (int i = 0; i < n; i++) { while (a[i] > 1) a[i] /= 2; }",
    "for (int i = 0; i < n; i++) { int k = n / (i + 1); for (int j = k; j < n; j++) a[j] = i; }",
    "for (int i = 0; i < n; i += 0) a[i] = 1;",
    "for (int i = 0; a[i] > 0; i++) a[i] = 1;",
    "for (int i = 0; i < n; i++) { if (i == 3) continue; if (i == 7) return; g(a + i); }",
    "for (int i = 0; i < n; i++) for (int j = 0; j < i * i; j++) for (int k = j; k < i; k++) a[i * j + k] += j;",
    "for (int i = 0; i < 0; i++) a[i] = b[i % n] / n;",
    "for (int i = 0; i < n; i++) { i += 2; a[i]++; }",
    "for (int i = 0; i < n / 2; i++) { float t = a[i]; a[i] = a[n - 1 - i]; a[n - 1 - i] = t; }",
    "for (int i = 0; i < n; i++) a[(int)b[i]] = a[i] > b[i] ? -a[i] : (float)n / 0;",
    "for (int i = 0; i < n; i++) { int c = 0; do { c++; } while (c < 3); a[i] = c; }",
    "for (long i = 0; i < 9223372036854775807L; i++) a[0] += 1;",
    "for (int i = 0, j = n; i < j; i++, j--) a[i] = b[j];",
]


@pytest.mark.parametrize("loop", ODD)
def test_odd_nests_have_facts_that_can_be_evaluated(nests_of, loop: str) -> None:
    for nest in nests_of(f"void g(float *); void f(int n, float *a, float *b) {{ {loop} }}"):
        facts = analyse_nest(nest)
        assert facts == analyse_nest(nest)
        sizes = dict.fromkeys(facts.parameters, 9)
        assert extend_sizes(sizes, facts.nest).keys() >= sizes.keys()
        formulas = [facts.footprint_bytes, *(t.average for t in facts.trip_counts)]
        formulas += [f for t in facts.transfers for f in (t.in_bytes, t.out_bytes)]
        formulas += [a.executions_per_thread for a in facts.sequential_accesses]
        for kernel in facts.kernels:
            formulas += [kernel.launches, *(a.executions_per_thread for a in kernel.accesses)]
        assert all(formula.evaluate(sizes) >= 0 for formula in formulas)


@pytest.mark.parametrize("loop", ODD)
def test_operands_come_before_their_users(nests_of, loop: str) -> None:
    for nest in nests_of(f"void g(float *); void f(int n, float *a, float *b) {{ {loop} }}"):
        facts = analyse_nest(nest)
        for program in (facts.sequential, *(kernel.program for kernel in facts.kernels)):
            for block, _ in blocks(program):
                assert block.ilp >= 1
                for at, instruction in enumerate(block.instructions):
                    assert all(operand < at for operand in instruction.operands)


def test_a_size_that_no_formula_needs_is_not_asked_for(facts_of) -> None:
    facts = facts_of(
        "f(int m, int a, double *w, int n) { double v = 0; int nmax = (m > a ? m : a) - 1;"
        " for (; n <= nmax; n++) { v = 0; for (int i = 0; i <= n; i++) v += w[i]; if (v > 3) break; } }"
    )
    assert extend_sizes(dict.fromkeys(facts.parameters, 7), facts.nest).keys() >= set(facts.parameters)
