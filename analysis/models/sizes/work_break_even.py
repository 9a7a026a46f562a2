"""From how many iterations on the GPU wins, of a nest with several guessed sizes: told where their shape is no matter.

One guess has a size from which the GPU wins. Of several each has one for all values of the others; but the time of
most nests hangs on how much there is to do, whether it is many short rows or few long ones.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from math import sqrt

from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.grounds import Guess
from warplens.analysis.models.sizes.times_at_size import TimesAtSize, times_at
from warplens.analysis.workload.loops.derived_symbols import extend_sizes, roots_of
from warplens.analysis.workload.loops.innermost_iterations import innermost_iterations

MOST_GUESSES = 3
_ASPECT = 16
"""How much longer than the others one size is, to see whether that matters."""

_ALIKE = 4.0
"""Numbers of iterations that are no further apart are one answer, given as from the least to the most."""

_STEP = 4.0
_TOLERANCE = 1.3
_LARGEST = 2**31 - 1
_MOST_STEPS = 24


@dataclass(frozen=True, slots=True)
class WorkWins:
    """Against the best of the CPU the GPU wins from `least` to `most` iterations on, by the shape; None: never.

    0 to 0: at any number of them.
    """

    least: float | None
    most: float | None


@dataclass(frozen=True, slots=True)
class WorkBreakEven:
    """Iterations of the innermost loops from which the GPU wins; None where that hangs on the shape."""

    resident: WorkWins | None
    cold: WorkWins | None


def work_break_even_steps(
    evaluation: NestEvaluation, guesses: tuple[Guess, ...]
) -> Generator[None, None, WorkBreakEven | None]:
    """Where it wins when all guesses grow together, and when one of them is sixteen times as long as the others.

    One that makes no more iterations, as the distance between elements, is 1 instead: so it mostly is. None for more
    guesses than can be tried. Stops after each size that is looked at. Assumes: what `times_at` does.
    """
    work = roots_of(innermost_iterations(evaluation.facts).parameters, evaluation.facts.nest)
    if not 2 <= len(guesses) <= MOST_GUESSES or work.isdisjoint(guess.name for guess in guesses):
        return None
    even = {guess.name: float(max(1, guess.value)) for guess in guesses}
    found: list[dict[bool, float | None]] = []
    for name in (None, *even):
        shape = dict(even)
        if name is not None:
            shape[name] = shape[name] * _ASPECT if name in work else 0.0
        crossing = yield from _on_ray(evaluation, shape)
        found.append(crossing)
    resident, cold = ([each[is_cold] for each in found] for is_cold in (False, True))
    return WorkBreakEven(_agreed(resident), _agreed(cold))


def _agreed(found: list[float | None]) -> WorkWins | None:
    known = [each for each in found if each is not None]
    if not known:
        return WorkWins(None, None)
    if len(known) < len(found) or max(known) > _ALIKE * min(known):
        return None
    return WorkWins(min(known), max(known))


def _on_ray(
    evaluation: NestEvaluation, weights: Mapping[str, float]
) -> Generator[None, None, dict[bool, float | None]]:
    """Iterations from which the GPU wins, resident (False) and cold (True), along one shape."""
    times: dict[float, TimesAtSize] = {}

    def look(scale: float) -> Generator[None, None, TimesAtSize]:
        if scale not in times:
            times[scale] = times_at(evaluation, _sizes(weights, scale))
            yield
        return times[scale]

    scale = 1 / min(weight for weight in weights.values() if weight)
    scales: list[float] = []
    while len(scales) < _MOST_STEPS and _fits(evaluation, _sizes(weights, scale)):
        yield from look(scale)
        scales.append(scale)
        scale *= _STEP
    result: dict[bool, float | None] = {}
    for is_cold in (False, True):
        lost = max((at for at, each in enumerate(scales) if not _wins(times[each], is_cold=is_cold)), default=None)
        if not scales or lost == len(scales) - 1:
            result[is_cold] = None
        elif lost is None:
            result[is_cold] = 0.0
        else:
            low, high = scales[lost], scales[lost + 1]
            while high > low * _TOLERANCE:
                middle = sqrt(low * high)
                looked = yield from look(middle)
                low, high = (low, middle) if _wins(looked, is_cold=is_cold) else (middle, high)
            result[is_cold] = _iterations(evaluation.facts, {**dict(evaluation.sizes), **_sizes(weights, high)})
    return result


def _sizes(weights: Mapping[str, float], scale: float) -> dict[str, int]:
    return {name: max(1, round(weight * scale)) for name, weight in weights.items()}


def _fits(evaluation: NestEvaluation, sizes: Mapping[str, int]) -> bool:
    """Whether the sizes are numbers of C and the nest's memory is the GPU's."""
    if max(sizes.values()) > _LARGEST:
        return False
    values = extend_sizes({**dict(evaluation.sizes), **sizes}, evaluation.facts.nest)
    try:
        return evaluation.facts.footprint_bytes.evaluate(values) <= evaluation.gpu.dram.size_bytes
    except (KeyError, ZeroDivisionError, OverflowError):
        return True


def _wins(times: TimesAtSize, *, is_cold: bool) -> bool:
    offload = times.offload
    gpu_s = offload.cold_s if is_cold else offload.resident_s
    return offload.has_work and gpu_s < min(offload.one_core_s, offload.all_cores_s)


def _iterations(facts: NestFacts, sizes: Mapping[str, int]) -> float:
    try:
        return float(innermost_iterations(facts).evaluate(extend_sizes(sizes, facts.nest)))
    except (KeyError, ZeroDivisionError, OverflowError):
        return 0.0
