"""What one variable means for one loop: independent, private, reduced, carried or unknown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from types import MappingProxyType
from typing import Literal

from warplens.analysis.dependence.array_rows.chunks import are_apart
from warplens.analysis.dependence.array_rows.fixed_choices import without_fixed_choices
from warplens.analysis.dependence.array_rows.mixed_radix import in_mixed_radix
from warplens.analysis.dependence.array_rows.stretches import is_curved
from warplens.analysis.dependence.array_rows.symbolic_strides import by_strides, stride_names
from warplens.analysis.dependence.integer_sets.bounded_sets import TooComplexError
from warplens.analysis.dependence.integer_sets.isl_conflict import Conflict, ConflictSolver, question_of
from warplens.analysis.dependence.scalars.constant_steps import has_constant_steps
from warplens.analysis.dependence.scalars.privatization import is_read_before_written
from warplens.analysis.dependence.scalars.reduction import Accumulation
from warplens.analysis.dependence.subscripts.iteration_domain import Reference, has_exact_bounds
from warplens.analysis.dependence.subscripts.quasi_affine import Lookup, as_written
from warplens.analysis.facts.verdict import Dependence, Reduction, ReductionOperator
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.source_names import c_name

NO_STORES: Mapping[NodeId, Reduction] = MappingProxyType({})

_MOST_REFERENCES = 150
"""Different references to one variable in one loop; the number of pairs is half its square."""

_MOST_COMPARED = 8
"""References to one variable of which all pairs are asked about, to name what a carried loop computes."""

_PAIR_OPERATIONS = 300
"""What it counts as to look at the subscripts of one pair, besides the integer sets that are asked."""

_ENOUGH = 3
"""Exact conflicts of one variable in one loop after which the search ends: they are all that is shown."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One variable's part in a loop's verdict."""

    variable: str
    kind: Literal["independent", "private", "reduction", "carried", "unknown"]
    reductions: tuple[Reduction, ...] = ()
    dependences: tuple[Dependence, ...] = ()
    reason: str = ""
    blockers: tuple[NodeId, ...] = ()
    may_be_private: bool = False
    """Whether it would be private if each iteration read in it only what it wrote itself."""
    by_strides: bool = False
    """Whether only sizes that iterators are multiplied by decide if iterations meet."""
    is_copied_in: bool = False
    """Whether copies have to start with what it holds before the loop."""
    is_too_complex: bool = False
    """Whether it is unknown as integer sets would need too much to decide it."""


def scalar_finding(
    loop: Loop,
    name: str,
    group: list[Reference],
    folds: tuple[Accumulation, ...],
    solver: ConflictSolver,
    level: int,
) -> Finding:
    """A scalar that the loop assigns (or an inner loop's iterator, then `group` may be empty)."""
    reductions = _as_reductions(name, [(group[0], other) for other in group], folds)
    if reductions:
        return Finding(name, "reduction", reductions)
    if not is_read_before_written(loop.body, name):
        return Finding(name, "private")
    if not group:
        return Finding(name, "unknown", reason=f"`{c_name(name)}` is read before its loop sets it", blockers=(loop.id,))
    finding = array_finding(name, group, folds, solver, level)
    if finding.kind == "carried" and has_constant_steps(loop, name):
        reason = f"`{c_name(name)}` moves by constants: what it is in an iteration was not found"
        return replace(finding, kind="unknown", reason=reason)
    return finding


