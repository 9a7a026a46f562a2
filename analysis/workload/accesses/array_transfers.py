"""What a cold run moves between host and device, per array."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from warplens.analysis.facts.nest_facts import ArrayTransfer
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.formula import ONE, ZERO, Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import ArrayObject, LoopNest
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.symbol import elements_of
from warplens.analysis.workload.accesses.bounded_values import at_ends
from warplens.analysis.workload.accesses.dense_writes import are_dense, fills, lies_in
from warplens.analysis.workload.accesses.footprint import subscripts_of_elements, touched_bytes
from warplens.analysis.workload.accesses.known_part import ChangedValues, changed_values, iterators_behind
from warplens.analysis.workload.accesses.pieces import in_pieces
from warplens.analysis.workload.accesses.sites import AccessSite, access_sites
from warplens.analysis.workload.loops.derived_symbols import derived_formulas

_MOST_WRITES = 64
"""Writes of an array with which its later reads are compared; what others wrote counts as copied in."""


@dataclass(frozen=True, slots=True)
class Footprints:
    """Transfers per array in the nest's order, bytes touched in all, and what had to be assumed."""

    transfers: tuple[ArrayTransfer, ...]
    total_bytes: Formula
    assumptions: tuple[Assumption, ...]


def footprints(
    nest: LoopNest, trip_counts: Mapping[NodeId, Formula], circulating: Sequence[Collection[str]] = ()
) -> Footprints:
    """Bytes copied in (read before written, or written in part) and out (written), per array: hulls of index ranges.

    A read is not copied in when an earlier unconditional write of the same element in the same iteration, or of a box
    that covers the read's box in an earlier loop, precedes it. An array that is only written is copied in unless its
    writes fill their box. Arrays declared in the body are not moved. Of objects that pointers hand round
    (`circulating`, circulating_pointers.py) each is written when one is.

    Assumes: loops run at least once. Where the range of a polynomial subscript is not known (a loop with bounds from
    data), as many elements as iterations of the loops that lead it there. An array with other subscripts is taken
    whole: as far as other accesses reach; where none does, its size is the parameter `elements of <array>`.
    Not modelled: reductions into scalars, which nest_offload.py adds.
    """
    derived = derived_formulas(nest)
    by_array: dict[str, list[AccessSite]] = {}
    all_sites = access_sites(nest)
    changed = changed_values(all_sites)
    for site in all_sites:
        by_array.setdefault(site.access.array, []).append(site)
    transfers: list[ArrayTransfer] = []
    assumptions: list[Assumption] = []
    total = ZERO
    for array in nest.arrays:
        sites = by_array.get(array.name, [])
        if not sites or array.scope == "body":
            continue
        sizer = _Sizer(array, derived, trip_counts, nest, changed, sites, assumptions)
        total = total + sizer.bytes(sites)
        writes = [site for site in sites if site.is_write]
        incoming = _uncovered(sites)
        if writes and not fills(writes):
            incoming = [*incoming, *writes]
        transfers.append(ArrayTransfer(array.name, sizer.bytes(incoming), sizer.bytes(writes)))
    return Footprints(tuple(_written_in_turn(transfers, circulating)), total, tuple(assumptions))


def _written_in_turn(
    transfers: Sequence[ArrayTransfer], circulating: Sequence[Collection[str]]
) -> Iterator[ArrayTransfer]:
    for transfer in transfers:
        together = next((group for group in circulating if transfer.array in group), ())
        out_bytes = transfer.out_bytes
        for other in transfers:
            out_bytes = out_bytes.at_least(other.out_bytes) if other.array in together else out_bytes
        yield replace(transfer, out_bytes=out_bytes)


