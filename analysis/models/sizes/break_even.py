"""From which size on a nest is faster on the GPU."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from math import inf, log
from typing import Literal, get_args

from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.grounds import grounds_of
from warplens.analysis.models.sizes.main_size import main_size
from warplens.analysis.models.sizes.size_curve import SizeCurve, curve_of
from warplens.analysis.models.sizes.size_probes import (
    Margin,
    first_of_wins,
    first_sizes,
    gap_before_winning,
    size_in_doubt,
    size_in_gap,
)
from warplens.analysis.models.sizes.size_range import size_range
from warplens.analysis.models.sizes.times_at_size import TimesAtSize, times_at
from warplens.analysis.models.sizes.work_break_even import WorkBreakEven, work_break_even_steps

Data = Literal["resident", "cold"]
Cores = Literal["one core", "all cores"]
_NAMED = 3
"""Guesses that a reason names; of more their number."""
Side = Literal["predicted", "earliest", "latest"]

_TOLERANCE: Mapping[Side, float] = {"predicted": 1.02, "earliest": 1.3, "latest": 1.3}
"""Factor to which a size is found; in a band's wider gaps the crossing of a straight line is taken."""

_SECANTS = 4
"""Rounds before gaps are halved: a curve with jumps makes a line through its ends creep."""


@dataclass(frozen=True, slots=True)
class WinsFrom:
    """The size from which the GPU is faster, as the `data` lies, than `cores`; None: not even at the largest.

    `earliest` and `latest` are the same for the fastest and the slowest time that its model's measured errors leave;
    equal to `size` where nothing was measured.
    """

    data: Data
    cores: Cores
    size: int | None
    earliest: int | None
    latest: int | None


@dataclass(frozen=True, slots=True)
class BreakEven:
    """From which sizes the GPU wins, of the parameter `name`, which is `current` now and may be `least` to `most`.

    `ends_at` says what doesn't hold more. `others` are the sizes that stay as they are. `wins` has resident and cold
    data against one core and all cores. `has_band` is False where nothing was measured of such kernels. Where there is
    nothing to vary `why_not` says why, and all else is empty. `is_guessed`: nobody said the size in force. Where
    several are guessed `by_work` has the iterations from which it wins, if these tell.
    """

    name: str
    current: int
    others: tuple[tuple[str, int], ...]
    least: int
    most: int
    ends_at: str
    wins: tuple[WinsFrom, ...]
    has_band: bool
    curve: SizeCurve
    why_not: str = ""
    is_guessed: bool = False
    by_work: WorkBreakEven | None = None

    def wins_from(self, data: Data, cores: Cores) -> WinsFrom:
        """One of `wins`; raises KeyError where there are none."""
        for each in self.wins:
            if (each.data, each.cores) == (data, cores):
                return each
        raise KeyError(data, cores)

    def beats_cpu_from(self, data: Data) -> int | None:
        """The size from which the GPU is faster than one core and than all of them; None: not at the largest either.

        Raises KeyError where there are no `wins`.
        """
        sizes = [self.wins_from(data, cores).size for cores in get_args(Cores)]
        known = [size for size in sizes if size is not None]
        return max(known) if len(known) == len(sizes) else None

    def beats_cpu_somewhere(self, data: Data) -> bool:
        """Whether the GPU is faster than one core and than all at any size that was looked at."""
        gpu_s = self.curve.gpu_resident_s if data == "resident" else self.curve.gpu_cold_s
        times = zip(gpu_s, self.curve.one_core_s, self.curve.all_cores_s, strict=True)
        return any(gpu < min(one, every) for gpu, one, every in times)


def break_even(evaluation: NestEvaluation) -> BreakEven | None:
    """From which size on the GPU wins; None of a nest without kernel, or with nothing to run at its sizes."""
    steps = break_even_steps(evaluation)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: BreakEven | None = end.value
            return found


