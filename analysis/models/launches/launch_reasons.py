"""Why the best launch wins: it is held beside the best of those that differ in one thing, and what differs is said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.gpu.launch.launches import Column, Table
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.launch_work.kernel_work import KernelWork
from warplens.analysis.models.launch_work.pipe_cycles import PipeCycles, load_store_cycles, pipe_cycles
from warplens.analysis.models.launches.launch_heuristic import FAMILIAR_SHAPES, familiarity

WORTH_SAYING = 1.05
"""Launches that are less than this factor slower say nothing of why the best wins."""

PART_OF_A_DIFFERENCE = 1.1
"""What differs by less than this factor is not named as a cause."""


def launch_reasons(work: KernelWork, times_s: Column, best: int) -> tuple[str, ...]:
    """Clauses, each of one alternative: shapes that people try, of few and many threads, other outputs, staging.

    A shape is the fastest of those with the best's outputs and staging that is slower, other outputs and staging are
    the fastest launch that has them. The cause that is named is the pipeline, or the latency, that the alternative
    needs most of beyond the best's longest. Where all are as fast, that is said.
    """
    alternatives = tuple(_alternatives(work, times_s, best))
    compared = np.array([best, *(row for row, _ in alternatives)], dtype=np.int64)
    some = _rows(work, compared)
    comparison = _Comparison(some, times_s[compared], pipe_cycles(some), load_store_cycles(some))
    found = tuple(comparison.clause(number, respect) for number, (_, respect) in enumerate(alternatives, 1))
    return found or ("it is the simplest of those that are predicted about as fast",)


def _alternatives(work: KernelWork, times_s: Column, best: int) -> Iterator[tuple[int, str]]:
    """Rows to hold beside the best, with the respect in which they differ; those that are as fast are left out."""
    launches = work.launches
    threads = launches.threads_per_block
    outputs = launches.outputs_per_thread.prod(axis=1)
    same_outputs = (launches.outputs_per_thread == launches.outputs_per_thread[best]).all(axis=1)
    same_staging = (launches.staged == launches.staged[best]).all(axis=1)
    tried = familiarity(launches.block) < len(FAMILIAR_SHAPES)
    slower = times_s >= WORTH_SAYING * times_s[best]
    shapes = same_outputs & same_staging & tried & slower
    is_staged = np.asarray(launches.staged.any(axis=1))
    respects = (
        (shapes & (threads <= threads[best]), "block"),
        (shapes & (threads > threads[best]), "block"),
        ((outputs == 1) if outputs[best] > 1 else (outputs > 1), "outputs"),
        (outputs >= 2 * max(2, outputs[best]), "outputs"),
        (is_staged != is_staged[best], "staging"),
    )
    found: set[int] = set()
    for wanted, respect in respects:
        row = int(np.where(wanted, times_s, np.inf).argmin())
        if row not in found and wanted[row] and slower[row] and 0 < times_s[best] < times_s[row] < np.inf:
            found.add(row)
            yield row, respect


@dataclass(frozen=True, slots=True, eq=False)
class _Comparison:
    """The best launch, row 0, and those that it is held against."""

    work: KernelWork
    times_s: Column
    cycles: PipeCycles
    load_store: Table

    def clause(self, row: int, respect: str) -> str:
        """What one of them costs, and why."""
        factor = float(self.times_s[row] / self.times_s[0])
        cause = self._cause(row)
        return f"{self._name(row, respect)} would take {factor:.3g}x as long{f': {cause}' if cause else ''}"

    def _name(self, row: int, respect: str) -> str:
        launches = self.work.launches
        axes = len(self.work.kernel.grid)
        block = " x ".join(str(extent) for extent in launches.block[row, :axes].tolist())
        if respect == "block":
            return block if axes > 1 else f"{block} threads"
        if respect == "outputs":
            outputs = launches.outputs_per_thread[row]
            if outputs.prod() == 1:
                return f"one output per thread ({block})"
            return f"{' x '.join(str(extent) for extent in outputs[:axes].tolist())} outputs per thread ({block})"
        names = [c_name(array) for array, on in zip(launches.arrays, launches.staged[row], strict=True) if on]
        staged = " and ".join(f"`{name}`" for name in names)
        return f"{staged} in shared memory ({block})" if staged else f"nothing in shared memory ({block})"

    def _cause(self, row: int) -> str:
        work = self.work
        if work.active_sms[row] * PART_OF_A_DIFFERENCE < work.active_sms[0]:
            idle = work.gpu.sm_count - work.active_sms[row]
            blocks = int(work.blocks[row])
            return f"a grid of {blocks} block{'' if blocks == 1 else 's'} leaves {idle:.0f} multiprocessors idle"
        if self._spills(row):
            return f"it spills registers ({work.registers_per_thread[row]:.0f} per thread are not enough)"
        two = [0, row]
        per_sm = (work.warps / work.active_sms)[two]
        parts = {
            "issue": self.cycles.computation[two] * per_sm,
            "load/store": self.cycles.load_store[two] * per_sm,
            "l2": self.cycles.l2[two] * per_sm,
            "dram": self.cycles.dram[two] * per_sm,
            "latency": self.cycles.latency[two] * per_sm / work.resident_warps_per_sm[two],
        }
        longest = max(float(part[0]) for part in parts.values())
        name, part = max(parts.items(), key=lambda item: float(item[1][1]))
        if float(part[1]) <= longest * 1.02:
            return self._unevenness(row)
        ratio = float(part[1] / part[0]) if part[0] > 0 else float("inf")
        match name:
            case "issue":
                return self._instructions(row, ratio)
            case "load/store":
                return self._requests(row, ratio)
            case "l2":
                return f"{_times(ratio)} bytes pass between L2 and the multiprocessors"
            case "dram":
                return f"{_times(ratio)} bytes come from memory"
            case _:
                return self._latency(row)

    def _instructions(self, row: int, ratio: float) -> str:
        work = self.work
        requests = work.requests_per_warp * work.warps[:, None]
        for access in _largest(requests[row] - requests[0]):
            few, many = float(requests[0, access]), float(requests[row, access])
            if few > 0 and many >= PART_OF_A_DIFFERENCE * few:
                return f"it needs {_times(many / few)} loads of {self._array(access)}"
        return f"it issues {_times(ratio)} instructions"

    def _requests(self, row: int, ratio: float) -> str:
        work = self.work
        requests = work.requests_per_warp * work.warps[:, None]
        busy = requests * self.load_store
        for access in _largest(busy[row] - busy[0]):
            cause = self._of_access(row, access, float(requests[0, access]), float(requests[row, access]))
            if cause:
                return cause
        return f"its requests keep the load/store units busy {ratio:.2g} times as long" if ratio > 1.05 else ""

    def _of_access(self, row: int, access: int, few_requests: float, many_requests: float) -> str:
        """What keeps the load/store units busy with one access: bank conflicts, sectors, lines, or how often."""
        work = self.work
        name = self._array(access)
        if work.is_staged[row, access] and work.conflict_degree[row, access] > work.conflict_degree[0, access]:
            return f"{work.conflict_degree[row, access]:.0f} threads meet in a bank of shared memory at {name}"
        repeated = many_requests / few_requests if few_requests > 0 else 1.0
        for what, table in (("sectors", work.sectors_per_request), ("lines", work.lines_per_request)):
            few, many = float(table[0, access]), float(table[row, access])
            if few > 0 and many > few * max(PART_OF_A_DIFFERENCE, repeated):
                return f"a request of {name} touches {many:.3g} {what} instead of {few:.3g}"
        if repeated > PART_OF_A_DIFFERENCE:
            return f"it needs {_times(repeated)} loads of {name}"
        return ""

    def _latency(self, row: int) -> str:
        work = self.work
        warps, most = work.resident_warps_per_sm[row], work.gpu.occupancy.max_warps_per_sm
        if warps * PART_OF_A_DIFFERENCE >= work.resident_warps_per_sm[0]:
            return "a thread waits longer for what it loads"
        threads = int(work.launches.threads_per_block[row])
        slots = work.gpu.occupancy.max_threads_per_sm
        if threads > slots // 2 and slots % threads:
            return f"{threads} threads leave {slots % threads} of {slots} thread slots empty"
        return f"only {warps:.0f} of {most} warps are there to hide latency"

    def _unevenness(self, row: int) -> str:
        """What is left when the work is the same: how it is spread."""
        work = self.work
        at_once = work.gpu.sm_count * np.maximum(1.0, work.resident_blocks_per_sm)
        waves = work.blocks / at_once
        filled = waves / np.maximum(1.0, np.ceil(waves))
        if filled[row] * PART_OF_A_DIFFERENCE < filled[0]:
            return f"its last wave leaves {100 * (1 - filled[row]):.0f} % of the block slots unused"
        if work.barriers_per_warp[row] > work.barriers_per_warp[0]:
            return "its warps wait at barriers"
        if work.resident_warps_per_sm[row] * PART_OF_A_DIFFERENCE < work.resident_warps_per_sm[0]:
            return self._latency(row)
        return ""

    def _spills(self, row: int) -> bool:
        spills = self.work.spill_requests_per_warp
        return bool(spills[row] > spills[0])

    def _array(self, access: int) -> str:
        return f"`{c_name(self.work.kernel.accesses[access].access.array)}`"


def _rows(work: KernelWork, rows: NDArray[np.int64]) -> KernelWork:
    """The work of some launches."""
    columns: dict[str, Any] = {
        each.name: getattr(work, each.name)[rows]
        for each in fields(work)
        if each.name != "is_store" and isinstance(getattr(work, each.name), np.ndarray)
    }
    return replace(work, launches=work.launches.take(rows), **columns)


def _largest(excess: Column) -> tuple[int, ...]:
    """The access that has most, if there is any."""
    return (int(np.argmax(excess)),) if len(excess) else ()


def _times(ratio: float) -> str:
    """How much more, before a noun.

    >>> _times(1.02), _times(1.5), _times(16.0), _times(1e6)
    ('more', '1.5 times the', '16 times the', 'many times the')
    """
    if ratio < PART_OF_A_DIFFERENCE:
        return "more"
    return f"{ratio:.2g} times the" if ratio < 100 else "many times the"
