"""A run as one file has it, before files of the same runs are put together."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from warplens.analysis.gpu.waves import Extent
from warplens.hwprofiles.counter_metrics import Profiler, Vocabulary
from warplens.server.counters.reading.cell import Cell, CellError, read_cell, time_factor_s, unit_factor
from warplens.server.counters.reading.csv_rows import CsvRows

_EXTENT = re.compile(r"\D*(\d+)\D+(\d+)(?:\D+(\d+))?\D*")

_MOST_NAMED = 5


@dataclass(slots=True)
class RawRun:
    """Mutable while a file is read: `values` by metric with the order of the source that gave them."""

    kernel: str
    line: int
    gpu: str = ""
    time_s: float | None = None
    block: Extent | None = None
    grid: Extent | None = None
    registers: int | None = None
    shared_bytes: int | None = None
    problem: dict[str, float] = field(default_factory=dict)
    values: dict[str, tuple[int, float]] = field(default_factory=dict)
    parts: dict[str, dict[str, float]] = field(default_factory=dict)


@dataclass(slots=True)
class Losses:
    """What of a file did not become a number."""

    lost: Counter[str] = field(default_factory=Counter)
    without_unit: dict[str, None] = field(default_factory=dict)
    unknown: dict[str, None] = field(default_factory=dict)
    instances: dict[str, dict[str, None]] = field(default_factory=dict)

    def remarks(self, path: str) -> list[str]:
        """In sentences."""
        found = [
            f"{path}: {metric} ran over or was refused by the profiler in {count} runs"
            for metric, count in self.lost.items()
            if count
        ]
        for names, why in ((self.without_unit, "throughputs without a unit"), (self.unknown, "not known")):
            if names:
                more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
                found.append(f"{path}: not used ({why}): {', '.join(list(names)[:_MOST_NAMED])}{more}")
        found += [
            f"{path}: {kernel} are {len(names)} kernels that are taken as one: {', '.join(list(names)[:_MOST_NAMED])}"
            for kernel, names in self.instances.items()
            if len(names) > 1
        ]
        return found


@dataclass(frozen=True, slots=True)
class CellReader:
    """Cells of one file, with what goes wrong said of the file's line and column."""

    rows: CsvRows
    vocabulary: Vocabulary
    losses: Losses

    def kernel(self, name: str) -> str:
        """Its short name; instances of a template and overloads that share one are noted."""
        short = short_kernel(name)
        self.losses.instances.setdefault(short, {})[name] = None
        return short

    def number(self, text: str, line: int, column: str) -> Cell:
        """Raises CounterFileError."""
        try:
            return read_cell(text, comma_is_decimal=self.rows.delimiter != ",")
        except CellError as error:
            raise self.rows.error(line, column, str(error)) from error

    def time_s(self, text: str, unit: str, line: int, column: str) -> float | None:
        """Raises CounterFileError: negative, or in no unit of time."""
        cell = self.number(text, line, column)
        if cell.value is None:
            return None
        factor = time_factor_s(cell.unit or unit)
        if factor is None:
            raise self.rows.error(line, column, f"{cell.unit or unit or 'a time without a unit'} is no unit of time")
        if cell.value < 0:
            raise self.rows.error(line, column, f"{text} is a negative time")
        return cell.value * factor

    def whole(self, text: str, line: int, column: str) -> int | None:
        """A whole number; raises CounterFileError."""
        cell = self.number(text, line, column)
        return None if cell.value is None else round(cell.value * (unit_factor(cell.unit) or 1.0))

    def put(self, run: RawRun, name: str, text: str, unit: str, column: str, profiler: Profiler | None) -> None:
        """Keep a counter's value in the metric's unit; raises CounterFileError."""
        source = self.vocabulary.source(name, profiler)
        if source is None:
            self.losses.unknown[name] = None
            return
        cell = self.number(text, run.line, column)
        if cell.value is None:
            self.losses.lost[source.metric] += cell.is_lost
            return
        value = cell.value * source.scale
        factor = unit_factor(cell.unit or unit)
        metric = self.vocabulary.metrics[source.metric]
        if metric.unit in {"bytes", "bytes/s"}:
            if factor is None and metric.unit == "bytes/s":
                self.losses.without_unit[name] = None
                return
            value = value * (factor or 1.0)
        elif factor is not None:
            value *= factor
        if source.is_part:
            run.parts.setdefault(source.metric, {})[name.removeprefix("ev:")] = value
        elif source.metric not in run.values or source.order < run.values[source.metric][0]:
            run.values[source.metric] = (source.order, value)


def extent_of(text: str) -> Extent | None:
    """Of `(16, 16, 1)` and the like.

    >>> extent_of("(16, 8, 1)"), extent_of("x")
    ((16, 8, 1), None)
    """
    found = _EXTENT.fullmatch(text)
    return (int(found[1]), int(found[2]), int(found[3] or 1)) if found else None


def short_kernel(name: str) -> str:
    """A kernel's name without its parameters and template arguments.

    >>> short_kernel("void reduce<float, (int)256>(float*, int)"), short_kernel("matMul")
    ('reduce', 'matMul')
    """
    head = re.split(r"[<(]", name.replace("(anonymous namespace)::", ""), maxsplit=1)[0].strip()
    return head.rsplit(" ", 1)[-1].rsplit("::", 1)[-1] or name
