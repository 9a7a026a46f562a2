"""Many launches of one kernel as columns: what the search over configurations counts and costs at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.gpu.launch.launch import LaunchConfig

Column = NDArray[np.float64]
"""A number per launch; shape (launches,)."""
Table = NDArray[np.float64]
"""A row per launch; shape (launches, things), what the things are says the name.

Things are few and launches many: tables are stored thing by thing (numpy's order "F"), as sums over things are slow
otherwise."""
Flags = NDArray[np.bool_]

Entry = TypeVar("Entry", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class Launches:
    """Launch configurations of one kernel.

    Shape: `block` and `outputs_per_thread` (launches, 3) integers along x, y, z; `staged` (launches, len(arrays)) says
    which of `arrays` a launch keeps in shared memory. Outputs lie as in `LaunchConfig`: a block apart along x, side by
    side along y and z.
    """

    block: NDArray[np.int64]
    outputs_per_thread: NDArray[np.int64]
    arrays: tuple[str, ...]
    staged: Flags

    def __len__(self) -> int:
        """Return how many launches there are."""
        return len(self.block)

    @property
    def threads_per_block(self) -> NDArray[np.int64]:
        """Threads of a block."""
        threads: NDArray[np.int64] = self.block.prod(axis=1)
        return threads

    def take(self, rows: NDArray[np.int64]) -> Launches:
        """Return the launches of some rows, in that order."""
        block, outputs = take_rows(self.block, rows), take_rows(self.outputs_per_thread, rows)
        return Launches(block, outputs, self.arrays, take_rows(self.staged, rows))


def launches_of(*launches: LaunchConfig) -> Launches:
    """Return launches as rows."""
    staged = [{choice.array for choice in launch.shared} for launch in launches]
    arrays = tuple(sorted(set[str]().union(*staged)))
    return Launches(
        np.array([launch.block for launch in launches], dtype=np.int64),
        np.array([launch.outputs_per_thread for launch in launches], dtype=np.int64),
        arrays,
        np.array([[array in each for array in arrays] for each in staged], dtype=np.bool_),
    )


def take_rows(table: NDArray[Entry], rows: NDArray[np.int64]) -> NDArray[Entry]:
    """Return some rows of a table, stored thing by thing."""
    taken: NDArray[Entry] = table.T.take(rows, axis=-1).T
    return taken
