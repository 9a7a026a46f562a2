"""What a nest costs is bounded in operations, and what is not decided within them is said."""

from __future__ import annotations

from contextlib import suppress

import pytest
from support.c_nests.parsed import only_nest
from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.dependence.integer_sets.bounded_sets import MOST_UNKNOWNS, OPERATION_LIMIT, TooComplexError
from warplens.analysis.dependence.integer_sets.isl_conflict import ConflictSolver
from warplens.analysis.dependence.subscripts.iteration_domain import Reference
from warplens.analysis.dependence.subscripts.nest_references import references
from warplens.analysis.dependence.transforms.dependence_vectors import VectorSolver
from warplens.analysis.dependence.transforms.nest_legality import legality_of
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.ir.nest import LoopNest

pytestmark = pytest.mark.long

ITERATORS = "abcdefgh"
HEADS = "".join(f"for (int {i} = 0; {i} < n; {i}++) " for i in ITERATORS)
ARRAY = "double x" + "[64]" * 12


def nest_of(parameters: str, body: str) -> LoopNest:
    source = f"void f({parameters}) {{ {HEADS}{body} }}"
    return delinearise(only_nest(source))


def element(form: str, inner: str) -> str:
    """An element of the array with 12 dimensions: one form for each iterator, another for four of them."""
    every = [form.format(i) for i in ITERATORS] + [inner.format(i) for i in ITERATORS[1:5]]
    return "x" + "".join(f"[{subscript}]" for subscript in every)


def nested_division(joined: str) -> LoopNest:
    """Quotients of remainders of quotients in one subscript, two of them joined by an operator."""
    value = "a"
    for k, iterator in enumerate(ITERATORS[1:7], 2):
        value = f"(({value}) / {k} + {iterator}) % {k + 3}"
    return nest_of("int n, int m, double *x", f"x[{value}] += x[({value}) / 3 + (b % m) {joined} (c / m)];")


def operations_of(solver: ConflictSolver, found: tuple[Reference, ...]) -> list[int]:
    """Operations used after each question about a write and another reference."""
    used = []
    for level in range(len(ITERATORS)):
        for source in found:
            for sink in found:
                if source.is_write or sink.is_write:
                    with suppress(TooComplexError):
                        solver.conflict(source, sink, level)
                    used.append(solver.operations)
    return used


def test_eight_loops_and_twelve_dimensions_are_decided() -> None:
    nest = nest_of(f"int n, {ARRAY}", f"{element('{0} + n', 'a + {0}')} = {element('{0}', 'a + {0} + 1')} + 1;")
    verdicts = loop_verdicts(nest)
    assert [v.kind for v in verdicts] == ["parallel"] * 8
    used = operations_of(ConflictSolver(), references(nest))
    assert used[-1] < OPERATION_LIMIT / 5


def test_an_exploding_nest_ends_at_the_limit_with_its_reason() -> None:
    left, right = element("{0} / 2", "(a + {0}) % 7"), element("({0} + 1) / 2", "(b + {0}) % 5")
    nest = nest_of(f"int n, {ARRAY}", f"{left} = {right};")
    solver = ConflictSolver()
    used = [*operations_of(solver, references(nest)), *operations_of(solver, references(nest))]
    assert used == sorted(used)
    assert used[-1] == OPERATION_LIMIT
    reason = "whether `x` carries a dependence takes too many operations to decide"
    verdicts = loop_verdicts(nest)
    assert reason in {v.reason for v in verdicts}
    assert all(v.kind != "parallel" for v in verdicts)
    graph = legality_of(nest, verdicts).graph
    assert graph.undecided == (("x", "which iterations meet in `x` takes too many operations to decide"),)


def test_many_iterators_in_one_subscript_are_too_much() -> None:
    heads = "".join(f"for (int {i} = 0; {i} < n; {i}++) " for i in "ijkl")
    left, right = ("+".join(f"{k + more}*{i}" for k, i in enumerate(f"{ITERATORS}ijkl")) for more in (1, 3))
    nest = nest_of("int n, double *x", f"{heads}x[{left}] = x[{right} + 1];")
    *outer, last = loop_verdicts(nest)
    assert {v.reason for v in outer} == {"whether `x` carries a dependence takes too many operations to decide"}
    assert last.kind == "parallel"  # with the rest equal the two are an odd number apart: no operations are needed


def test_six_iterators_in_one_subscript_are_decided() -> None:
    nest = nest_of("int n, double *x", "x[a + 2*b + 3*c + 4*d + 5*e + 6*f] = x[3*a + 4*b + 5*c + 6*d + 7*e + 8*f + 1];")
    verdicts = loop_verdicts(nest)
    # with the rest equal 6*f is even, 8*f + 1 is odd: loops over g and h write one value again and again
    assert [v.kind for v in verdicts] == ["carried"] * 5 + ["parallel"] + ["reduction"] * 2
    assert [[r.operator for r in v.reductions] for v in verdicts[6:]] == [["store"]] * 2


def test_nested_divisions_have_too_many_unknowns() -> None:
    nest = nested_division("+")
    found = references(nest)
    with pytest.raises(TooComplexError):
        ConflictSolver().conflict(found[0], found[1], 0)
    assert len({d.name for r in found for d in r.definitions}) > MOST_UNKNOWNS / 2
    *outer, last = loop_verdicts(nest)
    assert {v.kind for v in outer} <= {"unknown", "reduction"}
    assert last.kind == "carried"  # each iteration adds to one element
    assert all(d.exact for d in last.dependences)


def test_a_product_of_them_is_not_asked_about() -> None:
    found = references(nested_division("*"))
    conflict = ConflictSolver().conflict(found[0], found[1], 0)
    assert conflict is not None
    assert not conflict.is_exact
    verdicts = loop_verdicts(nested_division("*"))
    assert {v.kind for v in verdicts} <= {"unknown", "carried"}
    # `g` is last in a value modulo 8, `h` occurs nowhere: what they carry is shown, with the product or without it
    assert [v.kind for v in verdicts][-2:] == ["carried", "carried"]
    assert all(d.exact for v in verdicts if v.kind == "carried" for d in v.dependences)


@pytest.mark.parametrize("solver", [ConflictSolver(), VectorSolver()])
def test_a_spent_budget_answers_nothing_more(solver: ConflictSolver | VectorSolver) -> None:
    nest = nest_of("int n, double *x", "x[a] = x[a + 1];")
    first, second = references(nest)[:2]
    ask = solver.conflict if isinstance(solver, ConflictSolver) else solver.carried
    with suppress(TooComplexError):
        for _ in range(OPERATION_LIMIT):
            ask(second, first, 0)
    assert solver.operations == OPERATION_LIMIT
    with pytest.raises(TooComplexError):
        ask(second, first, 0)


def test_the_same_questions_use_the_same_operations() -> None:
    nest = nest_of(f"int n, {ARRAY}", f"{element('{0}', '{0}')} = {element('{0}', '{0} + 1')} + 1;")
    assert operations_of(ConflictSolver(), references(nest)) == operations_of(ConflictSolver(), references(nest))
