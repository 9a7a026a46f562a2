"""Whether statements of a nest may run in steps: each at the time that one of the loops around it counts.

Shape: a statement with the loops (i, j, k) and the time k runs in step k, for all i and j at once. Of two executions
that meet in memory the one that is first in the source must be in an earlier step, or in the same one and, there, among
statements that run before those of the other. Some statements may run before all steps, or behind them.

Source: Feautrier, Some efficient solutions to the affine scheduling problem I, IJPP 21(5), 1992; here a time is one
iterator, not any affine form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from warplens.analysis.dependence.integer_sets.bounded_sets import BoundedSets, TooComplexError
from warplens.analysis.dependence.integer_sets.constraint_rows import Symbols
from warplens.analysis.dependence.integer_sets.nest_budget import NestBudget
from warplens.analysis.dependence.integer_sets.quick_tests import members_differ
from warplens.analysis.dependence.subscripts.iteration_domain import Reference
from warplens.analysis.dependence.transforms.dependence_vectors import common_loops
from warplens.analysis.ir.ids import NodeId

BEFORE, AFTER = "<", ">"
"""Times of units that run before the first step, or behind the last."""

Times = Mapping[int, str]
"""The iterator that counts the steps of each unit, or one of these."""

_PLACES = {BEFORE: 0, AFTER: 2}


@dataclass(frozen=True, slots=True)
class _Meeting:
    """Two references that may meet, the source's execution first; `level` as of PairRows, None in one iteration."""

    source: Reference
    sink: Reference
    level: int | None


class StepOrder:
    """Units of a nest, each some statements that stay together, and in which order their steps have to be."""

    def __init__(self, references: Sequence[Reference], units: Mapping[NodeId, int], ignored: frozenset[str]) -> None:
        """`units` are those of the statements; what is in `ignored` each execution of a unit has for itself."""
        self._sets = BoundedSets(NestBudget())
        self._meetings: dict[tuple[int, int], list[_Meeting]] = {}
        self._known: dict[tuple[int, int, str, str], bool | None] = {}
        kept = [one for one in references if one.statement in units and one.variable not in ignored]
        for at, first in enumerate(kept):
            for second in kept[at:]:
                if first.variable == second.variable and (first.is_write or second.is_write):
                    for one in _meetings(first, second, units):
                        pair = units[one.source.statement], units[one.sink.statement]
                        self._meetings.setdefault(pair, []).append(one)

    def before(self, first: int, second: int, times: Times) -> bool | None:
        """Whether a unit must run before another one in the same step; None where no order of steps is right.

        Of a unit and itself True says that its executions in one step meet.
        """
        question = (first, second, times[first], times[second])
        if question not in self._known:
            self._known[question] = self._asked(*question)
        return self._known[question]

    def _asked(self, first: int, second: int, time: str, other: str) -> bool | None:
        place, behind = _PLACES.get(time, 1), _PLACES.get(other, 1)
        if place < behind:
            return False
        meetings = self._meetings.get((first, second), ())
        found = False
        try:
            if time in _PLACES or other in _PLACES:
                found = any(self._meet(one) for one in meetings)
                return None if found and place > behind else found
            for one in meetings:
                if self._meet(one, (time, other, 1)):
                    return None
                found = found or self._meet(one, (time, other, 0))
        except TooComplexError:
            return None
        return found

    def _meet(self, one: _Meeting, behind: tuple[str, str, int] | None = None) -> bool:
        """Whether the two meet; where the source runs at least so many steps `behind` the sink, if that is asked."""
        common = common_loops(one.source, one.sink)
        level = len(common) - 1 if one.level is None else one.level
        symbols = Symbols(loop.iterator for loop in common[:level])
        rows = self._sets.pair(one.source, one.sink, level, symbols, in_one_iteration=one.level is None)
        question = rows.meetings() if behind is None else rows.not_earlier(*behind)
        return not self._sets.within_limits(lambda: self._sets.points(question).is_empty())


def _meetings(first: Reference, second: Reference, units: Mapping[NodeId, int]) -> Iterator[_Meeting]:
    """All ways in which two references, the first of which stands before the second, may meet in the source's order."""
    if members_differ(first, second):
        return
    loops = common_loops(first, second)
    for level in range(len(loops)):
        yield _Meeting(first, second, level)
        if first is not second:
            yield _Meeting(second, first, level)
    if units[first.statement] != units[second.statement]:
        yield _Meeting(first, second, None)
