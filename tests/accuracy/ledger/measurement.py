"""Measured kernel times: what ran, how it was launched and how long it took."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

MEASURED = Path(__file__).parent.parent / "measured"

Extent = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Measurement:
    """One launch. `gpu` is a profile's id, `kernel` a name of kernels.py, `staged` the arrays in shared memory."""

    dataset: str
    gpu: str
    kernel: str
    n: int
    block: Extent
    outputs: Extent
    staged: tuple[str, ...]
    time_s: float

    @property
    def threads_per_block(self) -> int:
        """Threads of a block."""
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def outputs_per_thread(self) -> int:
        """Iterations of the grid that a thread runs."""
        return self.outputs[0] * self.outputs[1] * self.outputs[2]


@cache
def measurements() -> tuple[Measurement, ...]:
    """All of them, in the order of the files' names and lines."""
    return tuple(found for path in sorted(MEASURED.glob("*.csv")) for found in _read(path))


def _read(path: Path) -> list[Measurement]:
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    return [
        Measurement(
            path.stem,
            row["gpu"],
            row["kernel"],
            int(row["n"]),
            (int(row["block_x"]), int(row["block_y"]), int(row["block_z"])),
            (int(row["outputs_x"]), int(row["outputs_y"]), int(row["outputs_z"])),
            tuple(row["staged"].split()),
            float(row["time_us"]) * 1e-6,
        )
        for row in rows
    ]
