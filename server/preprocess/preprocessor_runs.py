"""Preprocessor runs of one edited file after another: the outcome of the next one is predicted while it runs."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from pathlib import Path

from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.server.preprocess.flags import PreprocessorFlags
from warplens.server.preprocess.prediction import EarlierRun, predicted
from warplens.server.preprocess.preprocess import preprocess_and_keep

_MOST_FILES = 32
_ASK_S = 0.05
_MOST_CHARACTERS = 16_000_000
"""Of texts and outputs that are remembered: a header of a few lines may include half of a system."""


class PreprocessorRuns:
    """Remembers the outcome of the last run of a few files, those that were asked for last."""

    def __init__(self) -> None:
        self._earlier: OrderedDict[_Asked, EarlierRun] = OrderedDict()

    def begin(
        self, path: Path, text: str, flags: PreprocessorFlags, roots: Sequence[Path], limit_s: float, *, trusted: bool
    ) -> PreprocessorRun:
        """Start what `preprocess` does with these arguments, in a thread of its own."""
        outcome: Future[tuple[Preprocessed, str]] = Future()

        def work() -> None:
            try:
                outcome.set_result(preprocess_and_keep(path, text, flags, roots, limit_s, trusted=trusted))
            except BaseException as error:  # noqa: BLE001 - whoever asks for the result gets it
                outcome.set_exception(error)

        try:
            threading.Thread(target=work, name="preprocessor", daemon=True).start()
        except RuntimeError:  # the system has no more threads, or no room for its stack
            work()
        asked = _Asked(path, flags, tuple(roots), trusted)
        before = self._earlier.get(asked)
        guess = None if before is None else predicted(before, text)

        def remember(result: Preprocessed, output: str) -> None:
            self._remember(asked, EarlierRun(text, result, output))

        return PreprocessorRun(guess, outcome, remember)

    def _remember(self, asked: _Asked, run: EarlierRun) -> None:
        """For the next prediction; the files that were asked for longest ago are forgotten."""
        self._earlier[asked] = run
        self._earlier.move_to_end(asked)
        while len(self._earlier) > _MOST_FILES or sum(map(_size, self._earlier.values())) > _MOST_CHARACTERS:
            self._earlier.popitem(last=False)


class PreprocessorRun:
    """A run that has begun. `predicted` is what it will presumably give, None where that can't be told."""

    def __init__(
        self,
        predicted: Preprocessed | None,
        outcome: Future[tuple[Preprocessed, str]],
        remember: Callable[[Preprocessed, str], None],
    ) -> None:
        self.predicted = predicted
        self._outcome = outcome
        self._remember = remember
        self._result: Preprocessed | None = None

    @property
    def has_ended(self) -> bool:
        """Whether `result` is there at once."""
        return self._result is not None or self._outcome.done()

    def wait(self, give_way: Callable[[], None]) -> None:
        """Wait for its end; `give_way` is asked now and then, and may raise."""
        while not self.has_ended:
            give_way()
            wait((self._outcome,), timeout=_ASK_S)

    def result(self) -> Preprocessed:
        """What it gave, once it has ended; raises what the preprocessing raised."""
        if self._result is None:
            self._result, output = self._outcome.result()
            self._remember(self._result, output)  # once: a later run of the file may have ended when it is asked again
            self._outcome = Future()
        return self._result


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a run has in common with the one that it is predicted from: all that decides, but text and files."""

    path: Path
    flags: PreprocessorFlags
    roots: tuple[Path, ...]
    trusted: bool


def _size(run: EarlierRun) -> int:
    return len(run.source) + len(run.result.text) + len(run.output)
