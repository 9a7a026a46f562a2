"""A mapping that was tried, and how the time of its kernels is found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from warplens.analysis.facts.mapped_nest import MappedNest
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.choice.choose_model import choose_model
from warplens.analysis.models.launches.launch_search import search
from warplens.analysis.models.launches.recommended_launch import recommended
from warplens.analysis.models.offload.transfer_time import launch_overhead_s
from warplens.analysis.models.results.kernel_family import family_of
from warplens.analysis.models.results.launch_pin import LaunchPin
from warplens.analysis.simulation.grid import whole_count
from warplens.analysis.workload.loops.derived_symbols import Sizes

PLAIN = LaunchPin(work_per_thread=1, shared=())
"""One output per thread, nothing staged: what most mappings are tried with, which takes a tenth of the search."""


@dataclass(frozen=True, slots=True)
class SourceTime:
    """Seconds of all launches of a kernel of the source's order, with their overheads.

    `plain_s` with one output per thread and what a directive can stage, `written_s` as a port to CUDA has it.
    """

    plain_s: float
    written_s: float


@dataclass(frozen=True, slots=True)
class TriedMapping:
    """A mapping of one kernel of the source, or of the nest if it `is_whole`; its time has the launches' overheads."""

    root: NodeId
    mapped: MappedNest
    time_s: float
    name: str = ""
    is_whole: bool = False


def kernels_s(kernels: Sequence[Kernel], sizes: Sizes, gpu: Gpu, errors: Sequence[ModelError], pin: LaunchPin) -> float:
    """Seconds of all launches with their overheads; with nothing pinned, each kernel as it would be written.

    Infinite where one has no launch that is possible.
    """
    total = 0.0
    for kernel in kernels:
        sized = SizedKernel.of(kernel, sizes)
        model = choose_model(family_of(sized.kernel), errors).model
        found = recommended(search(sized, gpu, model, most=1, pin=pin), gpu)
        if found is None:
            return float("inf")
        launches = float(whole_count(kernel.launches, sizes))
        total += launches * found.time_s + launch_overhead_s(gpu.host, launches)
    return total
