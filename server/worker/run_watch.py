"""What the server hears of an analysis while it runs, and how it ends one that is in the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from time import monotonic

from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.progress import Progress
from warplens.analysis.engine.report import Report
from warplens.analysis.ir.ids import LoopId
from warplens.server.worker.job import Answer

_FIRST_PART_S = 0.15
"""When what is known of a file is shown for the first time; each further part waits twice as long, so that all parts
together cost no more than a few whole reports."""

_FRUITLESS = 1
"""So often in a row a file's runs may end for others without having got further; the next one does."""


class GaveWayError(BaseException):
    """The run was ended for another job; what it worked out stays in the memo.

    No Exception: the analysis takes one for a defect in one loop, and goes on.
    """


@dataclass(frozen=True, slots=True)
class Listener:
    """Who waits for a run.

    `at_nest` hears of each nest for which something has to be computed (a remembered one can't take long), and, with
    None, when the last one is done. `at_part` gets what is known so far, or follows from a prediction. `is_in_the_way`
    says whether the run is to end for another job.
    """

    at_nest: Callable[[LoopId | None], None] = lambda _nest: None
    at_part: Callable[[Answer], None] = lambda _answer: None
    is_in_the_way: Callable[[], bool] = lambda: False


class ReadingTooLongError(BaseException):
    """A file was read for as long as a nest may take; what was read stays in the memo. No Exception, as above."""


class WayGiver:
    """Ends runs that are in the way of another job, at the places that ask for it: several to a tenth of a second.

    So that repeated runs get to the end, one that ends has got further than the last one, but for a few in a row.
    """

    def __init__(self, is_in_the_way: Callable[[], bool]) -> None:
        self._is_in_the_way = is_in_the_way
        self._fruitless: dict[str, int] = {}
        self._path = ""
        self._has_computed = False

    def begin(self, path: str) -> None:
        """A run of a file begins."""
        self._path, self._has_computed = path, False

    def computed(self) -> None:
        """Something is remembered that the next run need not compute again."""
        self._has_computed = True

    def ended(self) -> None:
        """A run came to its end."""
        self._fruitless.pop(self._path, None)

    def give_way(self) -> None:
        """Raises GaveWayError where the run is in the way."""
        if not self._is_in_the_way():
            return
        if self._has_computed:
            self._fruitless.pop(self._path, None)
        elif self._fruitless.get(self._path, 0) >= _FRUITLESS:
            return
        else:
            self._fruitless[self._path] = self._fruitless.get(self._path, 0) + 1
        raise GaveWayError


class RunWatch:
    """One run of an analysis: between `with` and its end the memo says when something is computed.

    `at_part`, where parts are wanted, gets what makes the report of what is known so far.
    """

    def __init__(
        self,
        memo: Memo,
        listener: Listener,
        way: WayGiver,
        at_part: Callable[[Callable[[], Report]], None] | None = None,
        reading_limit_s: float = inf,
    ) -> None:
        self._memo = memo
        self._listener = listener
        self._way = way
        self._at_part = at_part
        self._nest: LoopId | None = None
        self._is_told = False
        self._known = 0
        self._read_until_s = monotonic() + reading_limit_s
        self._pause_s = _FIRST_PART_S
        self._next_part = monotonic() + self._pause_s

    def __enter__(self) -> Progress:
        """What the analysis is given."""
        self._memo.on_miss = self._missed
        self._known = sum(self._memo.computed.values())
        return Progress(self._begins, self._ended)

    def __exit__(self, *_: object) -> None:
        """Let the memo alone."""
        self._memo.on_miss = None

    def nests_are_done(self) -> None:
        """What is left is to put the answer together, which has a limit of its own."""
        self._nest, self._read_until_s = None, inf
        self._listener.at_nest(None)

    def _begins(self, nest: LoopId) -> None:
        self._way.give_way()
        self._nest, self._is_told = nest, False

    def _missed(self) -> None:
        if self._nest is None:  # the file is being read, or its answer put together
            if sum(self._memo.computed.values()) > self._known:  # what is only begun would be lost
                self._way.computed()
            self._way.give_way()
            if monotonic() > self._read_until_s:
                raise ReadingTooLongError
        elif not self._is_told:
            self._is_told = True
            self._listener.at_nest(self._nest)

    def _ended(self, report: Callable[[], Report]) -> None:
        if not self._is_told:
            return
        self._way.computed()
        if self._at_part is not None and monotonic() >= self._next_part:
            self._at_part(report)
            self._pause_s *= 2
            self._next_part = monotonic() + self._pause_s
