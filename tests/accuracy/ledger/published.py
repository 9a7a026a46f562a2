"""Kernel times that others measured and published: tests/accuracy/measured, each file with its origin and licence."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

from accuracy.ledger.measurement import Measurement

MEASURED = Path(__file__).parent.parent / "measured"


@cache
def published() -> tuple[Measurement, ...]:
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
