"""What a model's choice of the block costs: measured time of the block it recommends over that of the best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from accuracy.ledger.measurement import Measurement
from accuracy.ledger.predictions import Predicted
from accuracy.ledger.recommend import recommended


@dataclass(frozen=True, slots=True)
class Choice:
    """Times relative to the best measured one; `always_256` is None where no such block was measured."""

    chosen: Measurement
    rel: float
    always_256: float | None


def choose(group: Sequence[Predicted], model: str) -> Choice:
    """Choose among the measured blocks of a group, which is not empty."""
    best_s = min(one.measured.time_s for one in group)
    chosen = recommended(group, model)
    default = always_256([one.measured for one in group])
    return Choice(chosen, chosen.time_s / best_s, None if default is None else default.time_s / best_s)


def always_256(group: Sequence[Measurement]) -> Measurement | None:
    """Return the launch of whoever takes 256 threads without looking: 16 x 16, or (256, 1) where that was not run."""
    return next((m for block in ((16, 16, 1), (256, 1, 1)) for m in group if m.block == block), None)
