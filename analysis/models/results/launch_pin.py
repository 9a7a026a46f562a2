"""What the user has decided of a launch, the rest being left to the search."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from warplens.analysis.gpu.launch.launch import LaunchConfig


@dataclass(frozen=True, slots=True)
class LaunchPin:
    """Block, outputs per thread over all axes, and exactly the arrays that are staged; None: the search chooses.

    With anything pinned, threads have one output each unless `work_per_thread` says otherwise.
    """

    block: tuple[int, int, int] | None = None
    work_per_thread: int | None = None
    shared: tuple[str, ...] | None = None

    def is_met_by(self, launch: LaunchConfig) -> bool:
        """Whether a launch is as it says; any is where it says nothing."""
        if self == FREE:
            return True
        return (
            self.block in {None, launch.block}
            and (self.work_per_thread or 1) == prod(launch.outputs_per_thread)
            and (self.shared is None or set(self.shared) == {choice.array for choice in launch.shared})
        )


FREE = LaunchPin()
"""Nothing is pinned."""

ONE_OUTPUT = LaunchPin(work_per_thread=1)
"""What a directive can ask for, of which the best is recommended."""
