"""Every access of a kernel under a launch: transactions per request, what serves it, bank conflicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from support.one_launch.bank_conflicts import conflict_degree
from support.one_launch.placement import Placement, place_threads
from support.one_launch.served import Served, served_shares
from support.one_launch.shared_region import Region, region_addresses, shared_regions
from support.one_launch.staged_traffic import StagedTraffic, staged_traffic
from support.one_launch.warp_lanes import first_iterations, warp_lanes
from support.one_launch.warp_requests import Alignments, WarpRequest, alignments, warp_request
from warplens.analysis.facts.nest_facts import AccessFacts, Kernel
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Cache, Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.placement.walk import evaluate_known, requested_bytes
from warplens.analysis.gpu.placement.warp_lanes import Lanes, iterator_values
from warplens.analysis.gpu.requests.access_cost import AccessCost, Pattern
from warplens.analysis.gpu.requests.coalescing import Move, lane_addresses, scattered_addresses
from warplens.analysis.gpu.staging.wide_reads import merged_sizes
from warplens.analysis.ir.ids import NodeId

_Alignments = dict[tuple[int, tuple[Move, ...]], Alignments]
"""By the size of an element and what moves it: the points of a stencil and its result move alike."""


@dataclass(frozen=True, slots=True)
class CountedAccesses:
    """Costs of the accesses in the kernel's order; what serves those in global memory, and what copies fill tiles."""

    costs: tuple[AccessCost, ...]
    served: Mapping[NodeId, Served]
    staged: Mapping[str, StagedTraffic]


def count_accesses(
    kernel: Kernel,
    launch: LaunchConfig,
    sizes: Mapping[str, int],
    gpu: Gpu,
    walks: SizedKernel | None = None,
) -> CountedAccesses:
    """Cost of one request of each access of the kernel, and where its sectors come from.

    With several outputs per thread it is the first one's: the others have the same shape, elsewhere.

    An access that `launch.shared` stages is a shared-memory access here (`sectors` 0); the staging itself is
    `SharedChoice.staged_bytes_per_block` (a share of it from DRAM).
    Symbols without a value in `sizes` are counters of loops around the kernel. `walks` are the kernel's at these sizes,
    from whoever has them for other launches too.
    Source: Resios ch. 6 for transactions and conflicts; reuse.py for the level that serves an access.
    Assumes: array bases aligned to a line; resident threads in step; the registers that `registers_needed` counts.
    Not modelled: caches' associativity and write-allocation, the far partition of a split L2, atomics' cost.
    Raises: KeyError for a parameter without value.
    """
    place = place_threads(kernel, launch.block, sizes, launch.outputs_per_thread)
    walks = walks or SizedKernel(kernel, sizes)
    trips = walks.trips
    threads, active = warp_lanes(launch.block, place.threads, gpu.warp_size_threads)
    lanes = first_iterations(threads, place.output_steps)
    values = iterator_values(kernel, lanes, sizes)
    staged = {access for choice in launch.shared for access in choice.accesses}
    cache = gpu.l1 if gpu.l1.size_bytes else replace(gpu.l2, line_bytes=gpu.l1.line_bytes)
    aligned: _Alignments = {}
    requests = {
        facts.access.id: _request(facts, lanes, values, active, place, trips, sizes, cache, aligned)
        for facts in kernel.accesses
        if not facts.is_private and facts.access.id not in staged
    }
    warps = _active_warps(active, launch, gpu.warp_size_threads)
    levels = served_shares(walks, launch, place, requests, warps, gpu)
    pads = {choice.array: choice.pad_elements for choice in launch.shared}
    regions = [
        replace(region, pad=pads.get(region.accesses[0].access.array, 0))
        for region in (shared_regions(kernel, launch.block, sizes, launch.outputs_per_thread) if staged else [])
    ]
    copied = staged_traffic(kernel, launch, sizes, gpu, walks) if staged else {}
    costs: list[AccessCost] = []
    for facts in kernel.accesses:
        if facts.is_private:
            costs.append(_private(facts))
        elif facts.access.id in staged:
            cost = _shared(facts, kernel, regions, values, active, sizes, gpu)
            costs.append(replace(cost, staged_dram_share=copied[facts.access.array].dram_share))
        else:
            costs.append(_global(facts, requests[facts.access.id], place, levels[facts.access.id], sizes, gpu))
    return CountedAccesses(tuple(costs), levels, copied)


