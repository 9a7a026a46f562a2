"""A measured kernel time: what ran, how it was launched and how long it took."""

from __future__ import annotations

from dataclasses import dataclass

Extent = tuple[int, int, int]
Sizes = tuple[tuple[str, int], ...]
"""Values of a nest's parameters."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One launch. `gpu` is a profile's id, `kernel` a name of kernels.py, `staged` the arrays in shared memory.

    `sizes` are parameters of the kernel's nest that neither `n` nor kernels.py gives, for they change with the launch;
    `order` are the loops on threadIdx.x, y and z where kernels.py does not say; `clock_hz` is the clock that the
    multiprocessors were held at, 0 where they ran at what their profile says.
    """

    dataset: str
    gpu: str
    kernel: str
    n: int
    block: Extent
    outputs: Extent
    staged: tuple[str, ...]
    time_s: float
    sizes: Sizes = ()
    order: tuple[str, ...] = ()
    clock_hz: float = 0.0

    @property
    def threads_per_block(self) -> int:
        """Threads of a block."""
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def outputs_per_thread(self) -> int:
        """Iterations of the grid that a thread runs."""
        return self.outputs[0] * self.outputs[1] * self.outputs[2]
