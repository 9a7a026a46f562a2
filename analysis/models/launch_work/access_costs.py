"""Every access of a counted launch in words: its pattern, which level serves it and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
from warplens.analysis.facts.nest_facts import AccessFacts
from warplens.analysis.gpu.placement.tiles import WarpRows
from warplens.analysis.gpu.placement.walk import evaluate_known, requested_bytes
from warplens.analysis.gpu.placement.warp_lanes import Lanes
from warplens.analysis.gpu.requests.access_cost import AccessCost, Memory, Pattern, RequestCount
from warplens.analysis.gpu.requests.coalescing import evaluate_lanes
from warplens.analysis.gpu.requests.requests import addresses_of, pattern_of, requested_from
from warplens.analysis.gpu.staging.staged_regions import StagedRegion
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.launch_work.counted_launches import CountedLaunches
from warplens.analysis.simulation.launch_counts import ArrayCopy


def request_counts(counted: CountedLaunches) -> dict[NodeId, RequestCount]:
    """What a request of each access asks for in the launch of the first row."""
    staging, served = counted.staging, counted.served
    of_tile = counted.tile[0]
    sectors, lines = counted.requests.sectors[of_tile].tolist(), counted.requests.lines[of_tile].tolist()
    l2_share, dram_share = served.l2_share[0].tolist(), served.dram_share[0].tolist()
    found: dict[NodeId, RequestCount] = {}
    waiting = zip(served.waits_l2[0].tolist(), served.waits_dram[0].tolist(), strict=True)
    for facts, is_staged, degree, touched, spanned, l2, dram, waits, run in zip(
        counted.sized.kernel.accesses,
        staging.is_staged[0].tolist(),
        staging.conflict_degree[0].tolist(),
        sectors,
        lines,
        l2_share,
        dram_share,
        waiting,
        served.dram_run[0].tolist(),
        strict=True,
    ):
        memory: Memory = "register" if facts.access.id in counted.in_registers else "shared" if is_staged else "global"
        in_global = memory == "global"
        found[facts.access.id] = (
            RequestCount(memory, touched, spanned, touched * l2, touched * dram, 1, waits, run)
            if in_global
            else RequestCount(memory, 0.0, 0.0, 0.0, 0.0, int(degree))
        )
    return found


def array_copies(counted: CountedLaunches) -> dict[str, ArrayCopy]:
    """What blocks of the launch of the first row copy to shared memory, by array."""
    return {
        each.array: ArrayCopy(
            each.accesses,
            float(each.stagings[0]),
            float(each.moved_bytes[0]),
            float(each.copy.requests[0]),
            float(each.copy.lines[0]),
            float(each.copy.sectors[0]),
            float(share[0]),
            each.is_written,
            float(waits[0]),
        )
        for each, share, waits in zip(
            counted.staging.arrays, counted.staged_dram_shares, counted.staged_dram_waits, strict=True
        )
        if each.chosen[0]
    }


def access_costs(counted: CountedLaunches) -> tuple[AccessCost, ...]:
    """Cost of one request of each access in the launch of the first row, in the kernel's order.

    With several outputs per thread it is the first one's: the others have the same shape, elsewhere.
    Source: Resios ch. 6 for transactions and conflicts; reuse.py for the level that serves an access.
    """
    words = _Words(counted)
    return tuple(
        words.of(facts, request_count)
        for facts, request_count in zip(counted.sized.kernel.accesses, request_counts(counted).values(), strict=True)
    )


class _Words:
    """The words for the launch of the first row."""

    def __init__(self, counted: CountedLaunches) -> None:
        tiles, tile = counted.tiles, int(counted.tile[0])
        self._counted = counted
        self._rows: WarpRows = tiles.rows.of_shape(int(tiles.shape_of_tile[tile]))
        self._values = self._rows.values(counted.sized)
        self._block, self._steps = tiles.block[tile].tolist(), tiles.steps[tile].tolist()
        staged = zip(counted.staging.arrays, counted.staged_dram_shares, strict=True)
        self._staged = {
            access: (each.region, float(share[0]))
            for each, share in staged
            if each.chosen[0]
            for access in each.accesses
        }

    def of(self, facts: AccessFacts, count: RequestCount) -> AccessCost:
        match count.memory:
            case "register":
                return AccessCost(
                    facts.access.id, "private", 0.0, 0.0, 0.0, 0, None, "register", 1, "in memory of the thread itself"
                )
            case "shared":
                return self._shared(facts, count)
            case "global":
                return self._global(facts, count)

    def _global(self, facts: AccessFacts, count: RequestCount) -> AccessCost:
        gpu, served = self._counted.gpu, self._counted.served
        column = self._counted.sized.column_of[facts.access.id]
        l2_share, dram_share = float(served.l2_share[0, column]), float(served.dram_share[0, column])
        shares = {"l1": 1.0 - l2_share, "l2": l2_share - dram_share, "dram": dram_share}
        levels: tuple[Literal["dram", "l2", "l1"], ...] = ("dram", "l2", "l1")
        level = max(levels, key=shares.__getitem__)
        loop, stride = self._neighbour_stride(facts)
        is_gathered = facts.is_gathered or facts.is_scattered_along(loop)
        size, wave_bytes = requested_bytes(facts), float(served.wave_bytes[0])
        why = {
            "dram": "no cache holds it until it is used again"
            if dram_share > 0.99
            else f"{100 * dram_share:.0f} % of its sectors come from DRAM, the others are found in a cache",
            "l2": f"used again by other blocks while the wave's {_size(wave_bytes)} stay in L2"
            if wave_bytes <= gpu.l2.size_bytes
            else "used again by the resident blocks while what they touch in between stays in L2",
            "l1": "touched again by the same warp, whose loads of an unrolled loop stand next to each other"
            if served.in_window[0, column]
            else "used again by the resident blocks while what they touch in between stays in L1",
        }[level]
        distinct = self._distinct_addresses(facts)
        ideal_sectors = _ideal_sectors(distinct, size, requested_from(gpu).sector_bytes)
        is_broadcast = bool(len(distinct)) and bool((distinct == 1).all())
        full_warp_sectors = size * gpu.warp_size_threads / gpu.l2.sector_bytes
        return AccessCost(
            access=facts.access.id,
            pattern="broadcast"
            if is_broadcast
            else _pattern(is_gathered, count.sectors, ideal_sectors, stride, size, full_warp_sectors),
            sectors=count.sectors,
            ideal_sectors=ideal_sectors,
            lines=count.lines,
            requested_bytes=size * gpu.warp_size_threads,
            stride_bytes=stride,
            served_by=level,
            conflict_degree=1,
            why=why,
            l2_sectors=count.l2_sectors,
            dram_sectors=count.dram_sectors,
        )

    def _distinct_addresses(self, facts: AccessFacts) -> Lanes:
        """Different addresses of each warp with an active lane."""
        sized, cache = self._counted.sized, requested_from(self._counted.gpu)
        pattern = pattern_of(facts, self._values, sized.sizes, cache.line_bytes)
        addresses, active = addresses_of(pattern, sized, self._rows, self._values, cache), self._rows.active
        return np.array(
            [len(np.unique(row[on])) for row, on in zip(addresses, active, strict=True) if on.any()], dtype=np.int64
        )

    def _neighbour_stride(self, facts: AccessFacts) -> tuple[NodeId, int | None]:
        """Loop of, and bytes between, a warp's neighbouring threads: along x, or the first axis of several threads."""
        loops = self._counted.sized.kernel.thread_order
        axis = next((axis for axis, size in enumerate(self._block) if size > 1), 0)
        loop = loops[min(axis, len(loops) - 1)]
        strides = (
            evaluate_known(stride, self._counted.sized.sizes) for known, stride in facts.stride_bytes if known == loop
        )
        stride = next(strides, 0)
        return loop, None if stride is None else stride * self._steps[axis]

    def _shared(self, facts: AccessFacts, count: RequestCount) -> AccessCost:
        """Of a read from the staged tile."""
        region, dram_share = self._staged[facts.access.id]
        return AccessCost(
            access=facts.access.id,
            pattern=self._shared_pattern(facts, region),
            sectors=0.0,
            ideal_sectors=0.0,
            lines=0.0,
            requested_bytes=requested_bytes(facts) * self._counted.gpu.warp_size_threads,
            stride_bytes=None,
            served_by="shared",
            conflict_degree=count.conflict_degree,
            why=f"{'collected' if facts.is_write else 'staged'} in shared memory by the block ({facts.access.array})",
            staged_dram_share=dram_share,
        )

    def _shared_pattern(self, facts: AccessFacts, region: StagedRegion | None) -> Pattern:
        if region is None or facts not in region.accesses:
            return "gathered"
        addresses = _tile_addresses(facts, region, self._values, self._counted.sized.sizes, self._rows.active.shape)
        rows = zip(addresses, self._rows.active, strict=True)
        return "broadcast" if all((row[on] == row[on][:1]).all() for row, on in rows) else "coalesced"


