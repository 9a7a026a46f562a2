"""What removing each bottleneck of a launch would gain by GPUPerf, and what would get it in this kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from warplens.analysis.facts.nest_facts import AccessFacts
from warplens.analysis.facts.program import OP_CLASSES, OpClass
from warplens.analysis.gpu.requests.access_cost import AccessCost
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.gpuperf.gpuperf import GpuPerfInputs, GpuPerfResult, execution_time, gpuperf
from warplens.analysis.models.gpuperf.gpuperf_of_work import gpuperf_inputs
from warplens.analysis.models.gpuperf.gpuperf_prediction import gpuperf_of_launch
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu
from warplens.analysis.models.launch_work.kernel_work import KernelWork
from warplens.analysis.models.launch_work.pipe_cycles import load_store_cycles, pipe_cycles
from warplens.analysis.models.launch_work.request_latency import l2_bytes_per_warp
from warplens.analysis.models.results.benefit import Benefit, BenefitCause, BenefitKind
from warplens.analysis.models.results.quantity import Quantity, only

Words = tuple[BenefitCause, str]

MOSTLY = 0.5
"""A cause that makes at least this share of a memory bottleneck is the one that is named."""

NEEDLESS = 0.25
"""Sectors that coalesced requests would not touch: from this share on they are what is named."""


def benefits(case: KernelOnGpu) -> tuple[Benefit, ...]:
    """Bottlenecks of a launch, the one whose removal gains most first; those without any time are left out.

    Gain: eq. 1 with that term of the stack gone, at the overlap of eq. 17 as it is, at most the term itself. Requests
    that computation held back (eq. 15) come sooner without it. For memory: T_mem down to T_mem_min.
    Units: cycles of an SM, seconds. Source: Sim et al. 2012, slides 8 and 19.
    """
    work = case.work
    inputs, result = case.shared(gpuperf_of_launch)
    without_conflicts = result
    if (work.conflict_degree > 1).any():
        without_conflicts = gpuperf(gpuperf_inputs(replace(work, conflict_degree=np.ones_like(work.conflict_degree))))
    seen = _Seen(case, work, inputs, result)
    alone = only(result.t_mem_alone)
    b_serial, b_itilp, b_fp = only(result.b_serial), only(result.b_itilp), only(result.b_fp)
    terms: tuple[tuple[BenefitKind, float, float, Callable[[], Words]], ...] = (
        ("memory parallelism", only(result.b_memlp), _gain_of_memory(result), seen.memory),
        (
            "serialisation",
            b_serial,
            _gain(result, b_serial, only(without_conflicts.t_mem_alone)),
            seen.serialisation,
        ),
        ("instruction parallelism", b_itilp, _gain(result, b_itilp, alone), seen.instruction_parallelism),
        ("other instructions", b_fp, _gain(result, b_fp, alone), seen.other_instructions),
    )
    total = only(result.t_exec)
    found: list[Benefit] = []
    for kind, potential, cycles, words in terms:
        if cycles <= 0 and potential <= 0:
            continue
        cause, how = words()
        found.append(
            Benefit(
                kind=kind,
                cycles=cycles,
                time_s=cycles / case.gpu.clock_hz,
                share=min(1.0, cycles / total) if total > 0 else 0.0,
                how=how,
                potential_cycles=potential,
                cause=cause,
            )
        )
    return tuple(sorted(found, key=lambda benefit: (-benefit.cycles, -benefit.potential_cycles)))


def _gain(result: GpuPerfResult, removed: float, t_mem_alone: float) -> float:
    """Cycles of T_exec when that much of T_comp is gone; T_mem falls with it down to what memory takes by itself."""
    t_mem = only(result.t_mem)
    t_mem = min(t_mem, max(t_mem_alone, t_mem - removed))
    rest = only(execution_time(max(0.0, only(result.t_comp) - removed), t_mem, result.f_overlap))
    return min(removed, max(0.0, only(result.t_exec) - rest))


def _gain_of_memory(result: GpuPerfResult) -> float:
    """Cycles of T_exec when T_mem is T_mem_min."""
    t_mem = min(only(result.t_mem), only(result.t_mem_min))
    return max(0.0, only(result.t_exec) - only(execution_time(result.t_comp, t_mem, result.f_overlap)))


@dataclass(frozen=True, slots=True)
class _Seen:
    """A launch as the sentences see it."""

    case: KernelOnGpu
    work: KernelWork
    inputs: GpuPerfInputs
    result: GpuPerfResult

    def memory(self) -> Words:
        """What keeps memory's time above its least."""
        if only(self.inputs.busy_mem_cycles) < MOSTLY * only(self.result.t_mem):
            return self._latency()
        work = self.work
        pipes = pipe_cycles(work)
        if only(pipes.load_store) >= max(only(pipes.l2), only(pipes.dram)):
            if only(work.spill_requests_per_warp) > MOSTLY * only(self.inputs.mem_insts):
                return "spills", "most requests store and reload registers that don't fit; split the body"
            staged = np.where(work.is_staged, work.requests_per_warp * load_store_cycles(work), 0.0)
            if staged.sum() > MOSTLY * only(pipes.load_store):
                return "shared memory", (
                    "requests to shared memory keep the load/store path busy; more outputs per thread reuse registers"
                )
        costs = self._costs()
        requests = dict(zip(costs, work.requests_per_warp[0], strict=True))
        excess = {i: requests[i] * max(0.0, costs[i].sectors - costs[i].ideal_sectors) for i in costs}
        total = sum(requests[i] * costs[i].sectors for i in costs)
        worst = max(excess, key=lambda i: excess[i], default=None)
        if worst is not None and total > 0 and excess[worst] >= NEEDLESS * total:
            cost = costs[worst]
            return "uncoalesced", (
                f"{self._text(worst)} touches {cost.sectors:.3g} sectors per request where {cost.ideal_sectors:.3g} "
                "would do; let neighbouring threads use neighbouring elements"
            )
        return self._fetched_again()

    def _latency(self) -> Words:
        result = self.result
        return "memory latency", (
            f"{only(result.itmlp):.3g} requests are in flight on an SM where {self._needed_in_flight():.3g} keep "
            f"memory busy; {self._more_warps()} or more loads per thread that don't wait for each other"
        )

    def _needed_in_flight(self) -> float:
        """ITMLP at which eq. 11 is what the busiest level needs."""
        busy = max(only(self.inputs.busy_mem_cycles), 1e-9)
        return only(self.result.itmlp) * only(self.result.t_mem) / busy

    def _fetched_again(self) -> Words:
        moved = only(l2_bytes_per_warp(self.work) * self.work.warps)
        least = only(self.inputs.least_bytes)
        costs = self._costs()
        requests = dict(zip(costs, self.work.requests_per_warp[0], strict=True))
        most = max(costs, key=lambda i: requests[i] * costs[i].lines, default=None)
        ratio = moved / least if least > 0 else float("inf")
        times = "hardly more than once" if ratio < 1.05 else f"{ratio:.3g} times" if least > 0 else "again and again"
        return "fetched again", (
            f"the arrays' bytes pass between multiprocessors and L2 {times}"
            + (f", most often for {self._text(most)}" if most is not None else "")
            + "; stage what a block reads again in shared memory, or give a thread more outputs"
        )

    def serialisation(self) -> Words:
        """The largest of the four overheads."""
        result, inputs = self.result, self.inputs
        parts: Mapping[BenefitCause, Quantity] = {
            "barriers": result.o_sync,
            "special functions": result.o_sfu,
            "divergence": result.o_cfdiv,
            "bank conflicts": result.o_bank,
        }
        cause = max(parts, key=lambda name: only(parts[name]))
        match cause:
            case "barriers":
                how = f"a warp waits at {only(inputs.sync_insts):.3g} barriers; stage larger chunks, or smaller blocks"
            case "special functions":
                share = only(inputs.sfu_insts) / max(1.0, only(inputs.insts))
                how = (
                    f"{100 * share:.0f} % of the instructions need the special-function unit, "
                    "more than the others can cover"
                )
            case "divergence":
                divergent = only(inputs.divergent_insts)
                share = divergent / max(1.0, divergent + only(inputs.insts))
                how = (
                    f"{100 * share:.0f} % of what a warp issues is for the other side of a branch "
                    "than its average thread's"
                )
            case _:
                costs = {i: cost for i, cost in self._costs().items() if cost.served_by == "shared"}
                worst = max(costs, key=lambda i: costs[i].conflict_degree)
                how = (
                    f"{self._text(worst)} needs {costs[worst].conflict_degree} words of one bank in a tile "
                    "whose rows are not padded"
                )
        return cause, how

    def instruction_parallelism(self) -> Words:
        """Too few independent instructions on an SM."""
        result = self.result
        return "few warps", (
            f"{only(result.itilp):.3g} independent instructions on an SM where {only(result.itilp_max):.3g} hide "
            f"their latency; {self._more_warps()}"
        )

    def other_instructions(self) -> Words:
        """What is issued beside floating-point arithmetic, by the time that it takes."""
        gpu = self.case.gpu
        arithmetic = {
            op: count * gpu.warp_size_threads / gpu.timing(op).results_per_cycle_per_sm
            for op, count in zip(OP_CLASSES, self.work.arithmetic_per_warp[0].tolist(), strict=True)
        }
        groups = {
            "address and integer arithmetic": _sum(arithmetic, lambda op: op.startswith("int") or op in _BITS),
            "comparisons and branches": _sum(arithmetic, lambda op: op in {"compare", "branch"}),
            "conversions": arithmetic["convert"],
            "loads and stores": float(self.work.requests_per_warp[0].sum()) / gpu.issue_warps_per_cycle_per_sm,
        }
        floating = _sum(arithmetic, lambda op: op.startswith("fp"))
        total = floating + sum(groups.values())
        other = 1 - floating / max(1e-9, total)
        name = max(groups, key=lambda group: groups[group])
        return "other instructions", (
            f"{100 * other:.0f} % of the issue time is not floating point, most of it {name}; "
            + ("keep values in one type" if name == "conversions" else "more outputs per thread share it")
        )

    def _costs(self) -> dict[int, AccessCost]:
        """Costs by column of the work's tables."""
        return dict(enumerate(self.case.costs))

    def _text(self, column: int) -> str:
        facts: AccessFacts = self.case.kernel.accesses[column]
        return f"`{facts.access.text or c_name(facts.access.array)}`"

    def _more_warps(self) -> str:
        """What would give an SM more warps; what gives more independent work per warp where they are no matter."""
        resident = int(only(self.inputs.resident_warps))
        warps = f"{resident} warp{'' if resident == 1 else 's'}"
        return {
            "grid": f"a larger grid, as of another parallel loop, than the {warps} per SM here",
            "threads": f"more outputs per thread: an SM holds no more than {warps}",
            "blocks": f"larger blocks: an SM holds no more of these, {warps} in all",
            "registers": f"fewer registers per thread than the {warps} per SM have",
            "shared memory": f"less shared memory per block than lets {warps} run on an SM",
        }[self.case.occupancy.limited_by]


_BITS: frozenset[OpClass] = frozenset(("logic", "shift"))


def _sum(amounts: Mapping[OpClass, float], belongs: Callable[[OpClass], bool]) -> float:
    return float(sum(amount for op, amount in amounts.items() if belongs(op)))
