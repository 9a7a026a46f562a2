"""What a forest may predict a kernel's time from: sizes of the problem, launch, counters, on scales that suit them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.counters.counter_table import CounterTable, Run
from warplens.analysis.counters.metric import Metric
from warplens.analysis.gpu.waves import Extent

THREADS_PER_BLOCK = "threads_per_block"
BLOCK_X = "block_x"
THREADS_LAUNCHED = "threads_launched"
MOST_MISSING = 0.05
"""A counter with a larger share of missing cells is left out; of the others the runs that miss one are."""
FEWEST_RUNS = 8

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
    remarks = [f"{np.count_nonzero(~timed)} runs have no time"] if not timed.all() else []
    rows = np.flatnonzero(timed)
    left_out: list[tuple[str, str]] = []
    columns: list[tuple[Scale, Floats]] = []
    runs = [table.runs[i] for i in rows]
    given = [one for one in given_quantities(runs, machine) if one[0] != BLOCK_X or _has_shapes(runs)]
    if any(name == THREADS_LAUNCHED for name, _, _ in given):
        remarks.append("no file says the problem's size: the number of threads launched stands for it")
    for name, raw, role in (*given, *_counters(table, rows, vocabulary, left_out)):
        if len(raw) and np.nanmax(raw) == np.nanmin(raw):
            left_out.append((name, "it is the same in every run"))
            continue
        is_share = name in vocabulary and vocabulary[name].kind == "share"
        scale = Scale(name, not is_share and bool(np.nanmin(raw) > 0), role)
        columns.append((scale, scale.of(raw)))
    values = np.column_stack([column for _, column in columns]) if columns else np.empty((len(rows), 0))
    whole = ~np.isnan(values).any(axis=1)
    if not whole.all():
        remarks.append(f"{np.count_nonzero(~whole)} runs miss a counter that the others have")
    if np.count_nonzero(whole) < FEWEST_RUNS:
        message = f"{np.count_nonzero(whole)} complete runs are too few: at least {FEWEST_RUNS} are needed"
        raise TooFewRunsError(message)
    times = np.array([run.time_s or 0.0 for run in runs])[whole]
    return Predictors(
        tuple(scale for scale, _ in columns), values[whole], times, rows[whole], tuple(left_out), tuple(remarks)
    )


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
