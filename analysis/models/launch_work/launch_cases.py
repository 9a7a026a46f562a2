"""The launches of one kernel at one problem size on one GPU as the models start from them, each counted once."""

from __future__ import annotations

from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.launch_work.counted_launches import CountedLaunches
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu, counted_on_gpu, kernel_on_gpu
from warplens.analysis.workload.loops.derived_symbols import Sizes


class LaunchCases:
    """Asked for by whoever costs a launch: the search, and what is said of the launch that it recommends."""

    def __init__(self, sized: SizedKernel, gpu: Gpu) -> None:
        self._sized = sized
        self._gpu = gpu
        self._found: dict[LaunchConfig, KernelOnGpu] = {}

    def of(self, launch: LaunchConfig) -> KernelOnGpu:
        """Return any launch."""
        if launch not in self._found:
            self._found[launch] = kernel_on_gpu(self._sized, launch, self._gpu)
        return self._found[launch]

    def of_row(self, counted: CountedLaunches, row: int) -> KernelOnGpu:
        """Return a launch that was counted together with others."""
        launch = counted.launch(row)
        if launch not in self._found:
            self._found[launch] = counted_on_gpu(counted.row(row), launch)
        return self._found[launch]


class KernelCases:
    """The cases of a nest's kernels while it is evaluated: of what was searched another launch is evaluated later."""

    def __init__(self, gpu: Gpu) -> None:
        self._gpu = gpu
        self._found: dict[int, tuple[Kernel, SizedKernel, LaunchCases]] = {}

    def of(self, kernel: Kernel, sizes: Sizes) -> tuple[SizedKernel, LaunchCases]:
        """Return a kernel at its sizes, which are always the same for it, and its launches."""
        if id(kernel) not in self._found:
            sized = SizedKernel.of(kernel, sizes)
            # The kernel is held, so that no other one gets its identity: to compare kernels takes a walk through both.
            self._found[id(kernel)] = kernel, sized, LaunchCases(sized, self._gpu)
        return self._found[id(kernel)][1:]
