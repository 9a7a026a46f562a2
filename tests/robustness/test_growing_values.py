"""A value that grows exponentially costs itself and nothing else: no time, no memory, no other loop."""

from __future__ import annotations

import pytest
from robustness.growing_c import OTHER, SHAPES, Growing
from warplens.analysis.c import c_types
from warplens.analysis.engine.report import NestReport, Report
from warplens.analysis.ir import formula
from warplens.analysis.ir.monomial import HIGHEST_DEGREE
from warplens.analysis.ir.polynomial import LARGEST_COEFFICIENT, MOST_PRODUCTS, Polynomial

MOST_STEPS = 300_000
"""Terms, operations of formulas and members of structures, all that one of these files may take together."""


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How much was done so far; a value that is too large fails at once."""
    done = [0]

    def count(number: int) -> None:
        done[0] += number
        assert done[0] <= MOST_STEPS

    make, evaluate, align = Polynomial.of, formula._number, c_types.alignment_bytes

    def of(terms):
        count(len(terms))
        assert len(terms) <= 2 * MOST_PRODUCTS
        assert all(len(monomial) <= HIGHEST_DEGREE for monomial in terms)
        assert all(abs(c) < LARGEST_COEFFICIENT * MOST_PRODUCTS for c in terms.values())
        return make(terms)

    def number(what, sizes):
        count(1)
        return evaluate(what, sizes)

    def alignment(ctype):
        count(1)
        return align(ctype)

    monkeypatch.setattr(Polynomial, "of", staticmethod(of))
    monkeypatch.setattr(formula, "_number", number)
    monkeypatch.setattr(c_types, "alignment_bytes", alignment)
    return done


def nest_of(report: Report, name: str) -> NestReport:
    return next(function for function in report.functions if function.name == name).nests[-1]


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_only_the_value_is_lost(shape: Growing, analyse_c, steps: list[int]) -> None:
    report = analyse_c(OTHER + shape.source)
    nest = nest_of(report, "growing")
    assert nest.failure == ""
    assert nest.facts is not None
    assert nest.evaluation is not None
    assert nest.facts.verdicts
    said = [assumption.text for assumption in nest.facts.assumptions]
    assert not shape.reason or any(shape.reason in text for text in said)
    assert not any("internal error" in fix.refusal for fix in nest.fixes)
    assert report.opaque == ()
    assert steps[0] > 0


@pytest.mark.parametrize("shape", [SHAPES["squares and sums"], SHAPES["two hundred rows"]])
def test_other_loops_keep_their_answers(shape: Growing, analyse_c) -> None:
    alone, beside = analyse_c(OTHER), analyse_c(OTHER + shape.source)
    assert nest_of(beside, "other").facts == nest_of(alone, "other").facts
    assert [verdict.kind for verdict in nest_of(beside, "other").facts.verdicts] == ["parallel"]


def test_other_expressions_of_the_loop_keep_their_values(analyse_c) -> None:
    source = SHAPES["products of two variables by turns"].source.replace("x[p] = 1.0;", "x[p] = 1.0; x[i] = 2.0;")
    accesses = nest_of(analyse_c(source), "growing").facts.sequential_accesses
    assert Polynomial.symbol("i") in [index for facts in accesses for index in facts.access.indices]


def test_a_value_before_a_loop_is_said_where_it_is_used_only(analyse_c) -> None:
    shape = SHAPES["squares of a sum"]
    report = analyse_c(shape.source.replace("x[i + p] = 1.0;", "x[i] = 1.0;"))
    facts = nest_of(report, "growing").facts
    assert not any(shape.reason in assumption.text for assumption in facts.assumptions)
