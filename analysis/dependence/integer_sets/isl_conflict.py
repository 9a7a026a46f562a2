"""The exact dependence test: pairs of iterations of a loop that meet in one element, as an integer set.

Shape: `[n, m] -> { [d0, ..] : x in domain, y in domain, equal outside the loop, x before y at the loop, same element }`
with the distances `d = y - x` at the loop and inside it; isl decides emptiness exactly. No isl object leaves this file.

Source: Feautrier, Dataflow analysis of array and scalar references, IJPP 20(1), 1991; Verdoolaege, isl, ICMS 2010.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial

import islpy as isl
from warplens.analysis.dependence.integer_sets.bounded_sets import (
    OPERATION_LIMIT,
    QUICK_TEST_OPERATIONS,
    BoundedSets,
    TooComplexError,
)
from warplens.analysis.dependence.integer_sets.constraint_rows import ReferenceRows, Symbols, System, is_least
from warplens.analysis.dependence.integer_sets.long_loops import meets_for_all_long_loops
from warplens.analysis.dependence.integer_sets.nest_budget import NestBudget
from warplens.analysis.dependence.integer_sets.pair_rows import PairRows, Question
from warplens.analysis.dependence.integer_sets.quick_tests import members_differ, never_meet
from warplens.analysis.dependence.integer_sets.sizes_apart import Alternative, sizes_apart
from warplens.analysis.dependence.subscripts.iteration_domain import Place, Reference
from warplens.analysis.facts.verdict import Direction
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.polynomial import Polynomial

__all__ = ["Conflict", "ConflictSolver", "TooComplexError"]


@dataclass(frozen=True, slots=True)
class Conflict:
    """`source` in an earlier iteration of the loop meets `sink` in a later one.

    `is_exact` says that it happens for all sizes with which both run and the loops around them are long enough;
    `only_for` names the parameters when it depends on their values beyond that. Distances are in iterations.
    """

    source: Reference
    sink: Reference
    loops: tuple[NodeId, ...]
    directions: tuple[Direction, ...]
    distances: tuple[int | None, ...]
    is_exact: bool
    only_for: tuple[str, ...] = ()


Decided = tuple[Conflict | None, frozenset[Polynomial]]
"""What a pair comes to, and the moduli that are assumed to be at least 1 for it."""


@dataclass(slots=True)
class Answers:
    """What was found out about one nest."""

    conflicts: dict[tuple[object, ...], Conflict | None] = field(default_factory=dict)
    """Conflicts of pairs of plain subscripts, by all that makes them."""
    decided: dict[tuple[object, ...], Decided] = field(default_factory=dict)
    """What pairs come to, however it was decided."""
    too_complex: set[tuple[object, ...]] = field(default_factory=set)
    """Pairs of which that was not found though there were operations left."""
    filling: dict[tuple[object, ...], tuple[str, ...] | None] = field(default_factory=dict)
    """Sizes that decide whether reads find what the iteration wrote."""
    proved: dict[tuple[object, ...], bool] = field(default_factory=dict)
    """Answers to all other questions that are asked again."""
    in_chunks: set[NodeId] = field(default_factory=set)
    """Loops whose iterations were found to walk stretches of their own."""


class ConflictSolver:
    """Answers for one nest, within one limit on the work of all its questions."""

    def __init__(
        self,
        budget: NestBudget | None = None,
        limit: int = OPERATION_LIMIT,
        beside: ConflictSolver | None = None,
    ) -> None:
        """Begin with so many operations of the nest's budget, and with what another solver of the nest found out."""
        self.budget = NestBudget() if budget is None else budget
        self.sets: BoundedSets = BoundedSets(self.budget, limit, None if beside is None else beside.sets)
        self.answers: Answers = Answers() if beside is None else beside.answers
        self.proved = self.answers.proved
        self.in_chunks = self.answers.in_chunks
        self.taken_positive: set[tuple[NodeId, str, Polynomial]] = set()
        """Loop, variable and modulus: what was answered of them takes the modulus to be at least 1."""

    @property
    def operations(self) -> int:
        """Operations used so far, of the limit of one nest."""
        return self.sets.operations

    @property
    def is_spent(self) -> bool:
        """Whether no operation is left for another question."""
        return self.sets.is_spent

    def never_meet(self, first: Reference, second: Reference, level: int) -> bool:
        """The quick tests: True is a proof, False is not knowing. Raises TooComplexError."""
        self.sets.use_quick_test()
        return never_meet(first, second, level)

    def conflict(self, source: Reference, sink: Reference, level: int) -> Conflict | None:
        """Conflict carried by loop number `level` from source to sink, None when there is none.

        Two pairs alike, in the same places of the nest, are asked about once: `x = x + 1; y = y + 2;` is one question.
        Raises TooComplexError.
        """
        if members_differ(source, sink):
            return None
        question = question_of(level, source, sink)
        if question in self.answers.conflicts:
            self.sets.use(QUICK_TEST_OPERATIONS)
        else:
            self.answers.conflicts[question] = self._conflict(source, sink, level)
        found = self.answers.conflicts[question]
        return None if found is None else replace(found, source=source, sink=sink)

    def _conflict(self, source: Reference, sink: Reference, level: int) -> Conflict | None:
        rows = self.sets.pair(source, sink, level)
        if rows.context is not None and self._never_holds(rows.context):
            return None
        return self.sets.within_limits(lambda: self._solved(rows, source, sink, level))

    def _solved(self, rows: PairRows, source: Reference, sink: Reference, level: int) -> Conflict | None:
        distances = self.sets.points(rows.distances())
        if distances.is_empty():
            return None
        common = rows.common
        self.sets.charge(distances, 2 * (len(common) - level))
        ranges = [_range(distances, dim) for dim in range(len(common) - level)]
        is_exact = (
            rows.is_exact
            and not source.is_decided_by_data(level)
            and not sink.is_decided_by_data(level)
            and rows.lost_depth <= level
            and source.place.is_exact_for(level)
            and sink.place.is_exact_for(level)
        )
        if is_exact and rows.is_approximate:
            distances = self.sets.points(rows.distances(certain=True))
            is_exact = not distances.is_empty()
        always = not rows.has_parameters or meets_for_all_long_loops(distances, rows, self.sets)
        inner = zip(ranges, common[level:], strict=True)
        same: tuple[Direction, ...] = tuple("=" for _ in range(level))
        return Conflict(
            source,
            sink,
            tuple(loop.id for loop in common),
            (*same, *map(_direction, ranges)),
            (*(0 for _ in same), *(_iterations(r, loop.step) for r, loop in inner)),
            is_exact and always,
            () if always else rows.parameter_names,
        )

    def holds(self, place: Place, constraint: Polynomial) -> bool:
        """Whether `constraint >= 0` at each point where the place is executed, for all parameters.

        Raises TooComplexError.
        """
        table = Symbols()
        where = ReferenceRows(place, (), "x", table)
        negated = where.affine(-constraint - 1)
        if negated is None:
            return False
        where.system.add(is_least(negated))
        return self.is_impossible(where.system, table)

    def is_impossible(self, system: System, table: Symbols) -> bool:
        """Whether the system holds nowhere. Raises TooComplexError."""
        question = Question(system, (), table)
        return self.sets.within_limits(lambda: bool(self.sets.points(question).is_empty()))

    def _never_holds(self, context: Question) -> bool:
        """Whether a system has no solution; pairs in the same places share theirs. Raises TooComplexError."""
        key = (tuple(context.system.rows), tuple(context.system.choices))
        if key not in self.proved:
            self.proved[key] = self.is_impossible(context.system, context.table)
        return self.proved[key]

    def is_written_before(self, read: Reference, writes: Iterable[Reference], level: int) -> bool:
        """Whether each element that `read` reads was written earlier in the same iteration of loop number `level`.

        Writes count where they stand before the read in the same iteration of all loops they share, and in earlier
        iterations of those inside loop number `level`. Raises TooComplexError.
        """
        writes = tuple(writes)
        question = _filling(read, writes, level)
        if question not in self.proved:
            self.proved[question] = any(
                self.sets.within_limits(partial(self._is_filled, read, writes, level, fixed))
                for fixed in _fixed_depths(read, writes, level)
            )
        return self.proved[question]

    def _is_filled(self, read: Reference, writes: tuple[Reference, ...], level: int, fixed: int) -> bool:
        missing, _, _ = self._unwritten(read, writes, level, fixed)
        return missing is not None and bool(missing.is_empty())

    def sizes_that_fill(self, read: Reference, writes: Iterable[Reference], level: int) -> tuple[str, ...] | None:
        """Parameters that decide whether that is so, None where there is no size for which it is.

        None are named where a write may come before of which it is not known just what it writes. Raises
        TooComplexError.
        """
        writes = tuple(writes)
        question = _filling(read, writes, level)
        if question not in self.answers.filling:
            self.answers.filling[question] = self.sets.within_limits(lambda: self._deciding(read, writes, level))
        return self.answers.filling[question]

    def _deciding(self, read: Reference, writes: tuple[Reference, ...], level: int) -> tuple[str, ...] | None:
        missing, rows, doubtful = self._unwritten(read, writes, level, level + 1)
        if any(not self.sets.points(one.sinks_that_meet()).is_empty() for one in doubtful):
            return ()
        if missing is None:
            return None
        runs = self.sets.points(rows.sinks()).params()
        self.sets.charge(runs)
        filled = runs.subtract(missing.params())
        if filled.is_empty():
            return None
        deciding = filled.gist(runs)
        used = [k for k in range(len(rows.parameters)) if deciding.involves_dims(isl.dim_type.param, k, 1)]
        return tuple(sorted({name for k in used for name in rows.parameters[k]}))

    def sizes_apart(
        self, pairs: Iterable[tuple[Reference, Reference]], level: int, known: frozenset[str]
    ) -> tuple[Alternative, ...]:
        """Ways in which sizes in `known` names keep all pairs from meeting in two iterations of loop number `level`.

        Raises TooComplexError.
        """
        every = tuple(pairs)
        return self.sets.within_limits(lambda: sizes_apart(every, level, known, self.sets))

    def _unwritten(
        self, read: Reference, writes: tuple[Reference, ...], level: int, fixed: int
    ) -> tuple[isl.Set | None, PairRows, list[PairRows]]:
        """Iterations of the read whose element was not written before in one of loop number `level`, and their rows.

        Last come writes that surely run and do not count, as what they write is not just what their rows say.
        Both are in one iteration of the `fixed` outermost loops: a product with their iterators is a symbol.
        """
        outer = read.place.loops[:fixed]
        inside = {loop.iterator for r in (read, *writes) for loop in r.place.loops[fixed:]}
        table = Symbols({loop.iterator for loop in outer} - inside)
        make = self.sets.pair
        whole = make(read, read, level, table, in_one_iteration=True)
        shared = [(write, _shared_loops(write, read)) for write in writes if not members_differ(write, read)]
        pairs = [
            (make(write, read, level, table, in_one_iteration=True, is_filling=True), write, common)
            for write, common in shared
            if common >= fixed and write.statement < read.statement
        ]
        pairs += [
            (make(write, read, depth, table, is_filling=True), write, depth)
            for write, common in shared
            for depth in range(fixed, common)
        ]
        covering, doubtful = [], []
        for rows, write, common in pairs:
            if rows.is_exact and rows.source_lost_depth < common and not rows.is_source_open:
                covering.append(rows)
            elif not write.is_decided_by_data(level):
                doubtful.append(rows)
        missing = None
        for rows in covering:
            missing = self.sets.points(rows.sinks()) if missing is None else missing
            if missing.is_empty():
                break
            reached = self.sets.points(rows.sinks_that_meet())
            self.sets.charge(reached)
            missing = missing - reached
        return missing, whole, doubtful


