"""The sum: kernels, launches, transfers and the context, against the CPU (Resios eq. 4.1 and 4.3)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Offload:
    """Times of a whole nest, in seconds. One-time and per-launch overheads are kept apart.

    cold: transfers in and out included, the context not (it is paid once per process and shown beside); resident: the
    data is on the GPU already. `host_s` is what one core needs for the code of the nest that is in no kernel.
    """

    kernels_s: float
    launch_overhead_s: float
    transfer_in_s: float
    transfer_out_s: float
    context_init_s: float
    one_core_s: float
    all_cores_s: float
    bytes_in: float
    bytes_out: float
    host_s: float = 0.0

    @property
    def has_work(self) -> bool:
        """Whether anything runs at these sizes."""
        return self.one_core_s > 0 and self.resident_s > 0

    @property
    def resident_s(self) -> float:
        """Kernels, their launches, and what stays on the host."""
        return self.resident_with(self.kernels_s)

    @property
    def cold_s(self) -> float:
        """With both transfers."""
        return self.cold_with(self.kernels_s)

    def resident_with(self, kernels_s: float) -> float:
        """`resident_s`, did the kernels take so long."""
        return kernels_s + self.launch_overhead_s + self.host_s

    def cold_with(self, kernels_s: float) -> float:
        """`cold_s`, did the kernels take so long."""
        return self.resident_with(kernels_s) + self.transfer_in_s + self.transfer_out_s
