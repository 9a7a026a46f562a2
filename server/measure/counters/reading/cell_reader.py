"""Cells of one table as numbers in our units, with what goes wrong said of the file's line and column."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.counters.metric import Metric
from warplens.analysis.gpu.launch.extent import Extent
from warplens.hwprofiles.counter_metrics import Profiler, Source, Vocabulary
from warplens.server.measure.counters.reading.cell import LEVEL, Cell, CellError, read_cell, time_factor_s, unit_factor
from warplens.server.measure.counters.reading.csv_rows import CsvRows
from warplens.server.measure.counters.reading.kernel_name import short_kernel
from warplens.server.measure.counters.reading.losses import Losses
from warplens.server.measure.counters.reading.raw_run import RawRun, extent_of

_PERCENT, _LEVEL_STEP = 0.01, 0.1
_MOST_SHARE = 2.0
"""Efficiencies of nvprof reach 1.3 (a cached line serves several warps); what is above two was meant in percent."""


@dataclass(frozen=True, slots=True)
class CounterColumn:
    """A counter's place: `label` for messages, `unit` what the file says of the whole column."""

    name: str
    label: str
    source: Source
    metric: Metric
    unit: str = ""


@dataclass(frozen=True, slots=True)
class CellReader:
    """`profiler` is whose words the columns are in, None for a plain table, where anybody's are understood."""

    rows: CsvRows
    vocabulary: Vocabulary
    losses: Losses
    profiler: Profiler | None

    def run(self, name: str, line: int, column: str) -> RawRun:
        """Of a kernel; instances of a template and overloads that share a short name are noted.

        Raises CounterFileError where there is no name.
        """
        name = " ".join(name.split())
        if not name:
            raise self.rows.error(line, column, "the kernel has no name")
        short = short_kernel(name)
        self.losses.instances.setdefault(short, {})[name] = None
        return RawRun(short, line, name)

    def counter(self, name: str, label: str, unit: str = "") -> CounterColumn | None:
        """None, and noted, where the vocabulary has no such word."""
        source = self.vocabulary.source(name, self.profiler)
        if source is None:
            self.losses.unknown[name] = None
            return None
        return CounterColumn(name, label, source, self.vocabulary.metrics[source.metric], unit)

    def number(self, text: str, line: int, column: str) -> Cell:
        """Raises CounterFileError."""
        try:
            return read_cell(
                text, comma_is_decimal=self.rows.delimiter != ",", may_be_infinite=self.profiler is not None
            )
        except CellError as error:
            raise self.rows.error(line, column, str(error)) from error

    def time_s(self, text: str, unit: str, line: int, column: str) -> float | None:
        """Raises CounterFileError: not above 0, or in no unit of time."""
        cell = self.number(text, line, column)
        if cell.value is None:
            return None
        factor = time_factor_s(cell.unit or unit)
        if factor is None:
            said = cell.unit or unit
            why = f"{said} is no unit of time" if said else "a time without a unit: say --time-unit s, ms, us or ns"
            raise self.rows.error(line, column, why)
        if cell.value <= 0:
            raise self.rows.error(line, column, f"{text} is a {'negative time' if cell.value else 'time of nothing'}")
        return cell.value * factor

    def size(self, text: str, line: int, column: str) -> float | None:
        """Of a problem; raises CounterFileError: not above 0."""
        value = self.number(text, line, column).value
        if value is not None and value <= 0:
            raise self.rows.error(line, column, f"{text} is no size: sizes are above 0")
        return value

    def whole(self, text: str, line: int, column: str, *, unit: str = "", least: int = 0) -> int | None:
        """A whole number from `least` on; raises CounterFileError."""
        cell = self.number(text, line, column)
        if cell.value is None:
            return None
        unit = cell.unit or unit
        factor = unit_factor(unit, self.profiler) if unit else 1.0
        if factor is None:
            raise self.rows.error(line, column, f"{unit} is no unit that is known")
        value = round(cell.value * factor)
        if value < least or (factor == 1.0 and value != cell.value):
            raise self.rows.error(line, column, f"{text} is no whole number from {least} on")
        return value

    def extent(self, text: str, line: int, column: str) -> Extent | None:
        """Of a block or a grid, None for an empty cell; raises CounterFileError."""
        found = extent_of(text)
        if text and found is None:
            raise self.rows.error(line, column, f"{text[:40]!r} is no extent such as (16, 16, 1)")
        return found

    def put(self, run: RawRun, column: CounterColumn, text: str) -> None:
        """Keep a counter's value in the metric's unit; raises CounterFileError."""
        source = column.source
        cell = self.number(text, run.line, column.label)
        if cell.value is None:
            self.losses.lost[source.metric] += cell.is_lost
            return
        if cell.value < 0:
            raise self.rows.error(run.line, column.label, f"{text} is negative: nothing counts so")
        value = self._in_our_unit(cell.value, cell.unit or column.unit, column, run.line)
        if value is None:
            return
        if source.is_part:
            run.parts.setdefault(source.metric, {})[column.name.removeprefix("ev:").strip()] = value
        elif source.per:
            run.dividends[source.metric] = (source.order, value, source.per)
        elif source.metric not in run.values or source.order < run.values[source.metric][0]:
            run.values[source.metric] = (source.order, value)

    def _in_our_unit(self, value: float, unit: str, column: CounterColumn, line: int) -> float | None:
        """None, and noted, where the unit is missing or not known."""
        metric, scale = column.metric, column.source.scale
        if not unit:
            if metric.unit == "bytes/s":
                self.losses.without_unit[column.name] = None
                return None
            if self.profiler is None and metric.kind == "share" and scale == 1.0 and value > _MOST_SHARE:
                message = f"{value:g} is no share of 1: write {value:g}% or {value * _PERCENT:g}"
                raise self.rows.error(line, column.label, message)
            return value * scale
        if unit == LEVEL and metric.kind == "share":
            return value * _LEVEL_STEP
        if unit == "%" and metric.kind in {"share", "per"}:
            return value * _PERCENT
        factor = unit_factor(unit, self.profiler)
        if factor is None or (metric.unit == "bytes/s" and not unit.endswith(("/s", "/second"))):
            self.losses.odd_units[f"{column.name} in {unit}"] = None
            return None
        return value * scale * factor
