"""Kernels of published programs whose nests were transcribed: tests/accuracy/transcribed, each file with its origin.

A row says which nest, at which sizes, how the measured kernel was launched and how long it took. `python -m
accuracy.ledger.transcribed [WORD]` prints what each model predicts of the rows whose nest or kernel has the word.
"""

from __future__ import annotations

import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from accuracy.ledger.measurement import Extent, Measurement

TRANSCRIBED = Path(__file__).parent.parent / "transcribed"


@cache
def transcribed() -> tuple[Measurement, ...]:
    """All of them, in the order of the files' names and rows."""
    return tuple(
        _measurement(path.stem, row)
        for path in sorted(TRANSCRIBED.glob("*.toml"))
        for row in tomllib.loads(path.read_text(encoding="utf-8"))["launch"]
    )


def _measurement(dataset: str, row: dict[str, Any]) -> Measurement:
    return Measurement(
        dataset,
        row["gpu"],
        row["nest"],
        0,
        _extent(row["block"]),
        _extent(row.get("outputs", [1])),
        (),
        float(row["time_us"]) * 1e-6,
        tuple(row.get("sizes", {}).items()),
        tuple(row.get("order", ())),
        row.get("sm_clock_mhz", 0.0) * 1e6,
    )


def _extent(values: list[int]) -> Extent:
    x, y, z = (*values, 1, 1)[:3]
    return x, y, z


def _main() -> int:
    from accuracy.ledger.predictions import predict

    word = sys.argv[1] if len(sys.argv) > 1 else ""
    for found in transcribed():
        if word in found.kernel:
            for one in predict([found]):
                ratios = "  ".join(f"{model} {one.ratio(model):.2f}" for model, _ in one.times_s)
                print(f"{found.kernel:40} {found.time_s * 1e6:10.1f} us  predicted/measured: {ratios}")
    return 0


if __name__ == "__main__":
    raise SystemExit(_main())
