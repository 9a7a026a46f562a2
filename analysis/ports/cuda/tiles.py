"""What blocks of a kernel stage in shared memory: for each array to stage the tiles that its accesses need.

Reads that a block moves alike (all points of a stencil) share a tile with what lies between them. Others get tiles of
their own: `a[i][k]` and `a[j][k]`, two loops that run one after the other, points that are far apart. Stores that a
block collects have one tile, which the block writes whole (gpu/staging/collected_arrays.py).
Source: Resios 6.1, as box_movement.py, but each filling serves one iteration of the loops around the one that is
cut, where the model holds a box of all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, prod

import numpy as np
from warplens.analysis.advice.naming import access_text
from warplens.analysis.facts.nest_facts import AccessFacts, Kernel
from warplens.analysis.gpu.launch.extent import Extent
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.placement.tiles import Tiles, tiles_of
from warplens.analysis.gpu.staging.bank_conflicts import StagedBox
from warplens.analysis.gpu.staging.box_movement import read_only_arrays
from warplens.analysis.gpu.staging.collected_arrays import collected_arrays
from warplens.analysis.gpu.staging.staged_regions import MOST_TILE_BYTES
from warplens.analysis.gpu.staging.tile_padding import padded
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.nest import Assign, Loop, LoopNest
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import CType, Scalar, StructOf, is_volatile
from warplens.analysis.ports.cuda.plan import (
    PortRefusedError,
    Tile,
    TileDimension,
    block_symbol,
    chunk_symbol,
)
from warplens.analysis.ports.cuda.thread_body import grid_and_body
from warplens.analysis.ports.cuda.tile_box import AccessBox, BlockIterations, access_box, constant_trips
from warplens.analysis.ports.cuda.tile_section import NestSites, TileSection, extreme_low, tile_section
from warplens.analysis.ports.sections.size_order import is_at_least
from warplens.analysis.workload.kernels.steps_together import why_not_in_step
from warplens.analysis.workload.loops.derived_symbols import Sizes

_REDUCTION_BYTES = 32 * 8
"""Of a block's partial results of one reduction: one for each of at most 32 warps."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Accesses that one tile serves, and the box of elements that holds all of their boxes."""

    boxes: tuple[AccessBox, ...]
    lows: tuple[Polynomial, ...]
    widths: tuple[int, ...]

    @property
    def elements(self) -> int:
        return prod(self.widths)

    @property
    def is_reused(self) -> bool:
        """Whether the threads of a block read some element more often than once."""
        places = {box.lows: box.reads for box in self.boxes}
        return sum(places.values()) > self.elements

    def joined(self, other: _Group) -> _Group:
        lows: list[Polynomial] = []
        widths: list[int] = []
        for low, width, other_low, other_width in zip(self.lows, self.widths, other.lows, other.widths, strict=True):
            apart = (other_low - low).constant_term
            lows.append(low + min(0, apart))
            widths.append(max(width, apart + other_width) - min(0, apart))
        return _Group(self.boxes + other.boxes, tuple(lows), tuple(widths))


def plan_tiles(
    nest: LoopNest,
    kernel: Kernel,
    block: Extent,
    outputs: Extent,
    arrays: Sequence[str],
    sizes: Sizes,
    gpu: Gpu,
) -> tuple[Tile, ...]:
    """Tiles of the arrays (by their names in the nest) for blocks of this shape; `sizes` are the parameters' values.

    Every read of the arrays that other threads of the block need too, or that a warp does not read side by side, goes
    through a tile; what is left reads the array as before. Of an array that is written all stores do.
    Raises PortRefusedError, naming the array.
    """
    sized = SizedKernel.of(kernel, sizes)
    placed = tiles_of(np.array([block]), np.array([outputs]), sized.iterations, gpu.warp_size_threads)
    chunks = {loop: max(1, min(block[0], ceil(count))) for loop, count in sized.trips.items()}
    covers = BlockIterations(nest, kernel, block, outputs, chunks, why_not_in_step(nest, kernel))
    sites = NestSites.of(nest)
    tiles: list[Tile] = []
    collected = collected_arrays(sized)
    for array in dict.fromkeys(arrays):
        accesses = _accesses(kernel, array) if array in collected else _reads(kernel, array)
        _check(nest, array, accesses)
        try:
            groups = _groups(accesses, covers, sites)
            if array in collected:
                groups = [_whole(groups, array, nest, kernel)]
            planned = [_padded(_tile(group, covers, sites), sized, placed, gpu) for group in groups]
            if array in collected:
                planned = [_collected(tile) for tile in planned]
        except PortRefusedError as error:
            raise PortRefusedError(f"`{c_name(array)}` can't be staged in shared memory: {error}") from error
        tiles += _named(planned, kernel)
    total = sum(tile_bytes(tile) for tile in tiles)
    room = MOST_TILE_BYTES - _REDUCTION_BYTES * len(kernel.reductions)
    if total > room:
        largest = max(tiles, key=tile_bytes)
        raise PortRefusedError(
            f"what blocks of {block[0]}x{block[1]}x{block[2]} stage takes {total} bytes of shared memory "
            f"({tile_bytes(largest)} of them for `{c_name(largest.array)}`); a kernel has {room}"
        )
    return tuple(tiles)


