"""Files of the same runs, one with their times and others with their counters, put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from warplens.server.measure.counters.reading.counter_file_error import CounterFileError
from warplens.server.measure.counters.reading.raw_run import RawRun
from warplens.server.measure.counters.reading.same_runs import NotTheSameError, Pair, Part, pairs_of

_GIVE_TIMES = (
    "give the trace of the same runs too (nvprof --print-gpu-trace), or profile with gpu__time_duration.sum; several "
    "sizes: name the files by them (n=256.trace.csv, n=256.metrics.csv)"
)
_NAME_BY_SIZE = "name the files by size (n=256.trace.csv, n=256.metrics.csv), or give those of one size at a time"


def join_parts(parts: Sequence[Part]) -> tuple[list[RawRunOf], list[str]]:
    """All runs in the files' order, and what was put together that had a time each. Raises CounterFileError.

    Counters without times go with the one file whose runs they fit: of the same kernels with their template arguments,
    GPUs, problem sizes, and blocks and grids where both say them. Launch goes with launch; the averages of nvprof's
    summary go with the launch of the median time, where all launches had one block and grid.
    """
    remarks: list[str] = []
    timed = _profiles_in_passes([part for part in parts if part.has_times], remarks)
    untimed = [part for part in parts if not part.has_times]
    for part in sorted(untimed, key=lambda part: part.kind == "nvprof summary"):  # it leaves one launch of several
        _join(timed, part)
    return [RawRunOf(part.path, run) for part in timed for run in part.runs], remarks


@dataclass(frozen=True, slots=True)
class RawRunOf:
    """A run, and the file that has its time."""

    path: Path
    run: RawRun


def _join(timed: Sequence[Part], part: Part) -> None:
    fits: list[tuple[Part, list[Pair]]] = []
    reasons: list[str] = []
    for other in timed:
        try:
            fits.append((other, pairs_of(other, part)))
        except NotTheSameError as error:
            reasons.append(f"{other.path.name}: {error}")
    first = part.runs[0]
    if not fits:
        count = sum(run.kernel == first.kernel for run in part.runs)
        what = "the averages" if part.kind == "nvprof summary" else f"{count} launches"
        why = f" ({'; '.join(reasons[:3])})" if reasons else ""
        message = f"{what} of {first.kernel} have no time, and no other file has times of the same runs{why}: "
        raise CounterFileError(str(part.path), first.line, "", message + _GIVE_TIMES)
    if len(fits) > 1:
        names = ", ".join(other.path.name for other, _ in fits[:3])
        message = f"the counters of {first.kernel} fit {len(fits)} files with times equally ({names}): {_NAME_BY_SIZE}"
        raise CounterFileError(str(part.path), first.line, "", message)
    other, pairs = fits[0]
    for pair in pairs:
        _require_new(pair, part, other)
    for pair in pairs:
        _add(pair.run, pair.counters)
    dropped = {id(run) for pair in pairs for run in pair.all_runs if run is not pair.run}
    other.runs = [run for run in other.runs if id(run) not in dropped]


def _require_new(pair: Pair, part: Part, other: Part) -> None:
    for metric, (order, _) in pair.counters.values.items():
        if metric in pair.run.values and pair.run.values[metric][0] == order:
            message = f"{metric} of {pair.run.kernel} was in another file with the times of {other.path.name} already"
            raise CounterFileError(str(part.path), pair.counters.line, "", f"{message}: {_NAME_BY_SIZE}")


def _add(run: RawRun, counters: RawRun) -> None:
    for metric, found in counters.values.items():
        if metric not in run.values or found[0] < run.values[metric][0]:
            run.values[metric] = found
    for what in ("time_s", "gpu", "device", "block", "grid", "registers", "shared_bytes"):
        setattr(run, what, getattr(run, what) or getattr(counters, what))


def _profiles_in_passes(timed: Sequence[Part], remarks: list[str]) -> list[Part]:
    """Files of ncu of the same launches with other counters each, as one: the time is that of the first."""
    kept: list[Part] = []
    for part in timed:
        same = [(other, pairs) for other in kept if (pairs := _same_launches(other, part)) is not None]
        fits = [(other, pairs) for other, pairs in same if not other.metrics & part.metrics]
        if len(fits) == 1:
            other, pairs = fits[0]
            for pair in pairs:
                _add(pair.run, pair.counters)
            remarks.append(
                f"{part.path}: the same launches as in {other.path}, with other counters: taken as one, with the "
                "times of the first"
            )
            continue
        if fits:
            names = ", ".join(other.path.name for other, _ in fits[:3])
            remarks.append(f"{part.path}: its launches could be those of {names}: taken as runs by themselves")
        elif same and all(other.metrics != part.metrics for other, _ in same):
            remarks.append(
                f"{part.path}: the same launches as in {same[0][0].path}, but some counters are in both files: taken "
                "as runs by themselves"
            )
        kept.append(part)
    return kept


def _same_launches(first: Part, second: Part) -> list[Pair] | None:
    """None where ncu did not see as many of each kernel, with the same blocks and grids, in both."""
    if not first.kind.startswith("ncu") or not second.kind.startswith("ncu") or len(first.runs) != len(second.runs):
        return None
    if first.sizes != second.sizes or first.runs[0].grid != second.runs[0].grid:  # most files of a sweep end here
        return None
    if not first.metrics | second.metrics:
        return None
    try:
        return pairs_of(first, second)
    except NotTheSameError:
        return None
