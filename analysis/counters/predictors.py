"""What a forest may predict a kernel's time from: sizes of the problem, launch, counters, on scales that suit them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.counters.counter_table import CounterTable, Run
from warplens.analysis.counters.metric import Metric, MetricKind
from warplens.analysis.gpu.launch.extent import Extent

THREADS_PER_BLOCK = "threads_per_block"
BLOCK_X = "block_x"
THREADS_LAUNCHED = "threads_launched"
MOST_MISSING = 0.05
"""A counter with a larger share of missing cells is left out; of the others the runs that miss one are."""
FEWEST_RUNS = 8
LEAST_SPREAD = 0.01
"""A counter that differs by less, as a part of its largest value, is left out."""
LEAST_STEP = 1e-3
"""The same of shares and of one count per another, in their own unit: eight replays in a million are none."""

_SAME = "it is the same in every run"

Floats = NDArray[np.float64]


class TooFewRunsError(Exception):
    """Why nothing can be fitted, for the user."""


Role = Literal["problem", "launch", "machine", "counter"]
GIVEN: tuple[Role, ...] = ("problem", "launch", "machine")
"""What is known before a run."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How a quantity becomes a predictor: its logarithm to the base 2 where it is positive and may span magnitudes."""

    name: str
    is_log: bool
    role: Role

    @property
    def is_given(self) -> bool:
        """Known before a run."""
        return self.role != "counter"

    def of(self, raw: Floats) -> Floats:
        """The predictor's values; what can't be a logarithm becomes that of the smallest positive double."""
        return np.log2(np.maximum(raw, np.finfo(np.float64).tiny)) if self.is_log else raw

    def back(self, predictor: Floats) -> Floats:
        """The quantity itself again."""
        return np.exp2(predictor) if self.is_log else predictor


def quantity_text(scale: Scale, value: float) -> str:
    """A value on its scale as the quantity was written: through a logarithm some digits come back changed.

    >>> quantity_text(Scale("n", True, "problem"), np.log2(3000)), quantity_text(Scale("n", True, "problem"), 40)
    ('3000', '1099511627776')
    """
    return f"{float(f'{float(scale.back(np.array(value))):.13g}'):.15g}"


@dataclass(frozen=True, slots=True, eq=False)
class Predictors:
    """Shape: values (runs, scales), no NaN; time_s (runs,), all > 0; `rows` are places in the table's runs."""

    scales: tuple[Scale, ...]
    values: Floats
    time_s: Floats
    rows: NDArray[np.intp]
    left_out: tuple[tuple[str, str], ...]
    """Quantities that are no predictors, and why."""
    remarks: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns."""
        return tuple(scale.name for scale in self.scales)

    def columns(self, *roles: Role) -> tuple[int, ...]:
        """Places of the columns in these roles."""
        return tuple(i for i, scale in enumerate(self.scales) if scale.role in roles)

    def raw(self, name: str) -> Floats:
        """One quantity in its own unit; raises ValueError where it is no predictor."""
        column = self.names.index(name)
        return self.scales[column].back(self.values[:, column])


def predictors_of(
    table: CounterTable,
    vocabulary: Mapping[str, Metric],
    machine: Mapping[str, Mapping[str, float]] | None = None,
) -> Predictors:
    """Predictors of the runs of one kernel, in the table's order: sizes, launch, machine, counters.

    `machine` has the characteristics of each run's GPU (`machine.py`) by its name, where several are compared.
    Metrics that restate the time are left out: a throughput is a count divided by what is to be predicted.
    Raises TooFewRunsError.
    """
    timed = np.array([run.time_s is not None and run.time_s > 0 for run in table.runs], dtype=bool)
    remarks = [f"runs without a time above 0: {np.count_nonzero(~timed)}"] if not timed.all() else []
    rows = np.flatnonzero(timed)
    left_out: list[tuple[str, str]] = []
    columns: list[tuple[Scale, Floats]] = []
    runs = [table.runs[i] for i in rows]
    given = [one for one in given_quantities(runs, machine) if one[0] != BLOCK_X or _has_shapes(runs)]
    if any(name == THREADS_LAUNCHED for name, _, _ in given):
        remarks.append("no file says the problem's size: the number of threads launched stands for it")
    for name, raw, role in (*given, *_counters(table, rows, vocabulary, left_out)):
        kind = vocabulary[name].kind if name in vocabulary else "count"
        if why := _hardly_differs(raw, _least_spread(raw, kind) if role == "counter" else 0.0):
            left_out.append((name, why))
            continue
        is_share = kind == "share"
        scale = Scale(name, not is_share and bool(np.nanmin(raw) > 0), role)
        columns.append((scale, scale.of(raw)))
    values = np.column_stack([column for _, column in columns]) if columns else np.empty((len(rows), 0))
    whole = ~np.isnan(values).any(axis=1)
    if not whole.all():
        remarks.append(f"runs that miss a counter which the others have: {np.count_nonzero(~whole)}")
    if np.count_nonzero(whole) < FEWEST_RUNS:
        message = f"{np.count_nonzero(whole)} complete runs are too few, at least {FEWEST_RUNS} are needed"
        raise TooFewRunsError("; ".join([message, *remarks]))
    times = np.array([run.time_s or 0.0 for run in runs])[whole]
    values, scales = values[whole], [scale for scale, _ in columns]
    differs = np.ptp(values, axis=0) > 0  # of these runs and on this scale, other than of all above
    left_out += [(scale.name, _SAME) for scale, one in zip(scales, differs, strict=True) if not one]
    if not differs.any():
        message = "neither a size, nor the launch, nor a counter differs between the runs"
        raise TooFewRunsError(message)
    return Predictors(
        tuple(scale for scale, one in zip(scales, differs, strict=True) if one),
        values[:, differs],
        times,
        rows[whole],
        tuple(left_out),
        tuple(remarks),
    )


def _hardly_differs(raw: Floats, least: float) -> str:
    """Why it can't be what the times differ by, empty where it may be: a forest splits at any difference."""
    spread = float(np.nanmax(raw) - np.nanmin(raw)) if len(raw) else 0.0
    if spread > least:
        return ""
    return "it hardly differs between the runs" if spread else _SAME