def tile_bytes(tile: Tile) -> int:
    """Shared memory that a tile takes, its padding included."""
    return prod(dimension.width + dimension.pad for dimension in tile.dimensions) * _size_bytes(tile.element)


def _reads(kernel: Kernel, array: str) -> tuple[AccessFacts, ...]:
    """All reads of an array that the kernel does not write."""
    name = c_name(array)
    reads = read_only_arrays(kernel).get(array, ())
    if not reads:
        used = _accesses(kernel, array)
        if any(facts.is_private for facts in used):
            raise PortRefusedError(f"`{name}` can't be staged in shared memory: every thread has its own")
        if any(facts.is_write for facts in used):
            why = "the kernel writes it, and not each of its elements once, far from those of the next thread"
            raise PortRefusedError(f"`{name}` can't be staged in shared memory: {why}")
        raise PortRefusedError(f"`{name}` can't be staged in shared memory: the kernel does not read it")
    return reads


def _accesses(kernel: Kernel, array: str) -> tuple[AccessFacts, ...]:
    """All accesses to an array, without numbers for sizes."""
    return tuple(facts for facts in kernel.accesses if facts.access.array == array)


def _check(nest: LoopNest, array: str, accesses: Sequence[AccessFacts]) -> None:
    """Refuse an array of which no part can be kept, whatever its accesses are."""
    what = nest.array(array)
    for facts in accesses:
        access = facts.access
        if access.conditions:
            why = f"it is not proved that `{access_text(nest, access)}` stays in its row: {access.conditions[0]}"
        elif access.element_bytes != what.element_bytes:
            why = f"`{access_text(nest, access)}` is an array in a structure"
        elif what.chosen_in is not None:
            why = "it points to other memory from time to time"
        elif is_volatile(what.element):
            why = "it is `volatile`"
        elif not access.indices or access.extents[1:] != accesses[0].access.extents[1:]:
            why = "it is indexed with different row lengths"
        else:
            continue
        raise PortRefusedError(f"`{c_name(array)}` can't be staged in shared memory: {why}")


def _groups(reads: Sequence[AccessFacts], covers: BlockIterations, sites: NestSites) -> list[_Group]:
    """Accesses by tile; those without any use of one are left out, unless that is so of all."""
    alike: dict[tuple[object, ...], list[_Group]] = {}
    for facts in reads:
        box = access_box(facts.access, sites.loops[facts.access.id], covers)
        loop = None if box.staged_in is None else box.staged_in.id
        key = (loop, tuple(low.without_constant for low in box.lows))
        alike.setdefault(key, []).append(_Group((box,), box.lows, box.widths))
    groups = [group for members in alike.values() for group in _joined(members)]
    useful = [group for group in groups if group.is_reused or not all(box.is_coalesced for box in group.boxes)]
    return useful or groups


def _joined(groups: Sequence[_Group]) -> list[_Group]:
    """Join those that lie so close that together they have no more elements."""
    left = sorted(groups, key=lambda group: tuple(low.constant_term for low in group.lows))
    at = 0
    while at < len(left):
        for other in left[at + 1 :]:
            both = left[at].joined(other)
            if both.elements <= left[at].elements + other.elements:
                left = [both, *(group for group in left if group not in (left[at], other))]
                at = -1
                break
        at += 1
    return left


def _tile(group: _Group, covers: BlockIterations, sites: NestSites) -> Tile:
    accesses = [box.access for box in group.boxes]
    first = group.boxes[0]
    array = covers.nest.array(first.access.array)
    members = {access.member for access in accesses}
    member = first.access.member if len(members) == 1 else ""
    element = first.access.type if member else array.element
    section = tile_section(accesses, sites, _loops_around_fill(first, covers, sites))
    symbols = _first_values(first, covers, sites)
    dimensions = tuple(
        _dimension(low, width, at, section, symbols)
        for at, (low, width) in enumerate(zip(group.lows, group.widths, strict=True))
    )
    cut = first.staged_in
    return Tile(
        array.name,
        "",
        frozenset(access.id for access in accesses),
        dimensions,
        element,
        member,
        None if cut is None else cut.id,
        0 if cut is None else covers.chunk(cut),
        section.offset,
        section.values,
        section.conditions,
    )


