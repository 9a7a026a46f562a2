"""Values of parameters from what a real run counted: those for which the trip counts are the measured ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.ir.exits import exits_of
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, loops_of
from warplens.analysis.measured.measured_counts import LoopCounts

_LARGEST = 1 << 62


@dataclass(frozen=True, slots=True)
class MeasuredSize:
    """A parameter's value and the loop it follows from; `others` are (loop, value) of loops that say another one."""

    value: int
    loop: NodeId
    others: tuple[tuple[NodeId, int], ...] = ()


def measured_sizes(
    facts: NestFacts,
    measured: Sequence[tuple[NodeId, LoopCounts]],
    said: Mapping[str, int],
    weaker: Sequence[Mapping[str, int]],
) -> dict[str, MeasuredSize]:
    """Parameters that follow from the measured average trip counts, those of outer loops first.

    `said` are values that are stronger than a measurement. A formula in one parameter without value gives that one;
    where every formula has several, the others take their values from the first of `weaker` that leaves one. Of loops
    that disagree, one that can't end early counts before others, then the one with the most iterations.
    """
    targets = {
        loop: Fraction(counts.iterations, counts.entries)
        for loop, counts in measured
        if counts.entries and counts.iterations
    }
    weights = {loop: counts.iterations for loop, counts in measured}
    loops = [loop for loop in loops_of(facts.nest) if loop.id in targets]
    found: dict[str, MeasuredSize] = {}
    while True:
        known = {**said, **{name: size.value for name, size in found.items()}}
        proposals = _proposals(facts, loops, targets, known, {})
        for fallback in weaker:
            if not proposals:
                proposals = _proposals(facts, loops, targets, known, fallback)
        if not proposals:
            return found
        name = next(iter(proposals))
        ranked = sorted(proposals[name], key=lambda p: (any(exits_of(p[0].body)), -weights[p[0].id]))
        loop, value = ranked[0]
        others = tuple((other.id, v) for other, v in ranked[1:] if abs(v - value) > 1)
        found[name] = MeasuredSize(value, loop.id, others)
        # What told this parameter tells no other one: of `hi - lo` only one is found.
        loops = [each for each in loops if all(each.id != used.id for used, _ in ranked)]


def solve(formula: Formula, name: str, known: Mapping[str, int], target: Fraction) -> int | None:
    """Whole number >= 0 for which the formula, monotone in it, comes nearest to the target; None if it stays away.

    >>> half = (Formula.parameter("n") + 1) / 2
    >>> solve(half, "n", {}, Fraction(101, 2)), solve(half.at_most(7), "n", {}, Fraction(9))
    (100, None)
    """

    def at(value: int) -> Fraction:
        return formula.evaluate({**known, name: value})

    try:
        low, high = 0, _LARGEST
        rises = at(high) > at(low)
        if not min(at(low), at(high)) <= target <= max(at(low), at(high)):
            return None
        while high - low > 1:
            middle = (low + high) // 2
            if (at(middle) >= target) == rises:
                high = middle
            else:
                low = middle
        return min((high, low), key=lambda value: abs(at(value) - target))
    except (KeyError, ZeroDivisionError):
        return None


def _proposals(
    facts: NestFacts,
    loops: Sequence[Loop],
    targets: Mapping[NodeId, Fraction],
    known: Mapping[str, int],
    weaker: Mapping[str, int],
) -> dict[str, list[tuple[Loop, int]]]:
    """Values of parameters that are not known, by name, each from the one loop's formula."""
    found: dict[str, list[tuple[Loop, int]]] = {}
    for loop in loops:
        formula = facts.trip_count(loop.id).average
        unknown = sorted(formula.parameters - known.keys(), key=lambda name: (name in weaker, name))
        if len(unknown) > 1 and not weaker.keys() >= set(unknown[1:]):
            continue
        for name in unknown:
            value = solve(formula, name, {**weaker, **known}, targets[loop.id])
            if value is not None:
                found.setdefault(name, []).append((loop, value))
                break
    return found
