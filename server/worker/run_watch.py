"""What the server hears of an analysis while it runs, and how it ends one that is in the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.progress import Progress
from warplens.analysis.engine.report import Report
from warplens.analysis.ir.ids import LoopId
from warplens.server.worker.job import Answer

_FIRST_PART_S = 0.15
"""When what is known of a file is shown for the first time; each further part waits twice as long, so that all parts
together cost no more than a few whole reports."""

_READING_S = 0.5
"""How often a file of many functions says that it is being read."""


class GaveWayError(Exception):
    """The run was ended for another job; what it worked out stays in the memo."""


@dataclass(frozen=True, slots=True)
class Listener:
    """Who waits for a run.

    `at_nest` hears of each nest for which something has to be computed (a remembered one can't take long), and, with
    None, now and then that the file is still being read. `at_part` gets what is known so far, or follows from a
    prediction. `is_in_the_way` says whether the run is to end for another job.
    """

    at_nest: Callable[[LoopId | None], None] = lambda _nest: None
    at_part: Callable[[Answer], None] = lambda _answer: None
    is_in_the_way: Callable[[], bool] = lambda: False


class RunWatch:
    """One run of an analysis: between `with` and its end the memo says when something is computed.

    `at_part`, where parts are wanted, gets what makes the report of what is known so far. A run ends for another one
    only behind a nest that it computed, so that repeated runs get to the end.
    """

    def __init__(
        self, memo: Memo, listener: Listener, at_part: Callable[[Callable[[], Report]], None] | None = None
    ) -> None:
        self._memo = memo
        self._listener = listener
        self._at_part = at_part
        self._nest: LoopId | None = None
        self._is_told = False
        self._has_computed = False
        self._pause_s = _FIRST_PART_S
        self._next_part = monotonic() + self._pause_s
        self._told_s = monotonic()

    def __enter__(self) -> Progress:
        """What the analysis is given."""
        self._memo.on_miss = self._missed
        return Progress(self._begins, self._ended)

    def __exit__(self, *_: object) -> None:
        """Let the memo alone."""
        self._memo.on_miss = None

    def _begins(self, nest: LoopId) -> None:
        if self._has_computed and self._listener.is_in_the_way():
            raise GaveWayError
        self._nest, self._is_told = nest, False

    def _missed(self) -> None:
        if self._nest is None:
            if monotonic() >= self._told_s + _READING_S:
                self._told_s = monotonic()
                self._listener.at_nest(None)
        elif not self._is_told:
            self._is_told = True
            self._listener.at_nest(self._nest)

    def _ended(self, report: Callable[[], Report]) -> None:
        if not self._is_told:
            return
        self._has_computed = True
        if self._at_part is not None and monotonic() >= self._next_part:
            self._at_part(report)
            self._pause_s *= 2
            self._next_part = monotonic() + self._pause_s