def _least_spread(raw: Floats, kind: MetricKind) -> float:
    step = LEAST_STEP if kind in {"share", "per"} else 0.0
    return max(step, LEAST_SPREAD * float(np.nanmax(np.abs(raw)))) if len(raw) else 0.0


def given_quantities(
    runs: Sequence[Run], machine: Mapping[str, Mapping[str, float]] | None = None
) -> tuple[tuple[str, Floats, Role], ...]:
    """What is known of all these runs before they are made: name, values, role; `machine` as in `predictors_of`."""
    if not runs:
        return ()
    sizes = sorted(set.intersection(*({name for name, _ in run.problem} for run in runs)))
    found: list[tuple[str, Floats, Role]] = [
        (name, np.array([dict(run.problem)[name] for run in runs]), "problem") for name in sizes
    ]
    blocks = np.array([prod(run.block) if run.block else np.nan for run in runs])
    if not found:
        launched = blocks * np.array([prod(run.grid) if run.grid else np.nan for run in runs])
        if not np.isnan(launched).any():
            found.append((THREADS_LAUNCHED, launched, "problem"))
    launches = [launch_quantities(run.block) for run in runs if run.block]
    if len(launches) == len(runs):
        found += [(name, np.array([one[name] for one in launches]), "launch") for name in launches[0]]
    if machine:
        shared = sorted(set.intersection(*(set(of) for of in machine.values())))
        found += [(name, np.array([machine[run.gpu][name] for run in runs]), "machine") for name in shared]
    return tuple(found)


def launch_quantities(block: Extent) -> dict[str, float]:
    """What is known of a block.

    >>> launch_quantities((32, 8, 1))
    {'threads_per_block': 256.0, 'block_x': 32.0}
    """
    return {THREADS_PER_BLOCK: float(prod(block)), BLOCK_X: float(block[0])}


def _has_shapes(runs: Sequence[Run]) -> bool:
    """Whether blocks of as many threads have different shapes: else the number of threads says it all."""
    blocks = {run.block for run in runs if run.block}
    return len({(prod(block), block[0]) for block in blocks}) > len({prod(block) for block in blocks})


def _counters(
    table: CounterTable, rows: NDArray[np.intp], vocabulary: Mapping[str, Metric], left_out: list[tuple[str, str]]
) -> Iterator[tuple[str, Floats, Role]]:
    for name in table.metrics:
        raw = table.column(name)[rows]
        missing = float(np.isnan(raw).mean()) if len(raw) else 1.0
        metric = vocabulary.get(name)
        if metric is not None and metric.restates_time:
            left_out.append((name, "it holds the time itself"))
        elif missing > MOST_MISSING:
            left_out.append((name, "no run has it" if missing == 1 else f"{missing:.0%} of the runs miss it"))
        else:
            yield name, raw, "counter"
