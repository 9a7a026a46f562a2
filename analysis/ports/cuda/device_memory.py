"""What of each array lives on the device: the elements that the nest touches, and which of them are copied when."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from warplens.analysis.advice.naming import access_text
from warplens.analysis.dependence.subscripts.affine_condition import Conjunction
from warplens.analysis.dependence.subscripts.iteration_domain import Reference, assigned_scalars
from warplens.analysis.dependence.subscripts.nest_references import references
from warplens.analysis.dependence.subscripts.quasi_affine import Choice, Definition
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.ir.expression import row_major
from warplens.analysis.ir.formula import ZERO
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import ArrayObject, Loop, LoopNest, loops_of, walk_statements
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import Scalar
from warplens.analysis.ports.cuda.followed_conditions import NestConditions, granted_guards
from warplens.analysis.ports.cuda.host_scans import HostScan, HostScans, ScannedIndex, plain_index
from warplens.analysis.ports.cuda.plan import PortRefusedError
from warplens.analysis.ports.sections.hull import Hull, Touched, hull_of, is_implied, whole
from warplens.analysis.ports.sections.iterations import iteration_conditions, loops_around
from warplens.analysis.ports.sections.rounded_range import Place, range_of_rounded
from warplens.analysis.ports.sections.touched_range import (
    HostValues,
    NeverTouchedError,
    RangeUnknownError,
    TouchedRange,
)
from warplens.analysis.workload.accesses.dense_writes import are_dense
from warplens.analysis.workload.loops.ranges import polynomial_bounds

Conditions = frozenset[Polynomial]

_MOST_WAYS = 256
"""Ways that the choices in one subscript may go: each more of them doubles how many there are."""


@dataclass(frozen=True, slots=True)
class DeviceArray:
    """An array on the device. `touched` are the elements that it has there, `written` those that are copied back.

    Where data decides whether an end is touched (`is_guarded`), that the array reaches there is taken for granted.
    """

    array: ArrayObject
    touched: Hull
    written: Hull | None
    is_copied_in: bool
    is_read: bool


@dataclass(frozen=True, slots=True)
class DeviceMemory:
    """All arrays in the nest's order. `conditions` (each >= 0) are those without which the nest does nothing.

    `needed_by_kernel` are those without which a kernel (by its root) has no iteration, of kernels whose grid is the
    same whenever it is launched. `values` are numbers that the ranges need besides the symbols of the nest.
    """

    arrays: tuple[DeviceArray, ...]
    conditions: tuple[Polynomial, ...]
    values: HostValues
    needed_by_kernel: tuple[tuple[NodeId, Conditions], ...] = ()
    scans: tuple[HostScan, ...] = ()


def known_symbols(nest: LoopNest) -> frozenset[str]:
    """Symbols whose value the host has before the nest runs: sizes that only conditions have too."""
    changed = set(assigned_scalars((nest.root,)))
    for loop in loops_of(nest):
        changed |= {loop.iterator, *(one.name for one in loop.inductions)}
    sizes = {
        scalar.name
        for scalar in nest.scalars
        if scalar.scope != "body" and not scalar.is_unset and isinstance(scalar.type, Scalar)
        and scalar.type.kind == "int" and scalar.name not in changed
    }  # fmt: skip
    return frozenset(nest.parameters) | {derived.name for derived in nest.derived} | sizes


def device_memory(facts: NestFacts, *, has_results: bool, mapped: NestFacts | None = None) -> DeviceMemory:
    """What the kernels need of each array. `has_results`: the host changes scalars that are read after the nest.

    The kernels of a mapping are those of `mapped`: they may run statements that are the host's in the source's order.
    Raises PortRefusedError where it is not known which elements that are.
    """
    nest = facts.nest
    known, values = known_symbols(nest), HostValues()
    loops = {loop.id: loop for loop in loops_of(nest)}
    inside = {s.id for kernel in facts.kernels for s in walk_statements((loops[kernel.root],))}
    more = frozenset[NodeId]() if mapped is None else _more_statements(facts, mapped, inside)
    inside |= more
    granted = _granted(nest)
    run = mapped if mapped is not None and more else facts
    conditions = _conditions(nest, run, known, granted, values, has_results=has_results)
    ranges = _Ranges(nest, known, values, granted | conditions)
    arrays: list[DeviceArray] = []
    by_array: dict[str, list[Reference]] = {}
    for reference in references(nest):
        if reference.access is not None and reference.statement in inside:
            by_array.setdefault(reference.variable, []).append(reference)
    for array in nest.arrays:
        found = by_array.get(array.name, [])
        if not found or _is_private(run, array) or array.declared_in in inside:
            continue
        touched = ranges.hull(array, found)
        writes = [reference for reference in found if reference.is_write]
        is_scratch = array.name in nest.scratch & nest.work or array.scope == "body"
        copied_in = not is_scratch and not (writes and not more and _is_filled(facts, array, touched, found, known))
        written = _written(ranges, array, writes, touched) if writes and not is_scratch else None
        arrays.append(DeviceArray(array, touched, written, copied_in, len(writes) < len(found)))
    steady = ((kernel.root, _steady(nest, kernel, known)) for kernel in facts.kernels)
    needed = tuple((root, grid) for root, grid in steady if grid is not None)
    return DeviceMemory(tuple(arrays), tuple(sorted(conditions, key=str)), values, needed, ranges.scans.all)


def _more_statements(facts: NestFacts, mapped: NestFacts, inside: Collection[NodeId]) -> frozenset[NodeId]:
    """Statements of the nest that only the mapping's kernels run: all that its host does not, whatever became of them.

    Of `w = a[i][j]; for (k) w -= ...; a[i][j] = w;` in steps one statement is left, which is another.
    """
    own = {one.id for one in walk_statements((facts.nest.root,)) if not isinstance(one, Loop)}
    roots = [loop for loop in loops_of(mapped.nest) if any(kernel.root == loop.id for kernel in mapped.kernels)]
    run = {one.id for one in walk_statements(tuple(roots))}
    on_host = {one.id for one in walk_statements((mapped.nest.root,))} - run
    return frozenset(own - on_host - {*inside})


def _written(ranges: _Ranges, array: ArrayObject, writes: Sequence[Reference], touched: Hull) -> Hull:
    """What is copied back: the elements that are certainly written, else all that the device has.

    Where data decides what is written, the range may hold more than the device got: its elements would be garbage.
    """
    written = ranges.hull(array, writes)
    return written if written.is_exact and not written.is_guarded and written != whole(array, ranges.known) else touched


def _steady(nest: LoopNest, kernel: Kernel, known: frozenset[str]) -> Conditions | None:
    """What makes sure that the grid has iterations, None where that changes from launch to launch."""
    grid = {loop.loop for loop in kernel.grid}
    loops = [loop for loop in loops_of(nest) if loop.id in grid]
    conditions: list[Polynomial] = []
    for loop in loops:
        if loop.start is None or not loop.limits or loop.bound_reads:
            return None
        sign = 1 if loop.step > 0 else -1
        conditions += [(limit - loop.start) * sign - 1 for limit in loop.limits]
    return frozenset(conditions) if all(c.symbols <= known for c in conditions) else None


def _is_private(facts: NestFacts, array: ArrayObject) -> bool:
    """Whether each thread has a copy of its own."""
    return all(
        array.name in kernel.private
        for kernel in facts.kernels
        if any(access.access.array == array.name for access in kernel.accesses)
    )


def _granted(nest: LoopNest) -> Conditions:
    """What holds whenever the nest runs: guards before it, and what a quotient is in its dividend."""
    return frozenset(value for guard in granted_guards(nest) if len(guard) == 1 for value in guard[0])


def _conditions(
    nest: LoopNest,
    facts: NestFacts,
    known: frozenset[str],
    granted: Conditions,
    values: HostValues,
    *,
    has_results: bool,
) -> Conditions:
    """Without these no kernel of the facts has an iteration (or the nest none, where the host leaves results)."""
    found = iteration_conditions((nest.root,), known, values)
    if not has_results:
        kernels = [
            iteration_conditions(
                loops_around(facts.nest, kernel.root, (loop.loop for loop in kernel.grid)), known, values
            )
            for kernel in facts.kernels
        ]
        if kernels:
            found |= frozenset.intersection(*kernels)
    needed = sorted(found, key=str)
    for condition in tuple(needed):
        if is_implied(condition, (*granted, *(other for other in needed if other != condition))):
            needed.remove(condition)
    return frozenset(needed)


class _Ranges:
    """Ranges of references, each worked out once."""

    def __init__(self, nest: LoopNest, known: frozenset[str], values: HostValues, granted: Conditions) -> None:
        self._nest = nest
        self.known = known
        self._values = values
        self._granted = granted
        self._conditions = NestConditions(nest, known)
        self.scans = HostScans(nest, known, values)

    def hull(self, array: ArrayObject, found: Sequence[Reference]) -> Hull:
        """Elements of the array from the first to the last that references touch."""
        everything = whole(array, self.known)
        reason = ""
        touched: list[TouchedRange] = []
        for reference in found:
            try:
                touched += self._ranges(array, reference, scans=everything is None)
            except RangeUnknownError as error:
                reason = reason or self._unknown(reference, error.iterator)
        hull = hull_of(touched, self._granted)
        if not reason and hull is None:
            return Hull((), (), True)
        if not reason and hull is not None and hull.is_exact:
            if not hull.is_guarded:
                return hull
            if everything is not None:
                return hull if self._is_inside(hull, everything) else everything
            if any(self._may_be_negative(first) for first in hull.firsts):
                raise PortRefusedError(f"whether `{c_name(array.name)}` is used below its start is decided by data")
            return hull
        if everything is not None:
            return everything
        lossy = (one.access for one in found if one.access is not None and self._conditions.of(one).is_lossy)
        access = next(lossy, None)
        if not reason and access is not None:
            text = access_text(self._nest, access)
            reason = f"how far `{text}` reaches depends on a condition that is not followed{_hint(array)}"
        name = c_name(array.name)
        raise PortRefusedError(reason or f"which elements of `{name}` are used is not known from the loops' bounds")

    def _is_inside(self, hull: Hull, everything: Hull) -> bool:
        """Whether an array certainly has all that data may lead to."""
        return all(
            is_implied(distance, (*self._granted, *end.conditions))
            for ends, wholes, sign in ((hull.firsts, everything.firsts, 1), (hull.ends, everything.ends, -1))
            for end in ends
            for distance in [(end.value - wholes[0].value) * sign]
        )

    def _may_be_negative(self, first: Touched) -> bool:
        """Whether something is taken away from the first element's number that may be more than there is."""
        is_less = -1 in first.value.signs
        return is_less and not is_implied(first.value, (*self._granted, *first.conditions))

    def _ranges(self, array: ArrayObject, reference: Reference, *, scans: bool) -> Iterator[TouchedRange]:
        """One range for each way that the conditions and the subscripts' own choices (`i > 0 ? i - 1 : 0`) may go.

        With `scans` the host looks for what data decides, of what no condition stands around: a declaration that says
        how long the array is is simpler.
        """
        followed = self._conditions.of(reference)
        scans = scans and not followed.by_data and not followed.is_lossy and followed.ways == ((),)
        loops = self.scans.bounded(reference.place.loops) if scans else reference.place.loops
        choices = [definition for definition in reference.definitions if isinstance(definition, Choice)]
        index = self._index(array, reference)
        ways = [(index, [conjunction]) for conjunction in followed.ways]
        for choice in reversed(choices):
            ways = [way for index, said in ways for way in _ways(index, said, choice)]
            if len(ways) > _MOST_WAYS:
                raise RangeUnknownError("")
        for index, said in ways:
            scanned = self.scans.of_index(index, reference) if scans else plain_index(index)
            here = Place(loops, said, self._granted, self.known | self.scans.symbols, self._values)
            try:
                touched = _between(scanned, reference.definitions, here)
            except NeverTouchedError:
                continue
            needed = frozenset(c for c in touched.conditions if not is_implied(c, self._granted))
            is_exact = touched.is_exact and not (followed.is_lossy or touched.is_guarded)
            yield replace(touched, conditions=needed, is_exact=is_exact, is_guarded=followed.by_data)

    def _index(self, array: ArrayObject, reference: Reference) -> Polynomial:
        """Number of the element from the array's start, dimensions of a member left out."""
        access = reference.access
        if access is None:
            raise RangeUnknownError("")
        count = len(array.extents) if access.element_bytes != array.element_bytes else len(access.indices)
        if access.element_bytes != array.element_bytes and not access.member:
            raise PortRefusedError(f"`{access_text(self._nest, access)}` reads `{c_name(array.name)}` as another type")
        index = row_major(reference.positions[:count], access.extents[:count])
        if index is None:
            raise RangeUnknownError("")
        return index

    def _unknown(self, reference: Reference, iterator: str) -> str:
        assert reference.access is not None
        text = access_text(self._nest, reference.access)
        if iterator in {loop.iterator for loop in reference.place.loops}:
            return f"how far `{text}` reaches is not known from the bounds of `{c_name(iterator)}`"
        return f"how far `{text}` reaches is decided at run time"


