"""Which step comes next, so that the time is used in the order of the stages and no stage takes all of it."""

from __future__ import annotations

from collections.abc import Sequence

from accuracy.gpu_day.there.steps import STAGES, Step

STAGE_ENDS = {"check": 0.15, "calibrate": 0.5, "measure": 0.9, "counters": 1.0}
"""Shares of the whole time at which a stage gives way to the next, if it has not ended before."""


def next_of(fresh: Sequence[Step], again: Sequence[Step], now_s: float, whole_s: float) -> Step | None:
    """The next of those that never failed, then of those that did."""
    return next_step(fresh, now_s, whole_s) or next_step(again, now_s, whole_s)


def next_step(waiting: Sequence[Step], now_s: float, whole_s: float) -> Step | None:
    """The first step that would end within its stage's time, else within the whole; None where none would.

    `now_s`: seconds since the start, those that started steps are expected to take included.
    """
    for stage in STAGES:
        for step in waiting:
            if step.stage == stage and now_s + step.estimate_s <= STAGE_ENDS[stage] * whole_s:
                return step
    ordered = sorted(waiting, key=lambda step: STAGES.index(step.stage))
    return next((step for step in ordered if now_s + step.estimate_s <= whole_s), None)