def _tile_addresses(
    facts: AccessFacts,
    region: StagedRegion,
    values: Mapping[str, Lanes],
    sizes: Mapping[str, int],
    shape: tuple[int, ...],
) -> Lanes:
    """Byte address in the staged tile that each lane reads or writes."""
    total: Lanes = np.zeros(shape, dtype=np.int64)
    for index, pitch in zip(facts.address.indices, region.box.pitches[0].tolist(), strict=True):
        if index is not None:
            lanes = evaluate_lanes(index, values, sizes, shape)
            total = total + (lanes - lanes.min()) * int(pitch) * region.box.element_bytes
    return total


def _ideal_sectors(distinct: Lanes, size_bytes: int, sector_bytes: int) -> float:
    """Sectors of so many different elements side by side, averaged over warps."""
    return float(np.ceil(distinct * size_bytes / sector_bytes).sum()) / len(distinct) if len(distinct) else 0.0


def _pattern(
    is_gathered: bool, sectors: float, ideal_sectors: float, stride: int | None, size_bytes: int, full_sectors: float
) -> Pattern:
    if is_gathered:
        return "gathered"
    if sectors <= ideal_sectors:
        return "coalesced"
    if stride == 0 and sectors <= full_sectors:
        # One address per row of a narrow block: no more sectors than a warp of different elements would take.
        return "broadcast"
    return "misaligned" if stride is not None and abs(stride) == size_bytes else "strided"


def _size(size_bytes: float) -> str:
    """Bytes for a message."""
    return f"{size_bytes / 1e6:.1f} MB" if size_bytes >= 1e6 else f"{size_bytes / 1e3:.0f} kB"