def _shared_loops(first: Reference, second: Reference) -> int:
    """How many loops are around both."""
    both = zip(first.place.loops, second.place.loops, strict=False)
    return next(
        (k for k, (a, b) in enumerate(both) if a.id != b.id), min(len(first.place.loops), len(second.place.loops))
    )


def _fixed_depths(read: Reference, writes: tuple[Reference, ...], level: int) -> tuple[int, ...]:
    """Of how many loops one iteration is to be asked about: first of loop number `level`, then of all around both."""
    deepest = max((_shared_loops(write, read) for write in writes if write.statement < read.statement), default=0)
    return (level + 1, deepest) if deepest > level + 1 else (level + 1,)


def question_of(level: int, *references: Reference) -> tuple[object, ...]:
    """A question about references and loop number `level`, by all that decides its answer."""
    return (level, *map(_shape, references))


def _filling(read: Reference, writes: tuple[Reference, ...], level: int) -> tuple[object, ...]:
    """The question whether the writes fill what is read before, to which their order belongs."""
    return ("filled", read.statement, *(w.statement for w in writes), *question_of(level, read, *writes))


def _shape(reference: Reference) -> tuple[object, ...]:
    """All of a reference that says what it touches and when."""
    access = reference.access
    layout = () if access is None else (access.element_bytes, access.indices, access.extents)
    part = (reference.first_byte, reference.size_bytes)
    return (reference.place, reference.positions, reference.indices, reference.definitions, part, layout)


def _range(deltas: isl.Set, dim: int) -> tuple[int | None, int | None]:
    low, high = deltas.dim_min_val(dim), deltas.dim_max_val(dim)
    return (int(low.get_num_si()) if low.is_int() else None, int(high.get_num_si()) if high.is_int() else None)


def _iterations(bounds: tuple[int | None, int | None], step: int) -> int | None:
    low, high = bounds
    if low is None or low != high or low % step:
        return None
    return low // abs(step)


def _direction(bounds: tuple[int | None, int | None]) -> Direction:
    low, high = bounds
    if low is not None and low > 0:
        return "<"
    if high is not None and high < 0:
        return ">"
    return "=" if low == 0 and high == 0 else "*"