def array_finding(
    name: str,
    group: list[Reference],
    folds: tuple[Accumulation, ...],
    solver: ConflictSolver,
    level: int,
    stored: Mapping[NodeId, Reduction] = NO_STORES,
) -> Finding:
    """An array (or a scalar as an array without dimensions) that the loop writes.

    `stored` has the reduction of each write of a value that the loop doesn't change.
    """
    distinct = _distinct(group, {m: f.operator for f in folds if f.variable == name for m in f.members})
    if len(distinct) > _MOST_REFERENCES:
        reason = f"`{c_name(name)}` is accessed in more than {_MOST_REFERENCES} different ways"
        return Finding(name, "unknown", reason=reason, blockers=(group[0].id,))
    try:
        pairs = [
            (first, second)
            for first, second in (*((r, r) for r in distinct), *combinations(distinct, 2))
            if (first.is_write or second.is_write) and not solver.never_meet(first, second, level)
        ]
        taken_out = {m for f in folds if f.variable == name for m in f.members}
        taken_out |= stored.keys()
        conflicts = _conflicts(pairs, taken_out, solver, level)
    except TooComplexError:
        reason = f"whether `{c_name(name)}` carries a dependence takes too many operations to decide"
        return Finding(name, "unknown", reason=reason, blockers=(group[0].id,), is_too_complex=True)
    if not conflicts:
        return Finding(name, "independent")
    agreed = dict.fromkeys(stored[c.source.id] for c in conflicts if _agrees(c, stored))
    conflicts = [c for c in conflicts if not _agrees(c, stored)]
    if not conflicts:
        return Finding(name, "reduction", tuple(agreed))
    meeting = [r for c in conflicts for r in (c.source, c.sink)]
    reductions = _as_reductions(name, [(c.source, c.sink) for c in conflicts], folds)
    if reductions and meeting[0].access is not None:
        carrier = group[0].place.loops[level].iterator
        moves = any(index is None or carrier in index.symbols for r in meeting for index in r.indices)
        reason = f"`{meeting[0].access.written}` is a different element each time: needs atomics" if moves else ""
        return Finding(name, "reduction", (*agreed, *reductions), reason=reason)
    exact = [c for c in conflicts if c.is_exact]
    if exact:
        dependences = tuple(_dependence(c, level) for c in exact)
        return Finding(name, "carried", dependences=dependences, blockers=_ids(exact))
    dependences = tuple(_dependence(c, level) for c in conflicts)
    unknown = Finding(name, "unknown", dependences=dependences, blockers=_ids(conflicts))
    if _only_by_strides(conflicts, level, solver):
        names = ", ".join(f"`{as_written(size)}`" for size in stride_names(meeting, level))
        reason = f"whether two iterations meet in `{c_name(name)}` depends on {names}"
        return replace(unknown, reason=reason, by_strides=True)
    return replace(unknown, reason=_reason(name, conflicts, level))


def _agrees(conflict: Conflict, stored: Mapping[NodeId, Reduction]) -> bool:
    """Whether both ends store the same value, so that it doesn't matter which comes last."""
    source, sink = conflict.source, conflict.sink
    is_stored = source.is_write and sink.is_write and source.id in stored
    return is_stored and stored.get(sink.id) == stored[source.id]


def _distinct(group: list[Reference], operators: dict[NodeId, ReductionOperator]) -> list[Reference]:
    """One reference for all that touch the same bytes in the same iterations and play the same part."""
    kept: dict[tuple[object, ...], Reference] = {}
    for r in group:
        known = () if None in r.positions else r.positions
        part = (r.id if None in r.positions else None, operators.get(r.id), r.is_write, *_bytes(r))
        kept.setdefault((known, r.place, *part), r)
    return list(kept.values())


def _bytes(reference: Reference) -> tuple[object, ...]:
    """What makes the bytes of its positions: `((char *)a)[i]` and `a[i]` are different ones."""
    access = reference.access
    layout = () if access is None else (access.element_bytes, access.extents[1:])
    return (reference.first_byte, reference.size_bytes, *layout)


def _conflicts(
    pairs: list[tuple[Reference, Reference]], folded: set[NodeId], solver: ConflictSolver, level: int
) -> list[Conflict]:
    """Conflicts of the pairs, flow first; ends once enough are exact and no reduction could take them all out."""
    found: list[Conflict] = []
    asked: dict[tuple[object, ...], Conflict | None] = {}
    done: set[tuple[object, ...]] = set()
    ordered = [order for first, second in pairs for order in ((first, second), (second, first))]
    for source, sink in sorted(ordered, key=lambda order: (not order[0].is_write, order[1].is_write)):
        if sum(c.is_exact for c in found) >= _ENOUGH and any(not {c.source.id, c.sink.id} <= folded for c in found):
            break
        # A compound assignment's read and write are one access: ask once, the answer is the same.
        question = (source.positions, source.place, _bytes(source), sink.positions, sink.place, _bytes(sink))
        instance = (source.id, source.is_write, sink.id, sink.is_write)
        if instance in done:
            continue
        done.add(instance)
        if question not in asked:
            asked[question] = _conflict(source, sink, level, solver)
        conflict = asked[question]
        if conflict is not None:
            found.append(replace(conflict, source=source, sink=sink))
    return found


