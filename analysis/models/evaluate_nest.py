"""A nest at one problem size: the best launch of each kernel, and the sum of the offload against the CPU."""

from __future__ import annotations

from collections.abc import Mapping

from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.cpu.cpu_time import CpuTime
from warplens.analysis.cpu.sequential import cpu_time
from warplens.analysis.facts.derived import extend_sizes
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.gpu.gpu import Gpu
from warplens.analysis.gpu.launch import LaunchConfig, SharedChoice
from warplens.analysis.gpu.shared_memory import choose_shared, shared_opportunities
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.models.evaluation import KernelEvaluation, LaunchCandidate, NestEvaluation
from warplens.analysis.models.kernel_time import kernel_time_s, predict_kernel
from warplens.analysis.models.launch_heuristic import candidate_launches
from warplens.analysis.models.offload import Offload
from warplens.analysis.models.resios import kernel_on_gpu
from warplens.analysis.models.transfer import launch_overhead_s, one_time_overhead_s, transfer_time_s
from warplens.analysis.simulation.grid import count, whole_count

SHARED_SHAPES = 2
"""Shapes, by predicted time, that are also predicted with their shared-memory choice."""

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
    cases = [
        (kernel_on_gpu(kernel, launch, sizes, gpu), origin) for launch, origin in candidate_launches(kernel, sizes, gpu)
    ]
    timed = [(kernel_time_s(case), case, origin) for case, origin in cases]
    for _, case, origin in sorted(timed, key=lambda entry: entry[0])[:SHARED_SHAPES]:
        chosen = _chosen(kernel, case.launch, sizes, gpu)
        if chosen:
            staged = kernel_on_gpu(kernel, LaunchConfig(case.launch.block, chosen), sizes, gpu)
            if staged.occupancy.blocks_per_sm:
                timed.append((kernel_time_s(staged), staged, f"{origin}, {ORIGIN_SHARED}"))
    _, best, _ = min(timed, key=lambda entry: entry[0])
    return KernelEvaluation(
        kernel=kernel,
        launches=whole_count(kernel.launches, sizes),
        prediction=predict_kernel(best),
        candidates=tuple(LaunchCandidate(case.launch, time_s, origin) for time_s, case, origin in timed),
        shared_greedy=shared_opportunities(kernel, best.launch.block, sizes, gpu),
    )


def _chosen(kernel: Kernel, launch: LaunchConfig, sizes: Mapping[str, int], gpu: Gpu) -> tuple[SharedChoice, ...]:
    opportunities = shared_opportunities(kernel, launch.block, sizes, gpu)
    return choose_shared(opportunities, gpu.occupancy.shared_per_block_bytes) if opportunities else ()


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