def _active_warps(active: NDArray[np.bool_], launch: LaunchConfig, warp_size: int) -> int:
    """Warps of the first block with a thread in the grid; warps that are alike are given once."""
    warps = -(-launch.threads_per_block // warp_size)
    return warps if len(active) < warps else int(active.any(axis=1).sum())


def _request(
    facts: AccessFacts,
    lanes: Lanes,
    values: Mapping[str, Lanes],
    active: NDArray[np.bool_],
    place: Placement,
    trips: Mapping[NodeId, float],
    sizes: Mapping[str, int],
    cache: Cache,
    aligned: _Alignments,
) -> WarpRequest:
    size = requested_bytes(facts)
    addresses = lane_addresses(facts.address, values, sizes)
    if addresses is None or facts.is_gathered:
        strides = [evaluate_known(dict(facts.stride_bytes).get(loop), sizes) for loop in place.loops]
        scattered = scattered_addresses(lanes, strides, cache.line_bytes)
        return warp_request(scattered, active, size, cache, alignments((), cache.line_bytes, size))
    moves = tuple(_moves(facts, place, trips, sizes, active))
    if (size, moves) not in aligned:
        aligned[size, moves] = alignments(moves, cache.line_bytes, size)
    return warp_request(addresses, active, size, cache, aligned[size, moves])


def _moves(
    facts: AccessFacts,
    place: Placement,
    trips: Mapping[NodeId, float],
    sizes: Mapping[str, int],
    active: NDArray[np.bool_],
) -> Iterator[Move]:
    """What moves a warp's addresses: sequential loops, outputs, blocks, and warps that stand for others alike.

    A loop around the kernel counts as long: its launches reach every alignment they can.
    """
    strides = {loop: evaluate_known(stride, sizes) for loop, stride in facts.stride_bytes}
    for loop, stride in strides.items():
        if loop not in place.loops:
            yield Move(stride, trips.get(loop, inf))
    warps, lanes_left = active.shape
    for axis, loop in enumerate(place.loops):
        stride = strides.get(loop, 0)
        size, outputs, step = place.block[axis], place.outputs[axis], place.output_steps[axis]
        covered = min(size, lanes_left)
        if outputs > 1:
            yield Move(None if stride is None else stride * (size if axis == 0 else 1), outputs)
        yield Move(None if stride is None else stride * place.tile[axis], place.blocks[axis])
        if warps == 1:
            yield Move(None if stride is None else stride * covered * step, size // covered)
        lanes_left = max(1, lanes_left // size)


def _global(
    facts: AccessFacts,
    request: WarpRequest,
    place: Placement,
    served: Served,
    sizes: Mapping[str, int],
    gpu: Gpu,
) -> AccessCost:
    shares = {"l1": 1.0 - served.l2_share, "l2": served.l2_share - served.dram_share, "dram": served.dram_share}
    levels: tuple[Literal["dram", "l2", "l1"], ...] = ("dram", "l2", "l1")
    level = max(levels, key=shares.__getitem__)
    loop, stride = _neighbour_stride(facts, place, sizes)
    is_gathered = facts.is_gathered or facts.is_scattered_along(loop)
    size = requested_bytes(facts)
    why = {
        "dram": "no cache holds it until it is used again"
        if served.dram_share > 0.99
        else f"{100 * served.dram_share:.0f} % of its sectors come from DRAM, the others are found in a cache",
        "l2": f"used again by other blocks while the wave's {_size(served.wave_bytes)} stay in L2"
        if served.wave_bytes <= gpu.l2.size_bytes
        else "used again by the resident blocks while what they touch in between stays in L2",
        "l1": "touched again by the same warp, whose loads of an unrolled loop stand next to each other"
        if served.in_window
        else "used again by the resident blocks while what they touch in between stays in L1",
    }[level]
    return AccessCost(
        access=facts.access.id,
        pattern=_pattern(is_gathered, request, stride, size, size * gpu.warp_size_threads / gpu.l2.sector_bytes),
        sectors=request.sectors,
        ideal_sectors=request.ideal_sectors,
        lines=request.lines,
        requested_bytes=size * gpu.warp_size_threads,
        stride_bytes=stride,
        served_by=level,
        conflict_degree=1,
        why=why,
        l2_sectors=request.sectors * served.l2_share,
        dram_sectors=request.sectors * served.dram_share,
    )


def _neighbour_stride(facts: AccessFacts, place: Placement, sizes: Mapping[str, int]) -> tuple[NodeId, int | None]:
    """Loop of, and bytes between, a warp's neighbouring threads: along x, or the first axis of more than one thread."""
    axis = next((axis for axis, size in enumerate(place.block) if size > 1), 0)
    loop = place.loops[min(axis, len(place.loops) - 1)]
    stride = next((evaluate_known(stride, sizes) for known, stride in facts.stride_bytes if known == loop), 0)
    return loop, None if stride is None else stride * place.output_steps[axis]


def _pattern(
    is_gathered: bool, request: WarpRequest, stride: int | None, size_bytes: int, full_warp_sectors: float
) -> Pattern:
    if request.broadcast:
        return "broadcast"
    if is_gathered:
        return "gathered"
    if request.sectors <= request.ideal_sectors:
        return "coalesced"
    if stride == 0 and request.sectors <= full_warp_sectors:
        # One address per row of a narrow block: no more sectors than a warp of different elements would take.
        return "broadcast"
    return "misaligned" if stride is not None and abs(stride) == size_bytes else "strided"


def _private(facts: AccessFacts) -> AccessCost:
    return AccessCost(
        facts.access.id, "private", 0.0, 0.0, 0.0, 0, None, "register", 1, "in memory of the thread itself"
    )


def _shared(
    facts: AccessFacts,
    kernel: Kernel,
    regions: Sequence[Region],
    values: Mapping[str, Lanes],
    active: NDArray[np.bool_],
    sizes: Mapping[str, int],
    gpu: Gpu,
) -> AccessCost:
    """Cost of a read from the staged tile, or a write there, laid out row-major."""
    size = requested_bytes(facts)
    degree = 1
    tile = region_addresses(facts, regions, values, sizes)
    if tile is not None:
        warps = [row[on] for row, on in zip(tile, active, strict=True) if on.any()]
        wide = [each for each in merged_sizes(facts, kernel) if all((warp % each == 0).all() for warp in warps)]
        at_once = max(wide, default=size)
        degree = max((conflict_degree(warp, at_once, gpu.shared) for warp in warps), default=1)
    spread = _shared_pattern(tile, active)
    return AccessCost(
        access=facts.access.id,
        pattern=spread,
        sectors=0.0,
        ideal_sectors=0.0,
        lines=0.0,
        requested_bytes=size * gpu.warp_size_threads,
        stride_bytes=None,
        served_by="shared",
        conflict_degree=degree,
        why=f"{'collected' if facts.is_write else 'staged'} in shared memory by the block ({facts.access.array})",
    )


def _shared_pattern(tile: Lanes | None, active: NDArray[np.bool_]) -> Pattern:
    if tile is None:
        return "gathered"
    broadcast = all((row[on] == row[on][:1]).all() for row, on in zip(tile, active, strict=True))
    return "broadcast" if broadcast else "coalesced"


def _size(size_bytes: float) -> str:
    """Bytes for a message."""
    return f"{size_bytes / 1e6:.1f} MB" if size_bytes >= 1e6 else f"{size_bytes / 1e3:.0f} kB"
