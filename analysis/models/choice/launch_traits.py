"""What a launch does, as far as it decides how well its time can be predicted.

Nothing here is a family's name: the traits come from what the models count of the launch, whatever the loop looks like.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import log

from warplens.analysis.facts.program import OP_CLASSES, Branch, OpClass, Region, ThreadLoop
from warplens.analysis.ir.symbol import PHRASES
from warplens.analysis.models.launch_work.atomic_queues import queue_s
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu
from warplens.analysis.models.launch_work.least_traffic import least_dram_bytes
from warplens.analysis.models.launch_work.pipe_cycles import pipe_cycles
from warplens.analysis.models.launch_work.request_latency import dram_bytes_per_warp
from warplens.analysis.models.results.quantity import only
from warplens.analysis.simulation.instruction_time import issue_cycles

MOST_OVER_FETCHED = log(64.0)
_DATA_COUNT = f"{PHRASES[0]} "
_DIVISIONS = ("_div", "_sqrt")


@dataclass(frozen=True, slots=True)
class LaunchTraits:
    """Shares of a predicted time are 0..1: what a part of the GPU is busy for, were the grid spread perfectly.

    - `dram`, `l2`, `load_store`, `issue` (arithmetic units and issue slots): busy for this share of the time;
    - `start`: of starting and ending the grid; `atomic`: of atomic updates that queue;
    - `latency`: the share for which not even the busiest of them is busy;
    - `gathered`: 1 where data, or a subscript that is not understood, decides where threads access;
    - `strided`: of the sectors that threads ask for, those of accesses with gaps between neighbours;
    - `over_fetched`: ln(bytes from DRAM / bytes of the arrays), as far as DRAM is the busiest: counted from misses;
    - `unknown_branch`, `unknown_trips`: 1 where data decides how often a side, or a loop, runs;
    - `divergent`: of the instructions issued, those of sides that the average thread does not take;
    - `division`: of the time, divisions and roots, which compilers expand into what few have measured;
    - `slow_arithmetic`: these, 64-bit integers, special functions and double precision;
    - `local`: 1 where registers spill or threads have arrays of their own in memory; `reduced`: 1 where threads add up;
    - `empty`: of the places for warps, those that the grid leaves empty in its only wave.
    """

    dram: float
    l2: float
    load_store: float
    issue: float
    start: float
    atomic: float
    latency: float
    gathered: float
    strided: float
    over_fetched: float
    unknown_branch: float
    unknown_trips: float
    divergent: float
    division: float
    slow_arithmetic: float
    local: float
    reduced: float
    empty: float

    def as_shares(self) -> Mapping[str, float]:
        """Every trait by its name."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class _LaunchSeconds:
    """What of the traits does not hang on a model's time: seconds of the whole grid, and shares of counts."""

    dram_s: float
    l2_s: float
    load_store_s: float
    issue_s: float
    atomic_s: float
    divided_share: float
    slow_share: float
    strided: float
    over_fetched: float
    divergent: float
    local: float
    empty: float


def launch_traits(case: KernelOnGpu, time_s: float) -> LaunchTraits:
    """Traits of a launch that is predicted to take `time_s`, its start included; the time is positive."""
    found = case.shared(_seconds)

    def share(seconds: float) -> float:
        return min(1.0, seconds / time_s)

    dram, issue, start = share(found.dram_s), share(found.issue_s), share(case.gpu.kernel_start_s)
    l2, load_store = share(found.l2_s), share(found.load_store_s)
    atomic = share(found.atomic_s)
    kernel = case.kernel
    branches = _branches(kernel.program)
    accesses = [facts for facts in kernel.accesses if not facts.is_private]
    return LaunchTraits(
        dram=dram,
        l2=l2,
        load_store=load_store,
        issue=issue,
        start=start,
        atomic=atomic,
        latency=max(0.0, 1.0 - start - max(dram, l2, load_store, issue, atomic)),
        gathered=float(any(each.is_gathered or each.steps or each.unknown for each in accesses)),
        strided=found.strided,
        over_fetched=found.over_fetched * dram,
        unknown_branch=float(any(each.counted is None and 0 < each.then_share < 1 for each in branches)),
        unknown_trips=float(any(name.startswith(_DATA_COUNT) for name in case.sizes)),
        divergent=found.divergent,
        division=found.divided_share * issue,
        slow_arithmetic=found.slow_share * issue,
        local=found.local,
        reduced=float(bool(kernel.reductions)),
        empty=found.empty,
    )


def _branches(program: Iterable[Region]) -> list[Branch]:
    found: list[Branch] = []
    pending = [*program]
    while pending:
        region = pending.pop()
        if isinstance(region, Branch):
            found.append(region)
            pending += [*region.then, *region.otherwise]
        elif isinstance(region, ThreadLoop):
            pending += region.body
    return found


def _seconds(case: KernelOnGpu) -> _LaunchSeconds:
    work, gpu = case.work, case.gpu
    cycles = pipe_cycles(work)
    warps_per_sm = only(work.warps / work.active_sms)
    second = warps_per_sm / gpu.clock_hz
    requests = [float(number) for number in work.requests_per_warp[0]]
    sectors = {"strided": 0.0, "": 0.0}
    for cost, number in zip(case.costs, requests, strict=True):
        if cost.served_by not in ("shared", "register"):
            sectors["strided" if cost.pattern == "strided" else ""] += number * cost.sectors
    spills, asked = only(work.spill_requests_per_warp), sum(requests)
    issued = float(work.arithmetic_per_warp.sum()) + asked
    places = gpu.sm_count * gpu.occupancy.max_warps_per_sm
    return _LaunchSeconds(
        dram_s=only(cycles.dram) * second,
        l2_s=only(cycles.l2) * second,
        load_store_s=only(cycles.load_store) * second,
        issue_s=only(cycles.computation) * second,
        atomic_s=queue_s(case.counted.sized, gpu),
        divided_share=_arithmetic_share(case, _is_division),
        slow_share=_arithmetic_share(case, _is_slow),
        strided=sectors["strided"] / (sum(sectors.values()) or 1.0),
        over_fetched=_over_fetched(case),
        divergent=only(work.divergent_per_warp) / issued if issued > 0 else 0.0,
        local=float(case.registers.local_words > 0 or spills > 0.05 * (asked + spills)),
        empty=max(0.0, 1.0 - only(work.warps) / places),
    )


def _over_fetched(case: KernelOnGpu) -> float:
    moved, least = only(dram_bytes_per_warp(case.work) * case.work.warps), only(least_dram_bytes(case.work))
    return min(MOST_OVER_FETCHED, max(0.0, log(moved / least))) if moved > 0 and least > 0 else 0.0


def _arithmetic_share(case: KernelOnGpu, is_meant: Callable[[OpClass], bool]) -> float:
    """Of the cycles that a warp's arithmetic occupies its SM, those of some classes, 0..1."""
    gpu = case.gpu
    total = meant = 0.0
    for op, number in zip(OP_CLASSES, case.work.arithmetic_per_warp[0], strict=True):
        spent = float(number) * issue_cycles(gpu.timing(op), gpu.warp_size_threads)
        total += spent
        meant += spent if is_meant(op) else 0.0
    return meant / total if total > 0 else 0.0


def _is_division(op: OpClass) -> bool:
    return op.endswith(_DIVISIONS)


def _is_slow(op: OpClass) -> bool:
    """Whether compilers expand it, or few units compute it."""
    return _is_division(op) or op.endswith("_special") or op.startswith(("fp64", "int64"))