def _conflict(source: Reference, sink: Reference, level: int, solver: ConflictSolver) -> Conflict | None:
    """Conflict from source to sink, asked once: each promise that is tried decides the loop again."""
    question, loop = question_of(level, source, sink), source.place.loops[level].id
    if question in solver.answers.too_complex:
        raise TooComplexError
    if question not in solver.answers.decided:
        before, solver.taken_positive = solver.taken_positive, set()
        try:
            conflict = _first_conflict(source, sink, level, solver)
            solver.answers.decided[question] = conflict, frozenset(modulus for *_, modulus in solver.taken_positive)
        except TooComplexError:
            solver.answers.too_complex |= set() if solver.is_spent else {question}
            raise
        finally:
            solver.taken_positive |= before
    conflict, moduli = solver.answers.decided[question]
    solver.taken_positive |= {(loop, source.variable, modulus) for modulus in moduli}
    return conflict


def _first_conflict(source: Reference, sink: Reference, level: int, solver: ConflictSolver) -> Conflict | None:
    """Conflict from source to sink, None where integer sets or the bounds of chunks show that there is none."""
    solver.budget.use(_PAIR_OPERATIONS)
    is_in_chunks = source.place.loops[level].id in solver.in_chunks  # then that is the cheaper question
    if is_in_chunks and are_apart(source, sink, level, solver):
        return None
    cases = without_fixed_choices(source, sink, level, solver)
    found = (_plain_conflict(one, other, level, solver) for one, other in cases)
    conflict = next((conflict for conflict in found if conflict is not None), None)
    if conflict is not None and len(cases) > 1:
        conflict = replace(conflict, is_exact=False)
    elif conflict is not None:
        conflict = _certain(conflict, level, solver)
    if conflict is None or conflict.is_exact or is_in_chunks or not are_apart(source, sink, level, solver):
        return conflict
    return None


def _plain_conflict(source: Reference, sink: Reference, level: int, solver: ConflictSolver) -> Conflict | None:
    """Conflict of plain subscripts, digit by digit where they are sums of products."""
    split = in_mixed_radix(source, sink, level, solver)
    if split is None:
        return solver.conflict(source, sink, level)
    conflict = solver.conflict(split.source, split.sink, level)
    if conflict is not None and not conflict.is_exact and are_apart(split.source, split.sink, level, solver):
        conflict = None
    if conflict is None:
        loop = source.place.loops[level].id
        solver.taken_positive |= {(loop, source.variable, modulus) for modulus in split.positive}
    elif split.positive:
        conflict = replace(conflict, is_exact=False)
    return conflict


def _certain(conflict: Conflict, level: int, solver: ConflictSolver) -> Conflict:
    """The conflict, or one that is exact whatever sizes the iterators are multiplied by."""
    pair = None if conflict.is_exact else by_strides(conflict.source, conflict.sink, level)
    found = None if pair is None else solver.conflict(*pair, level)
    return conflict if found is None or not found.is_exact else found


def _only_by_strides(conflicts: list[Conflict], level: int, solver: ConflictSolver) -> bool:
    """Whether no two iterations meet but for the sizes that iterators are multiplied by."""
    pairs = [by_strides(c.source, c.sink, level) for c in conflicts]
    try:
        return all(pair is not None and solver.conflict(*pair, level) is None for pair in pairs)
    except TooComplexError:
        return False


def _as_reductions(
    name: str, meeting: list[tuple[Reference, Reference]], folds: tuple[Accumulation, ...]
) -> tuple[Reduction, ...]:
    """The reductions that all references which meet are part of, if each meets none of another one.

    `s->low` and `s->high` may be one object's minimum and maximum.
    """
    fold_of = {member: fold for fold in folds if fold.variable == name for member in fold.members}
    first: dict[ReductionOperator, Accumulation] = {}
    for pair in meeting:
        one, other = (fold_of.get(reference.id) for reference in pair)
        if one is None or other is None or _kind_of(one) != _kind_of(other):
            return ()
        for fold in (one, other):
            known = first.setdefault(fold.operator, fold)
            if _kind_of(known) != _kind_of(fold):
                return ()
            first[fold.operator] = min(known, fold, key=lambda each: each.statement)
    ordered = sorted(first.values(), key=lambda fold: fold.statement)
    return tuple(Reduction(name, f.operator, f.statement, f.is_array_element, f.ties) for f in ordered)