def _between(index: ScannedIndex, definitions: Sequence[Definition], place: Place) -> TouchedRange:
    """From the least to the largest; raises as `range_of_rounded`."""
    first = range_of_rounded(index.low, definitions, place)
    if index.low == index.high:
        return first
    last = range_of_rounded(index.high, definitions, place)
    conditions = first.conditions | last.conditions | index.conditions
    is_exact = first.is_exact and last.is_exact and index.is_exact
    return TouchedRange(first.firsts, last.lasts, conditions, is_exact, first.is_guarded or last.is_guarded)


def _hint(array: ArrayObject) -> str:
    """What the user can do of a parameter whose declaration does not say how long the array is."""
    if array.scope != "parameter":
        return ""
    name = c_name(array.name)
    return f": declare how long `{name}` is, `{name}[n]` in place of `*{name}`"


def _ways(index: Polynomial, said: list[Conjunction], choice: Choice) -> Iterator[tuple[Polynomial, list[Conjunction]]]:
    """The index with either side of a choice, and what is said there."""
    if choice.name not in index.symbols:
        yield index, said
        return
    for value, condition in ((choice.then, choice.condition), (choice.otherwise, choice.negated)):
        for conjunction in condition:
            yield index.substitute({choice.name: value}), [*said, conjunction]


