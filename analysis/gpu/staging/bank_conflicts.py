"""Bank conflicts of accesses to boxes in shared memory, for launches as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.facts.nest_facts import AccessFacts
from warplens.analysis.gpu.launch.distinct_rows import Integers, distinct_rows
from warplens.analysis.gpu.launch.launches import Column, take_rows
from warplens.analysis.gpu.machine.gpu import SharedMemory
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.placement.tiles import Tiles
from warplens.analysis.gpu.placement.walk import requested_bytes
from warplens.analysis.gpu.placement.warp_lanes import Lanes
from warplens.analysis.gpu.requests.coalescing import evaluate_lanes
from warplens.analysis.gpu.staging.wide_reads import merged_sizes

_FAR = 2**40
"""Pitches beyond, in bytes, belong to boxes that fit no shared memory."""


@dataclass(frozen=True, slots=True, eq=False)
class StagedBox:
    """Accesses to one array and the box of it that they find in shared memory, row-major.

    Shape: `widths` (tiles, dimensions) elements, `pads` (tiles,) elements that follow each row. `degrees` are the
    conflict degrees of the accesses (tiles,) where each is a request of its own, none where nobody has counted them.
    """

    accesses: tuple[AccessFacts, ...]
    widths: NDArray[np.float64]
    pads: Integers
    element_bytes: int
    degrees: tuple[Column, ...] = ()

    @staticmethod
    def unpadded(accesses: tuple[AccessFacts, ...], widths: NDArray[np.float64], element_bytes: int) -> StagedBox:
        """A box whose rows follow each other."""
        return StagedBox(accesses, widths, np.zeros(len(widths), dtype=np.int64), element_bytes)

    @property
    def padded_widths(self) -> NDArray[np.float64]:
        """Elements in each dimension, the padding of the innermost one included."""
        widths = self.widths.copy()
        widths[:, -1] += self.pads
        return widths

    @property
    def pitches(self) -> NDArray[np.float64]:
        """Elements from one place to the next in each dimension."""
        widths = self.padded_widths
        pitches = np.ones_like(widths)
        pitches[:, :-1] = np.cumprod(widths[:, :0:-1], axis=1)[:, ::-1]
        return pitches

    def take(self, tiles: Integers) -> StagedBox:
        """Return the box in some of the tiles, in that order."""
        degrees = tuple(degree[tiles] for degree in self.degrees)
        return replace(self, widths=take_rows(self.widths, tiles), pads=self.pads[tiles], degrees=degrees)

    def padded_by(self, pads: Integers, degrees: tuple[Column, ...] = ()) -> StagedBox:
        """Return the same elements with other pads."""
        return replace(self, pads=pads, degrees=degrees)


@dataclass(frozen=True, slots=True, eq=False)
class Passes:
    """Passes over the banks that a request takes: of the worst warp, and of all different warps. Shape: (tiles,)."""

    worst: Column
    total: Column


def conflict_degrees(box: StagedBox, sized: SizedKernel, tiles: Tiles, shared: SharedMemory) -> list[Column]:
    """Conflict degree per tile of each access to a box; the compiler makes wide reads of neighbouring ones."""
    if not box.degrees:
        return [each.worst for each in passes_of(box, sized, tiles, shared, merges=True)]
    wide = tuple(facts for facts in box.accesses if merged_sizes(facts, sized.kernel))
    of_wide = iter(passes_of(replace(box, accesses=wide), sized, tiles, shared, merges=True))
    alone = zip(box.accesses, box.degrees, strict=True)
    return [next(of_wide).worst if facts in wide else degree for facts, degree in alone]


def passes_of(box: StagedBox, sized: SizedKernel, tiles: Tiles, shared: SharedMemory, *, merges: bool) -> list[Passes]:
    """Passes of each access to a box; `merges` has the compiler make wide reads of neighbouring ones."""
    values = tiles.rows.values(sized)
    found: dict[tuple[object, ...], Passes] = {}
    passes: list[Passes] = []
    for facts in box.accesses:
        # What no lane moves shifts all lanes alike: the points of a stencil have one pattern.
        moving = tuple(None if i is None else i - i.without(frozenset(values)) for i in facts.address.indices)
        merged = merged_sizes(facts, sized.kernel) if merges else ()
        pattern = (moving, facts.access.member_offset_bytes, requested_bytes(facts), merged)
        if pattern not in found:
            found[pattern] = _passes(facts, merged, box, values, tiles, sized.sizes, shared)
        passes.append(found[pattern])
    return passes


def _passes(
    facts: AccessFacts,
    merged: Sequence[int],
    box: StagedBox,
    values: Mapping[str, Lanes],
    tiles: Tiles,
    sizes: Mapping[str, int],
    shared: SharedMemory,
) -> Passes:
    rows, between = tiles.rows, box.pitches
    indices: list[Lanes] = []
    pitches: list[Integers] = []
    for dimension, index in enumerate(facts.address.indices):
        if index is not None:
            lanes = evaluate_lanes(index, values, sizes, rows.active.shape)
            least = np.minimum.reduceat(lanes.min(axis=1), rows.first_row)
            from_least = lanes - least[rows.shape_of_row, None]
            reach = np.maximum.reduceat(from_least.max(axis=1), rows.first_row)
            # Where the lanes of a shape are alike in a dimension its pitch does not matter.
            moved = reach[tiles.shape_of_tile] > 0
            indices.append(from_least)
            pitch = np.minimum(between[:, dimension] * box.element_bytes, _FAR)
            pitches.append(np.where(moved, pitch, 0.0).astype(np.int64))
    first, which = distinct_rows([tiles.shape_of_tile, *pitches])
    shapes = tiles.shape_of_tile[first]
    number = np.bincount(rows.shape_of_row, minlength=len(rows.first_row))[shapes]
    of_row = np.repeat(np.arange(len(first)), number)
    row = np.arange(len(of_row)) - np.repeat(np.cumsum(number) - number, number) + rows.first_row[shapes][of_row]
    addresses = np.full((len(row), rows.active.shape[1]), facts.access.member_offset_bytes)
    for lanes, of_tile in zip(indices, pitches, strict=True):
        addresses = addresses + lanes[row] * of_tile[first][of_row, None]
    active, first_row = rows.active[row], np.cumsum(number) - number
    at_once = np.full(len(first), requested_bytes(facts))
    for wide in merged:
        is_aligned = ((addresses % wide == 0) | ~active).all(axis=1)
        at_once[np.logical_and.reduceat(is_aligned, first_row)] = wide
    degree = np.empty(len(row))
    for size_bytes in (requested_bytes(facts), *merged):
        these = at_once[of_row] == size_bytes
        if these.any():
            degree[these] = row_conflict_degrees(addresses[these], active[these], size_bytes, shared)
    worst: Column = np.maximum.reduceat(degree, first_row)
    total: Column = np.add.reduceat(degree, first_row)
    return Passes(worst[which], total[which])


def row_conflict_degrees(
    addresses_bytes: Lanes, active: NDArray[np.bool_], element_bytes: int, shared: SharedMemory
) -> Integers:
    """Largest number of different words that one bank must deliver for the active lanes of each row; at least 1.

    The bank is (address / bank width) mod banks; threads that read one word share it (broadcast). A pass moves at most
    one word per bank, so with 4-byte banks 8-byte elements run as two half-warps and 16-byte ones as four quarters; the
    degree is the worst of them.
    Shape: (rows, lanes) to (rows,). Units: byte addresses, in lane order.
    Source: Resios ch. 6 (listing 3.3: a stride of s words gives gcd(32, s) words in a bank); CUDA C++ Programming
    Guide, compute capability 5.x, Shared Memory.

    >>> lanes = np.arange(32, dtype=np.int64)[None, :]
    >>> row_conflict_degrees(lanes * 8, lanes >= 0, 4, SharedMemory(32, 4, 23.0, 128.0))
    array([2])
    """
    rows, lanes = addresses_bytes.shape
    if not active.all():
        # Passes are filled with active lanes.
        order = np.argsort(~active, axis=1, kind="stable")
        addresses_bytes = np.take_along_axis(addresses_bytes, order, axis=1)
        active = np.take_along_axis(active, order, axis=1)
    per_pass = min(lanes, max(1, shared.banks * shared.bank_width_bytes // element_bytes))
    missing = -lanes % per_pass
    if missing:
        addresses_bytes = np.pad(addresses_bytes, ((0, 0), (0, missing)))
        active = np.pad(active, ((0, 0), (0, missing)))
    addresses_bytes = addresses_bytes.reshape(-1, per_pass)
    active = active.reshape(-1, per_pass)
    addresses_bytes = np.where(active, addresses_bytes, addresses_bytes[:, :1])
    words = addresses_bytes // shared.bank_width_bytes
    last = (addresses_bytes + (element_bytes - 1)) // shared.bank_width_bytes
    if (last != words).any():
        words = np.concatenate((words, last), axis=1)
    words = np.sort(words, axis=1)
    is_first = np.ones(words.shape, dtype=np.bool_)
    is_first[:, 1:] = words[:, 1:] != words[:, :-1]
    number = np.broadcast_to(np.arange(len(words))[:, None], words.shape)
    bank = number[is_first] * shared.banks + words[is_first] % shared.banks
    delivered = np.bincount(bank, minlength=len(words) * shared.banks).reshape(rows, -1)
    degree: Integers = delivered.max(axis=1)
    return degree