def break_even_steps(evaluation: NestEvaluation) -> Generator[None, None, BreakEven | None]:
    """`break_even`, with a stop behind every size that is looked at, for whoever has something else to do as well.

    Method: times at sizes a factor of 4 apart, and at the current one; then in the gap between the last size at which
    the GPU loses and the next one, until it is narrow, and where it wins by little (size_probes.py). The current size
    is looked at with the times that are shown for it: what is given is at or below it only where the GPU is shown to
    win.
    Units: the sizes'. Assumes: what `main_size`, `size_range` and `times_at` do; that the GPU does not lose again
    between two sizes that are looked at.
    """
    offload = evaluation.offload
    if offload is None or not offload.has_work:
        return None
    sizes = dict(evaluation.sizes)
    grounds = grounds_of(evaluation)
    if grounds.undeclared:
        return _without(f"not decided without `{grounds.undeclared[0].name}`")
    if len(grounds.guesses) > 1:
        by_work = yield from work_break_even_steps(evaluation, grounds.guesses)
        names = [f"`{guess.name}`" for guess in grounds.guesses]
        more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED + 1 else names[_NAMED:]
        return replace(_without(f"hangs on {' and '.join((*names[:_NAMED], *more))}"), by_work=by_work)
    name = next((guess.name for guess in grounds.guesses), None) or main_size(evaluation.facts, sizes)
    if name is None:
        return _without("no size to vary")
    allowed = size_range(evaluation.facts, sizes, name, evaluation.gpu)
    if allowed.most < allowed.least:
        return _without("no size fits into the GPU's memory")
    times: dict[int, TimesAtSize] = {}
    pending = first_sizes(allowed.least, allowed.most, sizes[name])
    rounds = 0
    while pending:
        for size in pending:
            if size not in times:
                times[size] = times_at(evaluation, {name: size})
                yield
        pending = _next_sizes(times, halves=rounds >= _SECANTS)
        rounds += 1
    has_band = all(each.kernels is not None for each in times.values())
    return BreakEven(
        name=name,
        current=sizes[name],
        others=tuple(each for each in evaluation.sizes if each[0] != name),
        least=allowed.least,
        most=allowed.most,
        ends_at=allowed.ends_at,
        wins=tuple(
            _wins_from(times, data, cores, has_band=has_band) for data in get_args(Data) for cores in get_args(Cores)
        ),
        has_band=has_band,
        curve=curve_of(times),
        is_guessed=bool(grounds.guesses),
    )


def _without(why_not: str) -> BreakEven:
    return BreakEven("", 0, (), 0, 0, "", (), False, SizeCurve((), (), (), (), (), ()), why_not)


def _next_sizes(times: Mapping[int, TimesAtSize], *, halves: bool) -> list[int]:
    """A size in each gap that is still too wide."""
    wanted: set[int] = set()
    for data in get_args(Data):
        for cores in get_args(Cores):
            for side, tolerance in _TOLERANCE.items():
                margins = _margins(times, data, cores, side)
                gap = gap_before_winning(margins)
                found = [None if gap is None else size_in_gap(gap, tolerance, halves=halves)]
                if side == "predicted":
                    found.append(size_in_doubt(margins))
                wanted.update(size for size in found if size is not None)
    return sorted(wanted)


def _wins_from(times: Mapping[int, TimesAtSize], data: Data, cores: Cores, *, has_band: bool) -> WinsFrom:
    size, earliest, latest = (
        first_of_wins(_margins(times, data, cores, side), is_between=has_band and side != "predicted")
        for side in get_args(Side)
    )
    return WinsFrom(data, cores, size, earliest, latest)


def _margins(times: Mapping[int, TimesAtSize], data: Data, cores: Cores, side: Side) -> list[Margin]:
    return [(size, _margin(each, data, cores, side)) for size, each in sorted(times.items())]


def _margin(times: TimesAtSize, data: Data, cores: Cores, side: Side) -> float:
    offload = times.offload
    kernels_s = offload.kernels_s
    if times.kernels is not None and side != "predicted":
        kernels_s = times.kernels.least_s if side == "earliest" else times.kernels.most_s
    gpu_s = offload.resident_with(kernels_s) if data == "resident" else offload.cold_with(kernels_s)
    cpu_s = offload.one_core_s if cores == "one core" else offload.all_cores_s
    return log(cpu_s / gpu_s) if cpu_s > 0 and gpu_s > 0 else -inf
