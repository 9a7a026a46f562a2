"""Iterations and entries of loops from counts by line: which way of a branch is the loop's body, which its end.

Coverage tools count lines and the two ways of each branch, not loops. A header's line counts evaluations of the
condition; of its branch one way goes to the body (iterations), the other out of the loop (exits), in an order that
depends on the compiler's options. What runs once in each iteration, and what the loop itself runs once in, tells them
apart.

Assumes: the counters sit on the loop as it is written (gcc puts them in before it transforms loops), `for` bodies
leave by their condition or by what `LoopPlace.early_ends` lists (not by `exit()` or `longjmp`).
Not modelled: loops that a macro spells, conditions with `||` or `?` without a statement in the body that was counted.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass

from warplens.analysis.measured.counted_lines import CountedLines, HeaderCounts, last_of_chain, line_starts, of_copies
from warplens.analysis.measured.line_counts import CountedFunction, FileCounts
from warplens.analysis.measured.source_digest import function_digest, text_digest, without_comments
from warplens.analysis.text.loop_places import Always, FilePlaces, FunctionPlace, LoopPlace, find_places
from warplens.analysis.text.span import Span


@dataclass(frozen=True, slots=True)
class LoopCounts:
    """What a real run counted of a loop, over all its executions.

    `entries` are the times it was reached, None where the counts don't tell (it can end early, and the compiler put its
    function into the callers). `share` is the part of the program's line executions that fell on the loop's lines (of
    loops that share a line, on all of them). `is_confirmed` is False where nothing but the larger count told the
    iterations from the exits, which is wrong for a loop that on average runs less than once.
    """

    iterations: int
    entries: int | None
    share: float
    imported: str
    is_confirmed: bool = True

    @property
    def average_trips(self) -> float | None:
        """Iterations per entry; None when it was never entered or the entries are not known."""
        return self.iterations / self.entries if self.entries else None

    @property
    def never_ran(self) -> bool:
        """Whether the run never came to the loop."""
        return self.iterations == 0 and self.entries == 0


@dataclass(frozen=True, slots=True)
class MeasuredFile:
    """Counts of a text's loops by the offset of their keyword; `stale` are its functions that were not what was run."""

    loops: tuple[tuple[int, LoopCounts], ...]
    stale: tuple[Span, ...] = ()
    is_changed: bool = False


def measured_file(source: str, counts: FileCounts) -> MeasuredFile:
    """Counts of the loops of a text that may have changed since it was run; a function that changed has none.

    A function is found again by its text, wherever it stands now; comments and the length of blanks may change.
    """
    code = without_comments(source)
    places = find_places(source)
    lines = CountedLines(source, counts)
    loops: list[tuple[int, LoopCounts]] = []
    stale: list[Span] = []
    by_digest: dict[str, list[CountedFunction]] = {}
    for ran in counts.functions:
        by_digest.setdefault(ran.digest, []).append(ran)
    for function in places.functions:
        first_line = lines.line(function.whole.start)
        same = by_digest.get(function_digest(code, function))
        if same:
            ran = min(same, key=lambda f: abs(f.first_line - first_line))
            lines.shift = ran.first_line - first_line
            loops += _FunctionLoops(places, function, ran, lines).found()
        elif function.loops:
            stale.append(function.whole)
    return MeasuredFile(tuple(sorted(loops)), tuple(stale), text_digest(code) != counts.digest)


def counted_functions(source: str, executions: Mapping[int, int]) -> tuple[str, tuple[CountedFunction, ...]]:
    """Digest of the text that was run, and its functions; `executions` are by a line of the function's head."""
    code = without_comments(source)
    starts = line_starts(source)
    functions: list[CountedFunction] = []
    for function in find_places(source).functions:
        first, last = (bisect_left(starts, at + 1) for at in (function.whole.start, function.whole.end - 1))
        ran = next((executions[line] for line in sorted(executions) if first <= line <= last), None)
        functions.append(CountedFunction(function_digest(code, function), first, last, ran))
    return text_digest(code), tuple(functions)


