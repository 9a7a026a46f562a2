"""Which runs of one profile are those of another: of the same kernels, GPUs, sizes and launches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from warplens.server.measure.counters.reading.formats import Format
from warplens.server.measure.counters.reading.raw_run import RawRun

_Sizes = tuple[tuple[str, float], ...]


@dataclass
class Part:
    """Runs that one profile gave: a file's, or those of one of the tables that follow each other in it."""

    path: Path
    kind: Format
    runs: list[RawRun]

    @property
    def has_times(self) -> bool:
        """Whether a run has one."""
        return any(run.time_s is not None for run in self.runs)

    @property
    def metrics(self) -> set[str]:
        """Those of any run."""
        return {metric for run in self.runs for metric in run.values}

    @cached_property
    def sizes(self) -> frozenset[_Sizes]:
        """All problem sizes; joining changes none."""
        return frozenset(_sizes(run) for run in self.runs)


class _Known:
    """Runs that have times, to be found by what they are runs of."""

    def __init__(self, runs: Sequence[RawRun]) -> None:
        self.names = _names(runs)
        self.by_size: dict[tuple[str, _Sizes], list[RawRun]] = {}
        for run in runs:
            self.by_size.setdefault((run.kernel, _sizes(run)), []).append(run)


@dataclass(frozen=True, slots=True)
class Pair:
    """`counters` go with `run`; `all_runs` are those that they are the average of, where they are one."""

    run: RawRun
    counters: RawRun
    all_runs: tuple[RawRun, ...] = ()


class NotTheSameError(Exception):
    """Why a file's counters are not those of another one's runs."""


def pairs_of(other: Part, part: Part) -> list[Pair]:
    """Each run of `part` with that of `other`, or with the median one of those that it is the average of.

    Raises NotTheSameError where a run has none, or which one it has is not certain.
    """
    if not part.sizes <= other.sizes:
        message = "its runs have other sizes"
        raise NotTheSameError(message)
    known, names = _Known(other.runs), _names(part.runs)
    pairs: list[Pair] = []
    for found in _alike_among(part.runs):
        same = _same(known, found[0], is_only_name=len(names[found[0].kernel]) == 1)
        if part.kind == "nvprof summary":
            pairs += [_average_pair(same, counters) for counters in found]
            continue
        if len(same) != len(found):
            message = f"it has {len(same)} launches of {found[0].kernel}, not {len(found)}"
            raise NotTheSameError(message)
        for run, counters in zip(same, found, strict=True):
            _require_alike(run, counters)
            pairs.append(Pair(run, counters))
    if len({id(pair.run) for pair in pairs}) < len(pairs):
        message = "it does not say which of its launches are of which GPU or which instance of a kernel"
        raise NotTheSameError(message)
    return pairs


def _alike_among(runs: Iterable[RawRun]) -> list[list[RawRun]]:
    """Runs of one kernel on one GPU at one size, in their order."""
    found: dict[tuple[str, str, str, _Sizes], list[RawRun]] = {}
    for run in runs:
        found.setdefault((run.name, run.gpu, run.device, _sizes(run)), []).append(run)
    return list(found.values())


def _names(runs: Iterable[RawRun]) -> dict[str, set[str]]:
    """Full names by short ones."""
    found: dict[str, set[str]] = {}
    for run in runs:
        found.setdefault(run.kernel, set()).add(run.name)
    return found


def _sizes(run: RawRun) -> _Sizes:
    return tuple(sorted(run.problem.items()))


def _same(known: _Known, one: RawRun, *, is_only_name: bool) -> list[RawRun]:
    """Runs of the same kernel, GPU and size; raises NotTheSameError where there is none.

    Profilers write parameters differently: where each has one kernel of the short name, that is the same one.
    """
    names = known.names.get(one.kernel, set())
    if one.name not in names and not (is_only_name and len(names) == 1):
        message = f"it has no {one.name if names else one.kernel}"
        raise NotTheSameError(message)
    sized = known.by_size.get((one.kernel, _sizes(one)), [])
    named = [run for run in sized if run.name == one.name or one.name not in names]
    if not named:
        message = f"its {one.kernel} has other sizes"
        raise NotTheSameError(message)
    same = [run for run in named if _agree(run.gpu, one.gpu) and _agree(run.device, one.device)]
    if not same:
        message = f"its {one.kernel} ran on another GPU"
        raise NotTheSameError(message)
    if len({(run.gpu, run.device) for run in same}) > 1:
        message = f"its {one.kernel} ran on several GPUs, and which one is meant is not said"
        raise NotTheSameError(message)
    return same


def _agree(first: str, second: str) -> bool:
    return not first or not second or first == second


def _average_pair(runs: list[RawRun], counters: RawRun) -> Pair:
    launches = {(run.block, run.grid) for run in runs}
    if len(launches) > 1:
        message = (
            f"its launches of {counters.kernel} have {len(launches)} different blocks or grids, and an average over "
            "them is of none of them: profile with --print-gpu-trace --metrics"
        )
        raise NotTheSameError(message)
    timed = sorted((run for run in runs if run.time_s is not None), key=lambda run: run.time_s or 0.0)
    return Pair(timed[len(timed) // 2] if timed else runs[0], counters, tuple(runs))


def _require_alike(run: RawRun, counters: RawRun) -> None:
    for what in ("block", "grid"):
        first, second = getattr(run, what), getattr(counters, what)
        if first and second and first != second:
            message = f"a launch of {run.kernel} with {what} {second} stands at {first} there: not the same runs"
            raise NotTheSameError(message)
