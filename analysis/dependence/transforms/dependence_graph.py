"""All dependences of a nest, carried and in one iteration, and the graph of them between a loop's statements.

The dependences are between accesses to memory, not between values: that a write in between hides one is not used.

Source: Allen, Kennedy, Optimizing Compilers for Modern Architectures, 2001, section 2.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Literal

from warplens.analysis.dependence.integer_sets.bounded_sets import TooComplexError
from warplens.analysis.dependence.scalars.reduction import Accumulation, accumulations
from warplens.analysis.dependence.subscripts.iteration_domain import Reference
from warplens.analysis.dependence.subscripts.nest_references import references
from warplens.analysis.dependence.transforms.dependence_vectors import Vector, VectorSolver, common_loops
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.source_names import c_name

_MOST_REFERENCES = 80
"""Different references to one variable in a nest; the number of pairs is half its square."""

_COMMUTATIVE = frozenset(("+", "*", "min", "max", "&", "|", "^", "&&", "||"))


@dataclass(frozen=True, slots=True)
class StatementDependence:
    """Two accesses to one element (or scalar), at least one of them a write; `source` runs first.

    `source` and `sink` are ids of the access or, for a scalar, of the statement. `carrier` is the loop whose iterations
    order the two, None when they meet in one iteration of all common `loops` and the text orders them. `accumulates`
    marks two steps of one reduction: their order only changes how the result is rounded.
    """

    kind: Literal["flow", "anti", "output"]
    variable: str
    source: NodeId
    sink: NodeId
    source_statement: NodeId
    sink_statement: NodeId
    carrier: NodeId | None
    loops: tuple[NodeId, ...]
    vector: Vector
    accumulates: bool = False


@dataclass(frozen=True, slots=True)
class DependenceGraph:
    """A nest (delinearised), its verdicts and all its dependences: what legality is decided from."""

    nest: LoopNest
    verdicts: tuple[LoopVerdict, ...]
    references: tuple[Reference, ...]
    dependences: tuple[StatementDependence, ...]
    undecided: tuple[tuple[str, str], ...] = ()
    """Variables whose dependences are not among them, and why: whatever touches one must stay as it is."""

    def private(self, loop: NodeId) -> frozenset[str]:
        """Scalars and arrays of which each iteration of the loop may have its own."""
        return frozenset(name for v in self.verdicts if v.loop == loop for name in v.private)

    def gap(self, loop: NodeId) -> str:
        """Why not all dependences in the loop are known, empty if they are."""
        touched = {r.variable for r in self.references if any(around.id == loop for around in r.place.loops)}
        return "; ".join(reason for name, reason in self.undecided if name in touched)

    def within(self, loop: NodeId) -> tuple[StatementDependence, ...]:
        """Dependences between executions in one run of the loop: no loop around it carries them."""
        return tuple(
            d
            for d in self.dependences
            if loop in d.loops and (d.carrier is None or d.loops.index(d.carrier) >= d.loops.index(loop))
        )


def dependence_graph(nest: LoopNest, verdicts: tuple[LoopVerdict, ...]) -> DependenceGraph:
    """Graph of a nest that is delinearised, with the verdicts of its loops. Never raises."""
    every = references(nest)
    folds = accumulations((nest.root,))
    fresh = _fresh_in(nest, every)
    solver = VectorSolver()
    groups: dict[str, list[Reference]] = {}
    for reference in every:
        groups.setdefault(reference.variable, []).append(reference)
    found: list[StatementDependence] = []
    undecided: dict[str, str] = {}
    for name, group in groups.items():
        if not any(r.is_write for r in group):
            continue
        distinct = _distinct(group)
        if len(distinct) > _MOST_REFERENCES:
            undecided[name] = f"`{c_name(name)}` is accessed in more than {_MOST_REFERENCES} different ways"
            continue
        try:
            found += _dependences(distinct, fresh.get(name), folds, solver)
        except TooComplexError:
            undecided[name] = f"which iterations meet in `{c_name(name)}` takes too many operations to decide"
    return DependenceGraph(nest, verdicts, every, tuple(found), tuple(undecided.items()))


def _distinct(group: list[Reference]) -> list[Reference]:
    """One reference for all of a statement that touch the same bytes and play the same part."""
    kept: dict[tuple[object, ...], Reference] = {}
    for r in group:
        kept.setdefault((r.statement, r.is_write, *_where(r)), r)
    return list(kept.values())


def _fresh_in(nest: LoopNest, every: tuple[Reference, ...]) -> dict[str, NodeId]:
    """Objects declared in a loop's body, by that loop: each of its iterations has its own.

    One that something outside the loop uses too is not among them.
    """
    declared = {a.name: a.declared_in for a in nest.arrays if a.declared_in is not None}
    declared |= {s.name: s.declared_in for s in nest.scalars if s.declared_in is not None}
    outside = {r.variable for r in every if all(a.id != declared.get(r.variable) for a in r.place.loops)}
    return {name: loop for name, loop in declared.items() if name not in outside}


def _dependences(
    group: list[Reference], fresh_in: NodeId | None, folds: tuple[Accumulation, ...], solver: VectorSolver
) -> list[StatementDependence]:
    """Dependences of one variable. Raises TooComplexError."""
    known: dict[tuple[object, ...], tuple[Vector, ...]] = {}
    found = []
    for first, second in combinations_with_replacement(group, 2):
        if first.is_write or second.is_write:
            together = _are_one_fold(first, second, folds)
            for source, sink, vector in _vectors(first, second, fresh_in, solver, known):
                found.append(_dependence(source, sink, vector, together))
    return found


def _vectors(
    first: Reference,
    second: Reference,
    fresh_in: NodeId | None,
    solver: VectorSolver,
    known: dict[tuple[object, ...], tuple[Vector, ...]],
) -> Iterator[tuple[Reference, Reference, Vector]]:
    """Source, sink and vector of each way the two meet; `first` stands before `second` or is the same."""
    loops = [loop.id for loop in common_loops(first, second)]
    outermost = 0 if fresh_in is None else loops.index(fresh_in) + 1
    orders = [(first, second)] if first is second else [(first, second), (second, first)]
    for level in range(outermost, len(loops)):
        for source, sink in orders:
            # A compound assignment's read and write are one access: ask once, the answer is the same.
            question = (level, *_where(source), *_where(sink))
            if question not in known:
                known[question] = solver.carried(source, sink, level)
            for vector in known[question]:
                yield source, sink, vector
    if loops and first.statement != second.statement:
        same = solver.in_one_iteration(first, second)
        if same is not None:
            yield first, second, same


def _where(reference: Reference) -> tuple[object, ...]:
    unknown = reference.id if None in reference.indices else None
    return reference.indices, unknown, reference.place, reference.first_byte, reference.size_bytes


def _are_one_fold(first: Reference, second: Reference, folds: tuple[Accumulation, ...]) -> bool:
    """Whether both are steps of reductions by one operator into the variable, so that they commute.

    The place of an extreme is not counted: which of equal values it keeps depends on the order.
    """
    used = [
        next((f for f in folds if f.variable == r.variable and r.id in f.members and not f.partners), None)
        for r in (first, second)
    ]
    operators = {fold.operator if fold is not None else "" for fold in used}
    return len(operators) == 1 and operators <= _COMMUTATIVE


def _dependence(source: Reference, sink: Reference, vector: Vector, accumulates: bool) -> StatementDependence:
    loops = tuple(loop.id for loop in common_loops(source, sink))
    carried = [loop for loop, direction in zip(loops, vector.directions, strict=True) if direction != "="]
    return StatementDependence(
        kind="output" if source.is_write and sink.is_write else "flow" if source.is_write else "anti",
        variable=source.variable,
        source=source.id,
        sink=sink.id,
        source_statement=source.statement,
        sink_statement=sink.statement,
        carrier=carried[0] if carried else None,
        loops=loops,
        vector=vector,
        accumulates=accumulates,
    )