class _FunctionLoops:
    def __init__(self, places: FilePlaces, function: FunctionPlace, ran: CountedFunction, lines: CountedLines) -> None:
        self._loops = places.loops
        self._function = function
        self._ran = ran
        self._lines = lines
        self._parent: dict[int, Always] = {}
        for always in (function.body, *(places.loops[number].body for number in function.loops)):
            self._parent.update(dict.fromkeys(always.loops, always))
        self._owner = {id(places.loops[n].body): n for n in function.loops}
        self._headers = {n: header for n in function.loops if (header := self._header(n)) is not None}
        self._header_lines = {line.line for n in function.loops for line in lines.counted(places.loops[n].header)}
        self._again: dict[int, int] = {}
        """How often each loop's condition held: its iterations, or one less per entry where it is tested last."""
        self._guessed: set[int] = set()

    def found(self) -> list[tuple[int, LoopCounts]]:
        """Counts by keyword of the loops that the counts tell anything of."""
        self._settle()
        found: list[tuple[int, LoopCounts]] = []
        for number in self._function.loops:
            if number not in self._again:
                continue
            place, iterations = self._loops[number], self._iterations(number)
            if iterations is not None:
                entries, share = self._entries(number), self._lines.share(place.whole)
                is_confirmed = number not in self._guessed
                found.append(
                    (place.keyword, LoopCounts(iterations, entries, share, self._lines.imported, is_confirmed))
                )
        return found

    def _settle(self) -> None:
        """Until nothing more follows: from what is known around and inside, then by the larger count, outermost first.

        Inner loops say how often the body around them ran, outer loops how often those in them were entered.
        """
        waiting = [number for number in self._function.loops if number in self._headers]
        while waiting:
            settled = [number for number in (*waiting, *reversed(waiting)) if self._follows(number)]
            if not settled:
                guess = waiting[0]
                likely = self._headers[guess].likely
                if likely is not None:
                    self._again[guess] = likely
                    self._guessed.add(guess)
                waiting.remove(guess)
            waiting = [number for number in waiting if number not in self._again]

    def _follows(self, number: int) -> bool:
        """Settle a loop by what runs once in each of its iterations, else by what it runs once in."""
        if number in self._again:
            return False
        header, place = self._headers[number], self._loops[number]
        again = [] if place.tests_last else self._runs(place.body)
        if not place.early_ends:
            again += [header.evaluations - entered for entered in self._around(number)]
        fitting = [count for count in again if count in header.candidates]
        if fitting:
            self._again[number] = fitting[0]
        return bool(fitting)

    def _runs(self, always: Always) -> list[int]:
        """How often something ran, by what runs once whenever it does."""
        counted = (self._lines.counted(span) for span in always.plain)
        counts = [lines[0].count for lines in counted if lines and lines[0].line not in self._header_lines]
        return [*counts, *(self._exits(n) for n in always.loops if n in self._again and self._ends_by_exit(n))]

    def _around(self, number: int) -> list[int]:
        """How often what is around a loop ran, if the loop runs whenever it does."""
        always = self._parent.get(number)
        if always is None:
            return []
        owner = self._owner.get(id(always))
        if owner is None:
            of_function = [] if self._ran.executions is None else [self._ran.executions]
            return [*of_function, *self._runs(always)]
        known = self._iterations(owner) if owner in self._again else None
        return [*([] if known is None else [known]), *self._runs(always)]

    def _iterations(self, number: int) -> int | None:
        if not self._loops[number].tests_last:
            return self._again[number]
        return self._headers[number].evaluations if self._ends_by_exit(number) else None

    def _ends_by_exit(self, number: int) -> bool:
        """Whether each entry ends with an exit by the condition."""
        return not self._loops[number].early_ends or self._headers[number].evaluations == 0

    def _exits(self, number: int) -> int:
        return self._headers[number].evaluations - self._again[number]

    def _entries(self, number: int) -> int | None:
        header, place, exits = self._headers[number], self._loops[number], self._exits(number)
        if self._ends_by_exit(number):
            return exits
        if header.is_inlined or not self._ran.executions:
            return None  # the lines of what leaves early may be counted in one copy only
        for entered in self._around(number):
            if exits <= entered <= header.evaluations:
                return entered
        left = [self._lines.counted(Span(at, at + 1)) for at in place.early_ends]
        if all(counted and not counted[0].branches for counted in left):
            return exits + sum(counted[0].count for counted in left)
        return None

    def _header(self, number: int) -> HeaderCounts | None:
        place = self._loops[number]
        counted = [line for line in self._lines.counted(place.header) if line.branches]
        if not counted or any(len(line.branches) % 2 for line in counted):
            return None
        pairs = [line.branches[at : at + 2] for line in counted for at in range(0, len(line.branches), 2)]
        together = self._sharing_line(place)
        if len(together) > 1:
            # Copies one after the other, in each the loops by their ends: an inner one before the one around it.
            by_end = sorted(together, key=lambda n: (self._loops[n].whole.end, -self._loops[n].keyword))
            if len(pairs) % len(together) or any(self._loops[n].conditions != 1 for n in together):
                return None
            own = pairs[by_end.index(number) :: len(together)]
            return of_copies(sum(map(sum, own)), own)
        evaluations = max(line.count for line in counted)
        if sum(map(sum, pairs)) == evaluations:
            return of_copies(evaluations, pairs)
        candidates = tuple(sorted({count for pair in pairs for count in pair if count <= evaluations}))
        return HeaderCounts(
            evaluations, candidates, last_of_chain(evaluations, pairs, place.conditions), len(pairs) > 4
        )

    def _sharing_line(self, place: LoopPlace) -> list[int]:
        first, last = (self._lines.line(at) for at in (place.header.start, place.header.end - 1))
        return [
            n
            for n in self._function.loops
            if self._lines.line(self._loops[n].header.start) <= last
            and self._lines.line(self._loops[n].header.end - 1) >= first
        ]
