"""A nest at one problem size: the best launch of each kernel, and the sum of the offload against the CPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.cpu.cpu_time import CpuTime
from warplens.analysis.cpu.sequential import cpu_time
from warplens.analysis.facts.derived import extend_sizes
from warplens.analysis.facts.kernel_at import kernel_at
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.gpu.gpu import Gpu
from warplens.analysis.gpu.launch import LaunchConfig, SharedChoice
from warplens.analysis.gpu.shared_memory import choose_shared, shared_opportunities
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.models.evaluation import KernelEvaluation, LaunchCandidate, NestEvaluation
from warplens.analysis.models.kernel_on_gpu import KernelOnGpu, kernel_on_gpu
from warplens.analysis.models.kernel_time import kernel_time_s, predict_kernel
from warplens.analysis.models.launch_heuristic import candidate_launches
from warplens.analysis.models.offload import Offload
from warplens.analysis.models.transfer import launch_overhead_s, one_time_overhead_s, transfer_time_s
from warplens.analysis.simulation.grid import count, whole_count

TOLERANCE = 0.01
"""Launches predicted within this share of the best are taken as alike: the first of them is recommended, which is the
heuristic's if it is among them, and one without staging before one with; large blocks come after the others."""

LARGE_BLOCK_THREADS = 512
"""An SM starts a new block when all warps of one are done, which is not modelled: larger blocks are recommended where
they are predicted to gain. On a K20 1024 threads cost vector addition 4 % and matrix addition 6 % over 256, on SMs with
room for 1536 threads up to 40 % (gpuperfpredict traces)."""

ORIGIN_SHARED = "with shared memory"

CONTEXT = Assumption(
    "context", "data", "Cold: the arrays are on the host before and after the loop. Resident: they stay on the GPU."
)


def evaluate_nest(facts: NestFacts, sizes: Mapping[str, int], gpu: Gpu, cpu: Cpu) -> NestEvaluation:
    """Predict every kernel of a nest with its best launch, the transfers and the CPU.

    `sizes` has a value for every name in `facts.parameters`; a missing one counts as 0.
    Source: Resios eq. 4.1 and 4.3, sections 5.2.1 and 5.3. Assumes: kernels run one after the other; each array is
    copied at most once each way. Not modelled: copies that overlap with kernels.
    """
    known = {name: sizes.get(name, 0) for name in facts.parameters} | dict(sizes)
    values = extend_sizes(known, facts.nest)
    kernels = tuple(_evaluate_kernel(kernel, values, gpu) for kernel in facts.kernels)
    cpu_result = cpu_time(facts, values, cpu)
    return NestEvaluation(
        facts=facts,
        sizes=tuple(sorted(known.items())),
        kernels=kernels,
        offload=_offload(facts, values, kernels, cpu_result, gpu) if kernels else None,
        cpu_time=cpu_result,
        gpu=gpu,
        cpu=cpu,
        assumptions=_assumptions(facts, kernels, cpu_result, gpu),
    )


