"""A measured kernel that a loop nest is linked to, as an answer carries it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from warplens.analysis.advice.measured_runs import MeasuredRuns


@dataclass(frozen=True, slots=True)
class LinkedKernel:
    """What is shown of a measured kernel beside a nest.

    `measured` are the fastest runs of some sizes, smallest first, largest last. `bottleneck`
    is the first one, empty where there is none, with the `rule` that speaks of it and its first `evidence`;
    `mape_inside` is the error of the kernel's own model between the sizes that were run, as a share; `model` is the
    name of its file.
    """

    kernel: str
    gpu: str
    profile: str | None
    by: Literal["comment", "name"]
    runs: int
    measured: tuple[MeasuredRuns, ...]
    bottleneck: str
    rule: str | None
    evidence: str
    is_noise: bool
    mape_inside: float | None
    model: str = ""