class _Sizer:
    """Bytes of hulls of one array."""

    def __init__(
        self,
        array: ArrayObject,
        derived: Mapping[str, Formula],
        trip_counts: Mapping[NodeId, Formula],
        nest: LoopNest,
        changed: ChangedValues,
        sites: Sequence[AccessSite],
        assumptions: list[Assumption],
    ) -> None:
        self._trip_counts = trip_counts
        self._changed = changed
        self._sites = sites
        self._known: dict[tuple[NodeId, ...], Formula] = {}
        self._array = array
        self._derived = dict(derived)
        self._constants = frozenset((*nest.parameters, *(d.name for d in nest.derived)))
        self._assumptions = assumptions
        self._unknown: Formula | None = None
        self._name = elements_of(array.name)

    def bytes(self, sites: Sequence[AccessSite]) -> Formula:
        if not sites:
            return ZERO
        key = tuple(site.access.id for site in sites)
        if key not in self._known:
            size = self._reached(sites)
            self._known[key] = (self._iterations(sites) or self._whole()) if size is None else size
        return self._known[key]

    def _reached(self, sites: Sequence[AccessSite]) -> Formula | None:
        """Bytes of what subscripts reach that are affine, so in pieces, or in a range of their own."""
        reached: list[AccessSite] = []
        for site in sites:
            pieces = in_pieces(site, self._constants, self._changed, self._derived)
            reached += pieces or at_ends(site, self._constants) or (site,)
        return touched_bytes(reached, self._array.element_bytes, self._derived)

    def _iterations(self, sites: Sequence[AccessSite]) -> Formula | None:
        """Bytes of as many elements as the loops have iterations that lead the accesses; None for unknown subscripts.

        Those are no polynomials: they may reach any element.
        """
        most = ZERO
        for site in sites:
            indices = site.access.indices[: subscripts_of_elements(site.access, self._array.element_bytes)]
            if None in indices:
                return None
            moving = iterators_behind(indices, site.loops, self._changed)
            times = ONE
            for loop in site.loops:
                if loop.iterator in moving:
                    times = times * self._trip_counts.get(loop.id, ONE)
            most = times if most == ZERO else most.at_least(times)
        return most * self._array.element_bytes

    def _whole(self) -> Formula:
        """Bytes of an array of which data decides what is touched."""
        if self._unknown is None:
            self._unknown = self._as_others_reach() or self._as_the_user_says()
        return self._unknown

    def _as_others_reach(self) -> Formula | None:
        known = [site for site in self._sites if self._runs_along(site)]
        size = self._reached(known) if known else None
        if size is None:
            return None
        name = c_name(self._array.name)
        text = (
            f"Which elements of `{name}` are touched depends on data, and its extent is not known: "
            f"they are taken to be among those that `{known[0].access.written}` reaches."
        )
        self._assumptions.append(Assumption("bounds", name, text))
        return size

    def _runs_along(self, site: AccessSite) -> bool:
        """Whether all subscripts are known and a loop leads them on: one element says nothing of the array."""
        iterators = {loop.iterator for loop in site.loops}
        return None not in site.access.indices and any(
            index is not None and not iterators.isdisjoint(index.symbols) for index in site.access.indices
        )

    def _as_the_user_says(self) -> Formula:
        name = c_name(self._array.name)
        text = (
            f"Which elements of `{name}` are touched depends on data, and its extent is not known: "
            f"say `// warplens: {self._name} = …` above the loop. "
            f"That is for predictions: ports need its number of elements in its declaration, as in `{name}[n]`."
        )
        self._assumptions.append(Assumption("size", self._name, text))
        return Formula.parameter(self._name) * self._array.element_bytes


def _uncovered(sites: Sequence[AccessSite]) -> list[AccessSite]:
    """Reads of one array whose element has not certainly been written in the nest, as far as it is looked for."""
    found: list[AccessSite] = []
    before: list[AccessSite] = []
    for site in sites:
        if site.is_read and not any(
            write.access.member == site.access.member and (_same_iteration(write, site) or _earlier_loop(write, site))
            for write in before[:_MOST_WRITES]
        ):
            found.append(site)
        if site.is_write and not site.is_conditional:
            before.append(site)
    return found


def _same_iteration(write: AccessSite, read: AccessSite) -> bool:
    around = len(write.loops)
    return (
        None not in write.access.indices
        and write.access.indices == read.access.indices
        and write.loops == read.loops[:around]
        and write.statement != read.statement
    )


def _earlier_loop(write: AccessSite, read: AccessSite) -> bool:
    """A dense write in a loop that ended before, whose box holds the read's box for equal outer iterators."""
    common = 0
    for a, b in zip(write.loops, read.loops, strict=False):
        if a is not b and a.id != b.id:
            break
        common += 1
    inner_write, inner_read = write.loops[common:], read.loops[common:]
    if not inner_write or not are_dense(write.access.indices, inner_write):
        return False
    return lies_in(read.access, inner_read, write.access, inner_write)