def _whole(groups: Sequence[_Group], array: str, nest: LoopNest, kernel: Kernel) -> _Group:
    """The one box that all stores of a block fill without gaps, each iteration by the same statements."""
    _, body = grid_and_body(nest, kernel)
    stores = [one.target.id for one in body if isinstance(one, Assign) and isinstance(one.target, Access)]
    boxes = [box for group in groups for box in group.boxes]
    if any(box.access.id not in stores for box in boxes):
        raise PortRefusedError(f"`{c_name(array)}` is not written by every iteration")
    if len(groups) > 1 or sum(box.reads for box in boxes) != groups[0].elements:
        raise PortRefusedError(f"a block does not write all elements of `{c_name(array)}` between its first and last")
    return groups[0]


def _collected(tile: Tile) -> Tile:
    if tile.offsets is not None:
        raise PortRefusedError(f"the rows of `{c_name(tile.array)}` that are written have no common length")
    return replace(tile, is_written=True)


def _loops_around_fill(box: AccessBox, covers: BlockIterations, sites: NestSites) -> tuple[Loop, ...]:
    """Loops that have an iteration wherever a tile is filled."""
    loops = sites.loops[box.access.id]
    if box.staged_in is None:
        grid = {loop.loop for loop in covers.kernel.grid}
        outside = loops[: next(at for at, loop in enumerate(loops) if loop.id == covers.kernel.root)]
        return (*outside, *(loop for loop in loops if loop.id in grid))
    return loops[: loops.index(box.staged_in) + 1]


_FirstValues = dict[str, tuple[Polynomial, Polynomial | None, int]]


def _first_values(box: AccessBox, covers: BlockIterations, sites: NestSites) -> _FirstValues:
    """What boxes start from: symbols, inner ones first, each with its first and its last value and its step."""
    found: _FirstValues = {}
    grid = {loop.loop for loop in covers.kernel.grid}
    threads = {loop.iterator for loop in covers.kernel.grid}

    def add(symbol: str, start: Polynomial | None, step: int, trips: int | None, at_a_time: int) -> None:
        if start is not None and start.symbols.isdisjoint(threads):
            last = None if trips is None else start + step * at_a_time * (max(0, trips - 1) // at_a_time)
            found[symbol] = (start, last, step)

    if box.staged_in is not None:
        cut = box.staged_in
        add(chunk_symbol(cut.iterator), cut.start, cut.step, constant_trips(cut), covers.chunk(cut))
    for loop in reversed(sites.loops[box.access.id]):
        if loop.id in grid:
            add(block_symbol(loop.iterator), loop.start, loop.step, constant_trips(loop), covers.covered[loop.id])
        else:
            add(loop.iterator, loop.start, loop.step, constant_trips(loop), 1)
    return found


def _dimension(low: Polynomial, width: int, at: int, section: TileSection, symbols: _FirstValues) -> TileDimension:
    first, last = section.dimensions[at]
    least, most = (extreme_low(low, symbols, largest=largest) for largest in (False, True))
    return TileDimension(
        low,
        width,
        first,
        last,
        may_start_before=least is None or not is_at_least(least - first, 0, section.least),
        may_end_after=most is None or not is_at_least(last - most - (width - 1), 0, section.least),
    )


def _padded(tile: Tile, sized: SizedKernel, placed: Tiles, gpu: Gpu) -> Tile:
    """The tile with the padding that is predicted of it."""
    accesses = tuple(facts for facts in sized.kernel.accesses if facts.access.id in tile.accesses)
    widths = np.array([[float(dimension.width) for dimension in tile.dimensions]])
    box = padded(StagedBox.unpadded(accesses, widths, _size_bytes(tile.element)), sized, placed, gpu.shared)
    innermost = replace(tile.dimensions[-1], pad=int(box.pads[0]))
    return replace(tile, dimensions=(*tile.dimensions[:-1], innermost))


def _size_bytes(element: CType) -> int:
    if isinstance(element, Scalar | StructOf):
        return element.size_bytes
    raise PortRefusedError("the type of its elements has no known size")


def _named(tiles: Sequence[Tile], kernel: Kernel) -> list[Tile]:
    """Names after the array; of several tiles of one array after the grid loops that move them too."""
    named: list[Tile] = []
    taken: set[str] = set()
    for tile in tiles:
        wanted = f"{c_name(tile.array)}_tile"
        if len(tiles) > 1:
            symbols = frozenset(symbol for dimension in tile.dimensions for symbol in dimension.low.symbols)
            wanted = "_".join(
                (wanted, *(c_name(loop.iterator) for loop in kernel.grid if block_symbol(loop.iterator) in symbols))
            )
        name, number = wanted, 2
        while name in taken:
            name, number = f"{wanted}_{number}", number + 1
        taken.add(name)
        named.append(replace(tile, name=name))
    return named
