"""Hand-written kernels and libraries that were timed on days with a GPU: what advice to write or call one rests on."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from accuracy.gpu_day.recorded import RecordedDay, RecordedProgram, recorded_programs
from accuracy.real_c.tables import table

_GIGA = 1e9


def programs_table(days: Sequence[RecordedDay]) -> str:
    """Markdown: a row for each program, size, variant and GPU; empty where nothing was timed."""
    rows: list[list[object]] = [
        [one.program, ", ".join(f"{name} = {size}" for name, size in one.sizes), one.variant, day.profile, *_times(one)]
        for day in days
        for one in recorded_programs(day)
    ]
    return table(["program", "sizes", "variant", "GPU", "median", "least", "GB/s of data"], rows, 4) if rows else ""


def _times(one: RecordedProgram) -> tuple[str, str, str]:
    if not one.times_s:
        return one.missing, "", ""
    middle_s = median(one.times_s)
    return f"{1e6 * middle_s:.1f} µs", f"{1e6 * min(one.times_s):.1f} µs", f"{one.data_bytes / middle_s / _GIGA:.0f}"