def _kind_of(fold: Accumulation) -> tuple[object, ...]:
    return fold.operator, fold.ties, fold.partners


def with_partners(findings: list[Finding], folds: tuple[Accumulation, ...]) -> list[Finding]:
    """An extreme and its place are reductions together or not at all."""
    kinds = {finding.variable: finding.kind for finding in findings}
    partners = {fold.statement: fold.partners for fold in folds}
    result = []
    for finding in findings:
        missing = [
            name
            for reduction in finding.reductions
            for name in sorted(partners.get(reduction.statement, ()))
            if kinds.get(name) != "reduction"
        ]
        if missing:
            reason = f"`{missing[0]}`, which is set together with `{finding.variable}`, has other uses in the loop"
            blockers = tuple(reduction.statement for reduction in finding.reductions)
            result.append(Finding(finding.variable, "unknown", reason=reason, blockers=blockers))
        else:
            result.append(finding)
    return result


def every_conflict(group: list[Reference], solver: ConflictSolver, level: int) -> list[Conflict] | None:
    """All conflicts of one variable carried by a loop, None where there are too many pairs to ask about."""
    distinct = _distinct(group, {})
    if len(distinct) > _MOST_COMPARED:
        return None
    pairs = [(one, other) for one in distinct for other in distinct if one.is_write or other.is_write]
    try:
        found = [solver.conflict(one, other, level) for one, other in pairs if not solver.never_meet(one, other, level)]
    except TooComplexError:
        return None
    return [conflict for conflict in found if conflict is not None]


def exact_conflicts(group: list[Reference], solver: ConflictSolver, level: int) -> list[Conflict]:
    """Conflicts of one variable that are there whatever the data is, a few of them; empty where that is too much."""
    distinct = _distinct(group, {})
    if len(distinct) > _MOST_REFERENCES:
        return []
    try:
        pairs = [
            (first, second)
            for first, second in (*((r, r) for r in distinct), *combinations(distinct, 2))
            if (first.is_write or second.is_write) and not solver.never_meet(first, second, level)
        ]
        return [conflict for conflict in _conflicts(pairs, set(), solver, level) if conflict.is_exact]
    except TooComplexError:
        return []


def _dependence(conflict: Conflict, level: int) -> Dependence:
    source, sink = conflict.source, conflict.sink
    return Dependence(
        kind="output" if source.is_write and sink.is_write else "flow" if source.is_write else "anti",
        variable=source.variable,
        source=source.id,
        sink=sink.id,
        carrier=conflict.loops[level],
        loops=conflict.loops,
        directions=conflict.directions,
        distances=conflict.distances,
        exact=conflict.is_exact,
    )


def _reason(variable: str, conflicts: list[Conflict], level: int) -> str:
    name = c_name(variable)
    meeting = [r for c in conflicts for r in (c.source, c.sink)]
    for reference in meeting:
        is_gathered = any(isinstance(definition, Lookup) for definition in reference.definitions)
        if reference.access is not None and (None in reference.positions or is_gathered):
            return f"`{reference.access.written}` may name the same element twice"
    for conflict in conflicts:
        if conflict.only_for:
            names = ", ".join(dict.fromkeys(f"`{as_written(n)}`" for n in conflict.only_for))
            return f"whether two iterations meet in `{name}` depends on {names}"
    for reference in meeting:
        looked_up = {d.name for d in reference.lookups}
        for loop in reference.place.loops[level + 1 :]:
            bounds = (*loop.limits, *(() if loop.start is None else (loop.start,)))
            if not has_exact_bounds(loop) or any(not looked_up.isdisjoint(bound.symbols) for bound in bounds):
                return f"which elements of `{name}` the loop over `{c_name(loop.iterator)}` touches depends on data"
    for reference in meeting:
        if reference.access is not None and is_curved(reference, level):
            return f"`{reference.access.written}` multiplies iterators: whether two iterations meet in it was not found"
    return f"`{name}` may be carried: data decides whether its statements run"


def _ids(conflicts: list[Conflict]) -> tuple[NodeId, ...]:
    return tuple(dict.fromkeys(r.id for c in conflicts for r in (c.source, c.sink)))
