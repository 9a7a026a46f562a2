"""What the lines and the header branches of a text were counted as, found by where they stand now."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from warplens.analysis.measured.line_counts import FileCounts, LineCount
from warplens.analysis.text.span import Span


class CountedLines:
    """The counts, by lines of the text as it is now; `shift` is how far down the function stood when it was run."""

    def __init__(self, source: str, counts: FileCounts) -> None:
        self.imported = counts.imported
        self.shift = 0
        self._starts = line_starts(source)
        self._by_line = {each.line: each for each in counts.lines}
        self._numbers = sorted(self._by_line)
        self._sums = [0, *accumulate(self._by_line[number].count for number in self._numbers)]
        self._total = counts.program_line_executions

    def line(self, offset: int) -> int:
        """Line of an offset, from 1."""
        return bisect_left(self._starts, offset + 1)

    def counted(self, span: Span) -> list[LineCount]:
        """Counts of the lines of a span that have any."""
        first, last = self.line(span.start), self.line(span.end - 1)
        numbers = range(first + self.shift, last + self.shift + 1)
        return [self._by_line[number] for number in numbers if number in self._by_line]

    def share(self, span: Span) -> float:
        """Part of the program's line executions that fell on the lines of a span."""
        first, last = (self.line(at) + self.shift for at in (span.start, span.end - 1))
        counted = self._sums[bisect_left(self._numbers, last + 1)] - self._sums[bisect_left(self._numbers, first)]
        return counted / self._total if self._total else 0.0


@dataclass(frozen=True, slots=True)
class HeaderCounts:
    """What a loop's header line says: evaluations of its condition, and how many of them could be iterations.

    `likely` is what they are if each branch went the way that is taken more often; `is_inlined`: more than one copy.
    """

    evaluations: int
    candidates: tuple[int, ...]
    likely: int | None
    is_inlined: bool


def of_copies(evaluations: int, pairs: Sequence[tuple[int, ...]]) -> HeaderCounts:
    """A header with one condition, in as many copies as there are pairs; all of them have the body on one side."""
    sums = {sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs), sum(map(max, pairs)), sum(map(min, pairs))}
    return HeaderCounts(evaluations, tuple(sorted(sums)), sum(map(max, pairs)), sum(map(any, pairs)) > 1)


def last_of_chain(evaluations: int, pairs: Sequence[tuple[int, ...]], conditions: int) -> int | None:
    """Iterations of `a && b && ...`: each condition is evaluated when the one before it held."""
    if not conditions:
        return None
    reached: int | None = evaluations
    rest = list(pairs)
    for at in range(conditions):
        pair = next((pair for pair in rest if sum(pair) == reached), None)
        if pair is None:
            return None
        rest.remove(pair)
        more = [count for count in pair if any(sum(other) == count for other in rest)]
        reached = more[0] if more and at < conditions - 1 else max(pair)
    return reached


def line_starts(source: str) -> list[int]:
    """Offset of each line's start; lines end at newlines, as a compiler counts them."""
    return [0, *(at + 1 for at, character in enumerate(source) if character == "\n")]
