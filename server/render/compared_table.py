"""A nest on several GPUs as a table, and what to say below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from warplens.analysis.advice.naming import best_cpu_text
from warplens.analysis.text.quantities import ratio_text, time_text
from warplens.server.compared_gpus.job import ComparedGpu
from warplens.server.render.columns import Table

_WORTH_SAYING = 1.05
DATA_WORDS: Mapping[str, str] = {"cold": "with copies", "resident": "data on the GPU"}


def compared_table(rows: Sequence[ComparedGpu]) -> Table:
    """One row per GPU, in their order; without the columns that have no ground."""
    with_break_even = any(row.break_even for row in rows) and _have_ground(rows)
    head = ("GPU", "with copies", "data there", "kernels (9 of 10)", *_versus(rows), "bound by", "launch")
    wins = ("faster than the CPU, data there", "with copies") if with_break_even else ()
    return ((*head, *wins), *(_row(row, len(wins)) for row in rows))


def _have_ground(rows: Sequence[ComparedGpu]) -> bool:
    return all(row.has_ground for row in rows)


def _versus(rows: Sequence[ComparedGpu]) -> tuple[str, ...]:
    """Of all GPUs the same: what they are held against."""
    return (f"vs {best_cpu_text(rows[0].against, rows[0].core_count)}",) if _have_ground(rows) else ()


def _row(row: ComparedGpu, break_evens: int) -> tuple[str, ...]:
    return (
        row.name,
        time_text(row.cold_s),
        time_text(row.resident_s),
        "-" if row.range_s is None else f"{time_text(row.range_s[0])} to {time_text(row.range_s[1])}",
        *((f"{_speedup(row, row.resident_s)}, with copies {_speedup(row, row.cold_s)}",) if row.has_ground else ()),
        row.bound,
        row.launch.removeprefix("block "),
        *(*(row.break_even or ()), "", "")[:break_evens],
    )


def _speedup(row: ComparedGpu, time_s: float) -> str:
    return ratio_text(row.cpu_s / time_s)


def compared_notes(rows: Sequence[ComparedGpu]) -> tuple[str, ...]:
    """What to know of the numbers: whose ranges are wider, where they overlap, and of other makers' GPUs."""
    wider = [row for row in rows if row.profile_factor > _WORTH_SAYING]
    notes = list(dict.fromkeys(row.caveat for row in rows if row.caveat))
    if wider:
        named = ", ".join(f"{row.name} {row.profile_factor:.2f}" for row in wider)
        notes.insert(0, f"Ranges wider each way for values not measured on that GPU: {named} (times).")
    if not _have_ground(rows):
        notes.insert(0, "No speedups: too much of the nest is guessed, and the times are those of the guesses.")
    first = rows[0]
    if first.range_s is not None:
        close = [row.name for row in rows[1:] if row.range_s is not None and row.range_s[0] <= first.range_s[1]]
        if close:
            notes.insert(0, f"Kernel times that the ranges can't tell from the {first.name}'s: {', '.join(close)}.")
    return tuple(notes)


def smallest_sentence(row: ComparedGpu | None, limit_s: float, data: str, count: int) -> str:
    """Which GPU is enough for a time."""
    where = DATA_WORDS.get(data, data)
    if row is None:
        return f"None of the {count} GPUs takes at most {time_text(limit_s)} ({where})."
    time_s = row.cold_s if data == "cold" else row.resident_s
    return (
        f"The smallest GPU that takes at most {time_text(limit_s)} ({where}): {row.name}, {time_text(time_s)} "
        "(smallest by arithmetic and memory rate together)."
    )