def _evaluate_kernel(kernel: Kernel, sizes: Mapping[str, int], gpu: Gpu) -> KernelEvaluation:
    sized = kernel_at(kernel, sizes)
    timed = [
        _timed(kernel_on_gpu(sized, launch, sizes, gpu), origin)
        for launch, origin in candidate_launches(sized, sizes, gpu)
    ]
    opportunities: dict[tuple[int, int, int], tuple[SharedChoice, ...]] = {}
    # Staging is predicted for the heuristic's shape and for the best one, not for every shape.
    for plain in dict.fromkeys((timed[0], _best(timed))):
        block = plain.case.launch.block
        opportunities[block] = shared_opportunities(sized, block, sizes, gpu)
        chosen = choose_shared(opportunities[block], gpu.occupancy.shared_per_block_bytes)
        if not chosen:
            continue
        staged = kernel_on_gpu(sized, LaunchConfig(block, chosen), sizes, gpu)
        if staged.occupancy.blocks_per_sm:
            timed.append(_timed(staged, f"{plain.origin}, {ORIGIN_SHARED}"))
    best = _best(timed)
    block = best.case.launch.block
    found = opportunities[block] if block in opportunities else shared_opportunities(sized, block, sizes, gpu)
    return KernelEvaluation(
        kernel=kernel,
        launches=whole_count(kernel.launches, sizes),
        prediction=predict_kernel(best.case),
        candidates=tuple(LaunchCandidate(entry.case.launch, entry.time_s, entry.origin) for entry in timed),
        shared_greedy=found,
        shared_left_out=_left_out(best, timed, found),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Timed:
    case: KernelOnGpu
    origin: str
    time_s: float


def _timed(case: KernelOnGpu, origin: str) -> _Timed:
    return _Timed(case, origin, kernel_time_s(case))


def _best(timed: Sequence[_Timed]) -> _Timed:
    limit = min(entry.time_s for entry in timed) * (1 + TOLERANCE)
    alike = [entry for entry in timed if entry.time_s <= limit]
    return next((e for e in alike if e.case.launch.threads_per_block <= LARGE_BLOCK_THREADS), alike[0])


def _left_out(
    best: _Timed, timed: Sequence[_Timed], opportunities: Sequence[SharedChoice]
) -> tuple[tuple[str, str], ...]:
    """Why each opportunity that the best launch doesn't stage is left out; the array beside the reason."""
    launch = best.case.launch
    reasons: list[tuple[str, str]] = []
    for choice in opportunities:
        if choice in launch.shared:
            continue
        staged = [
            entry for entry in timed if entry.case.launch.block == launch.block and choice in entry.case.launch.shared
        ]
        if not staged:
            others = ", ".join(f"`{taken.array}`" for taken in launch.shared)
            reason = f"does not fit beside {others}" if others else "its block does not fit on a multiprocessor"
        elif staged[0].time_s > best.time_s * (1 + TOLERANCE):
            reason = f"predicted to be {staged[0].time_s / best.time_s - 1:.0%} slower"
        else:
            reason = f"predicted to gain less than {TOLERANCE:.0%}"
        reasons.append((choice.array, reason))
    return tuple(reasons)


def _offload(
    facts: NestFacts,
    sizes: Mapping[str, int],
    kernels: tuple[KernelEvaluation, ...],
    cpu_result: CpuTime,
    gpu: Gpu,
) -> Offload:
    bytes_in = [count(transfer.in_bytes, sizes) for transfer in facts.transfers]
    bytes_out = [count(transfer.out_bytes, sizes) for transfer in facts.transfers]
    launches = sum(float(kernel.launches) for kernel in kernels)
    return Offload(
        kernels_s=sum(float(kernel.launches) * kernel.prediction.time_s for kernel in kernels),
        launch_overhead_s=launch_overhead_s(gpu.host, launches),
        transfer_in_s=sum(transfer_time_s(size, gpu.host, "h2d") for size in bytes_in),
        transfer_out_s=sum(transfer_time_s(size, gpu.host, "d2h") for size in bytes_out),
        context_init_s=one_time_overhead_s(gpu.host),
        one_core_s=cpu_result.one_core_s,
        all_cores_s=cpu_result.all_cores_s,
        bytes_in=sum(bytes_in),
        bytes_out=sum(bytes_out),
    )


def _assumptions(
    facts: NestFacts, kernels: tuple[KernelEvaluation, ...], cpu_result: CpuTime, gpu: Gpu
) -> tuple[Assumption, ...]:
    """Everything taken for granted, each once, the program's first."""
    found: list[Assumption] = [*facts.assumptions]
    for kernel in kernels:
        found += [*kernel.kernel.assumptions, *kernel.prediction.assumptions]
    if kernels:
        found += [CONTEXT, *gpu.assumptions]
    found += cpu_result.assumptions
    return tuple(dict.fromkeys(found))
