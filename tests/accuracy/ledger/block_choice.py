"""What a model's choice of the block costs: measured time of the block it recommends over that of the best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from accuracy.ledger.measurement import Measurement
from accuracy.ledger.predictions import Predicted

ALIKE = 0.01
"""Launches predicted within this share of the best are alike; as in the search (models/evaluate_nest.py)."""
LARGE_BLOCK_THREADS = 512
DEFAULT_THREADS = 256


@dataclass(frozen=True, slots=True)
class Choice:
    """Times relative to the best measured one; `always_256` is None where no such block was measured."""

    chosen: Measurement
    best: Measurement
    rel: float
    always_256: float | None


def choose(group: Sequence[Predicted], model: str) -> Choice:
    """Choose among the measured blocks of a group, which is not empty."""
    best = min((one.measured for one in group), key=lambda m: m.time_s)
    limit = min(one.time_s(model) for one in group) * (1 + ALIKE)
    chosen = min((one.measured for one in group if one.time_s(model) <= limit), key=_preference)
    default = always_256([one.measured for one in group])
    return Choice(
        chosen,
        best,
        chosen.time_s / best.time_s,
        None if default is None else default.time_s / best.time_s,
    )


def always_256(group: Sequence[Measurement]) -> Measurement | None:
    """Return the launch of whoever takes 256 threads without looking: 16 x 16, or (256, 1) where that was not run."""
    return next((m for block in ((16, 16, 1), (256, 1, 1)) for m in group if m.block == block), None)


def _preference(measured: Measurement) -> tuple[bool, int, int]:
    """Of blocks predicted alike: not the large ones, near 256 threads, wide."""
    threads = measured.threads_per_block
    apart = max(threads, DEFAULT_THREADS) // min(threads, DEFAULT_THREADS)
    return threads > LARGE_BLOCK_THREADS, apart, -measured.block[0]
