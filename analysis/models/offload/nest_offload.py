"""The sum over a nest's kernels, its transfers and the CPU at one problem size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from warplens.analysis.cpu.cpu_time import CpuTime
from warplens.analysis.facts.mapped_nest import MappedNest
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.types import Scalar
from warplens.analysis.models.offload.transfer_time import launch_overhead_s, one_time_overhead_s, transfer_time_s
from warplens.analysis.models.results.offload import Offload
from warplens.analysis.simulation.grid import count


@dataclass(frozen=True, slots=True)
class TimedKernel:
    """A kernel, how often it is launched, and the time of one launch; `mapped` where it is no kernel of the source."""

    kernel: Kernel
    launches: int
    time_s: float
    mapped: MappedNest | None = None

    @property
    def root(self) -> NodeId:
        """The outermost loop of the source's kernel whose work it has a part in."""
        return self.kernel.root if self.mapped is None else self.mapped.region(self.kernel.root)


def offload_of(
    facts: NestFacts, sizes: Mapping[str, int], kernels: Sequence[TimedKernel], cpu_time: CpuTime, gpu: Gpu
) -> Offload:
    """Add up what a nest takes on the GPU, beside the CPU's times; `sizes` has derived symbols too.

    A variable that threads combine comes back after each launch, as a copy of its own.
    Source: Resios eq. 4.1 and 4.3. Assumes: as `evaluate_nest`.
    """
    bytes_in = [count(transfer.in_bytes, sizes) for transfer in facts.transfers]
    bytes_out = [count(transfer.out_bytes, sizes) for transfer in facts.transfers]
    results = [(float(each.launches), size) for each in kernels for size in _results_bytes(facts, each.kernel)]
    launches = sum(float(each.launches) for each in kernels)
    roots = {each.root for each in kernels}
    return Offload(
        kernels_s=sum(float(each.launches) * each.time_s for each in kernels),
        launch_overhead_s=launch_overhead_s(gpu.host, launches),
        transfer_in_s=sum(transfer_time_s(size, gpu.host, "h2d") for size in bytes_in),
        transfer_out_s=sum(transfer_time_s(size, gpu.host, "d2h") for size in bytes_out)
        + sum(times * transfer_time_s(size, gpu.host, "d2h") for times, size in results),
        context_init_s=one_time_overhead_s(gpu.host),
        one_core_s=cpu_time.one_core_s,
        all_cores_s=cpu_time.all_cores_s,
        bytes_in=sum(bytes_in),
        bytes_out=sum(bytes_out) + sum(times * size for times, size in results),
        host_s=sum(seconds for around, seconds in cpu_time.loops_s if roots.isdisjoint(around)),
    )


def _results_bytes(facts: NestFacts, kernel: Kernel) -> list[int]:
    """Bytes of each variable that the kernel's threads combine or set, and that is no element of an array."""
    types = {scalar.name: scalar.type for scalar in facts.nest.scalars}
    names = dict.fromkeys(each.variable for each in kernel.reductions if not each.is_array_element)
    return [ctype.size_bytes for name in names if isinstance(ctype := types.get(name), Scalar)]
