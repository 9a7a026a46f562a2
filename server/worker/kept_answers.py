"""Answers for the next session: looked up where a file is met for the first time, written once there is time for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from warplens.analysis.engine.report import Recomputed
from warplens.server.result_cache.result_cache import ResultCache
from warplens.server.worker.break_even_work import BreakEvenWork, FoundBreakEven
from warplens.server.worker.job import Answer

_NO_WORK = Recomputed(0, 0, 0)


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """An answer, with the break-evens of its nests that were known when it was written."""

    answer: Answer
    break_evens: tuple[FoundBreakEven, ...]


class KeptAnswers:
    """The newest answer of each file waits until nobody asks for anything, then takes the place of an older one."""

    def __init__(self, results: ResultCache | None = None, break_evens: BreakEvenWork | None = None) -> None:
        self._results = results or ResultCache()
        self.break_evens = break_evens or BreakEvenWork()
        self._pending: dict[str, tuple[Callable[[], str], Answer]] = {}
        self._written: dict[str, str] = {}

    def load(self, key: str) -> Answer | None:
        """The answer of a key, None where there is none; its break-evens are known from now on."""
        kept = self._results.load(key, KeptAnswer)
        if kept is None:
            return None
        self.break_evens.learn(kept.break_evens)
        return replace(kept.answer, recomputed=_NO_WORK)

    def keep(self, path: str, key: Callable[[], str], answer: Answer) -> None:
        """Have the answer written, in the place of an older one of this file.

        One that lacks a nest is not kept: it may be a matter of time.
        """
        self._pending.pop(path, None)
        if not any(nest.failure for function in answer.functions for nest in function.nests):
            self._pending[path] = key, answer

    def write_pending(self) -> None:
        """Write what waits, with the break-evens that were found meanwhile."""
        while self._pending:
            path, (make_key, answer) = self._pending.popitem()
            key = make_key()
            packed = (nest.packed for function in answer.functions for nest in function.nests if nest.packed)
            self._results.write(key, KeptAnswer(answer, self.break_evens.found(packed)))
            older = self._written.get(path, key)
            if older != key:
                self._results.remove(older)
            self._written[path] = key
