"""A nest's evaluation around its evaluated kernels: transfers, the CPU, the sum, and what is taken for granted."""

from __future__ import annotations

from collections.abc import Mapping

from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.cpu.cpu_time import CpuTime
from warplens.analysis.cpu.sequential import cpu_time
from warplens.analysis.facts.mapped_nest import MappedNest
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.models.offload.nest_offload import TimedKernel, offload_of
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.workload.loops.derived_symbols import extend_sizes

CONTEXT = Assumption(
    "context",
    "data",
    "With copies: the arrays are on the host before and after the loop. Without: they stay on the GPU.",
)


def with_kernels(
    facts: NestFacts,
    sizes: Mapping[str, int],
    kernels: tuple[KernelEvaluation, ...],
    gpu: Gpu,
    cpu: Cpu,
    mapped: MappedNest | None = None,
) -> NestEvaluation:
    """The nest around its evaluated kernels: transfers, the CPU, the sum; `sizes` has every parameter's value."""
    values = extend_sizes(sizes, facts.nest)
    timed = [TimedKernel(each.kernel, each.launches, each.prediction.time_s, mapped) for each in kernels]
    cpu_result = cpu_time(facts, values, cpu)
    return NestEvaluation(
        facts=facts,
        sizes=tuple(sorted(sizes.items())),
        kernels=kernels,
        offload=offload_of(facts, values, timed, cpu_result, gpu) if kernels else None,
        cpu_time=cpu_result,
        gpu=gpu,
        cpu=cpu,
        assumptions=_assumptions(facts, kernels, cpu_result, gpu),
        mapped=mapped,
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
