"""Whether a model sees what more outputs per thread gain: the best measured time for each number of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from accuracy.ledger.errors import spearman
from accuracy.ledger.measurement import Extent
from accuracy.ledger.predictions import Predicted
from accuracy.ledger.recommend import recommended


@dataclass(frozen=True, slots=True)
class BestOf:
    """Outputs per thread along x, y, z with the least time over the blocks, measured and predicted."""

    outputs: Extent
    measured_s: float
    predicted_s: float


@dataclass(frozen=True, slots=True)
class WorkPerThread:
    """`rel` is the measured time of the recommended launch over the best; `single` that of one output per thread."""

    sweep: tuple[BestOf, ...]
    recommended: Extent
    best: Extent
    rel: float
    single: float
    rank: float | None


def work_per_thread(group: Sequence[Predicted], model: str) -> WorkPerThread | None:
    """Compare the sweep of a group; None where outputs per thread do not change in it."""
    by_outputs: dict[Extent, list[Predicted]] = {}
    for one in group:
        by_outputs.setdefault(one.measured.outputs, []).append(one)
    if len(by_outputs) < 2 or (1, 1, 1) not in by_outputs:
        return None
    sweep = tuple(
        BestOf(
            outputs,
            min(one.measured.time_s for one in launches),
            min(one.time_s(model) for one in launches),
        )
        for outputs, launches in sorted(by_outputs.items())
    )
    best = min(group, key=lambda one: one.measured.time_s)
    chosen = recommended(group, model)
    return WorkPerThread(
        sweep,
        chosen.outputs,
        best.measured.outputs,
        chosen.time_s / best.measured.time_s,
        next(entry.measured_s for entry in sweep if entry.outputs == (1, 1, 1)) / best.measured.time_s,
        spearman([entry.predicted_s for entry in sweep], [entry.measured_s for entry in sweep]),
    )
