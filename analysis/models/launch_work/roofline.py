"""The roofline: what a GPU reaches at most for each arithmetic intensity, and where a kernel stands below it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from warplens.analysis.facts.program import OpClass, blocks
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu
from warplens.analysis.models.launch_work.request_latency import dram_bytes_per_warp, l2_bytes_per_warp
from warplens.analysis.models.results.quantity import only

RoofKind = Literal["bandwidth", "computation"]

_PEAKS: tuple[tuple[str, OpClass], ...] = (("FP32", "fp32_fma"), ("FP64", "fp64_fma"))


@dataclass(frozen=True, slots=True)
class Roof:
    """A limit of a GPU: `per_s` is bytes per second of a bandwidth, floating-point operations per second of a peak.

    `profile_key` is where in the profile it stands.
    """

    kind: RoofKind
    name: str
    per_s: float
    profile_key: str


@dataclass(frozen=True, slots=True)
class RooflinePoint:
    """A kernel in one launch: operations, and the bytes that pass a level of memory.

    `peak` names the roof of its arithmetic: "FP64" where any of it is in double precision, empty where there is none.
    """

    peak: str
    flops: float
    dram_bytes: float
    l2_bytes: float

    @property
    def dram_intensity(self) -> float | None:
        """Operations per byte of device memory; None where no byte passes."""
        return self.flops / self.dram_bytes if self.dram_bytes > 0 else None

    @property
    def l2_intensity(self) -> float | None:
        """Operations per byte of L2."""
        return self.flops / self.l2_bytes if self.l2_bytes > 0 else None


def roofs(gpu: Gpu) -> tuple[Roof, ...]:
    """Bandwidths of device memory and L2 and the peaks of FP32 and FP64, as the models use them.

    Equation: peak = 2 · results per cycle and SM of fused multiply-adds · SMs · clock.
    Source: Williams, Waterman, Patterson 2009; several levels: Ilic, Pratas, Sousa 2014.
    A level that the GPU does not have is left out.
    """
    memory = (
        Roof("bandwidth", "DRAM", gpu.dram.bandwidth_bytes_per_s, "dram.bandwidth_gb_per_s"),
        Roof("bandwidth", "L2", gpu.l2.bandwidth_bytes_per_s, "l2.bandwidth_gb_per_s"),
    )
    peaks = (Roof("computation", name, _peak(gpu, op), f"instructions.tput_{op}") for name, op in _PEAKS)
    return tuple(roof for roof in (*memory, *peaks) if roof.per_s > 0)


def _peak(gpu: Gpu, op: OpClass) -> float:
    return 2 * gpu.timing(op).results_per_cycle_per_sm * gpu.sm_count * gpu.clock_hz


def roofline_point(case: KernelOnGpu, flops: float) -> RooflinePoint:
    """Where a launch with these operations (`Prediction.flops`) stands; bytes are of the whole grid."""
    warps = case.work.warps
    ops = {i.op for block, _ in blocks(case.kernel.program) for i in block.instructions}
    peak = next((name for name in ("FP64", "FP32") if any(op.startswith(name.lower()) for op in ops)), "")
    return RooflinePoint(
        peak,
        flops,
        only(dram_bytes_per_warp(case.work) * warps),
        only(l2_bytes_per_warp(case.work) * warps),
    )