def _is_filled(
    facts: NestFacts, array: ArrayObject, touched: Hull, found: Sequence[Reference], known: frozenset[str]
) -> bool:
    """Whether the nest certainly writes every element of the range before it reads it.

    What is copied in by the model takes it that loops run: of an array that is read no write may rest on that.
    """
    writes = [reference for reference in found if reference.is_write]
    if len(writes) < len(found) and not all(_surely_done(write, facts.nest) for write in writes):
        return False
    transfer = next((t for t in facts.transfers if t.array == array.name), None)
    if transfer is None or transfer.in_bytes != ZERO or len(touched.firsts) != 1 or len(touched.ends) != 1:
        return False
    return any(_fills(array, write, touched, known, facts.nest) for write in writes)


def _fills(array: ArrayObject, write: Reference, touched: Hull, known: frozenset[str], nest: LoopNest) -> bool:
    """Whether one write runs through all elements of the range, one after the other in some order."""
    access, loops = write.access, write.place.loops
    if access is None or access.member or write.place.uncertain_depth or None in write.indices:
        return False
    if len(access.indices) != len(access.extents) or access.element_bytes != array.element_bytes:
        return False
    if not granted_guards(nest).issuperset(write.place.guards):
        return False
    if not are_dense(write.indices, loops):
        return False
    for at, index in enumerate(write.indices):
        ends = None if index is None else polynomial_bounds(index, loops)
        if index is None or ends is None or not (ends[0].symbols | ends[1].symbols) <= known:
            return False
        low, high = ends
        if at and (low.terms or high + 1 != access.extents[at]):
            return False
        if not at:
            row = _product(access.extents[1:])
            if row is None or low * row != touched.firsts[0].value or (high + 1) * row != touched.ends[0].value:
                return False
    return _surely_done(write, nest)


def _surely_done(write: Reference, nest: LoopNest) -> bool:
    """Whether the loops that do not move a write's element have iterations whenever the nest has."""
    moved = frozenset[str]().union(*(index.symbols for index in write.indices if index is not None))
    others = (loop for loop in write.place.loops if loop.iterator not in moved and loop.id != nest.root.id)
    return all(_certainly_runs(loop) for loop in others)


def _product(extents: Iterable[Polynomial | None]) -> Polynomial | None:
    product = Polynomial.constant(1)
    for extent in extents:
        if extent is None:
            return None
        product = product * extent
    return product


def _certainly_runs(loop: Loop) -> bool:
    if len(loop.limits) != 1 or loop.start is None:
        return False
    distance = loop.limits[0] - loop.start
    return distance.is_constant and distance.constant_term * loop.step > 0
