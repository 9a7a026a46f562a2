"""An open document: its text as the client sees it, and the newest answer that is still true of it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import inf
from time import monotonic
from typing import TYPE_CHECKING

from lsprotocol import types
from warplens.analysis.ir.ids import LoopId
from warplens.analysis.text.span import Span
from warplens.server.lsp.edited_lines import EditedLines
from warplens.server.lsp.positions import PositionMap
from warplens.server.session.later import Later
from warplens.server.session.text_outside import meaning_outside
from warplens.server.worker.job import AnalysisJob, Answer, Edit, NestAnswer, after_edit

if TYPE_CHECKING:
    from warplens.analysis.models.sizes.break_even import BreakEven
    from warplens.server.measure.counters.linked_kernel import LinkedKernel
    from warplens.server.measure.counters.static_job import StaticTimes

NOWHERE = Span(0, 0)
_MANY_CHANGES = 50
"""In one notification: more are one edit from the first to the last of them, each costs as much as the text is long."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why the newest analysis has no answer, and where it was when it ended, as far as that is known."""

    message: str
    span: Span = NOWHERE


@dataclass(slots=True)
class Document:
    """One open file. The text is kept here because LSP's line ends are not Python's: a form feed ends no line.

    `edits` are those since the text of the analysis under way was taken, `edited_at_s` is when the last one came;
    `wanted` counts requests for an analysis, `begun` is the count when one began, `requested_version` is the version of
    the last one.
    `is_partial`: the answer has only the first nests, or may be another one when the preprocessor has run, the analysis
    goes on; `has_part` is for those who wait for that.
    `skipped` are nests whose analysis did not end, until their function is edited.
    """

    uri: str
    path: str
    version: int
    positions: PositionMap
    encoding: str
    answer: Answer | None = None
    failure: Failure | None = None
    edits: list[Edit] = field(default_factory=list)
    edited_at_s: float = -inf
    seen_s: float = field(default_factory=monotonic)
    """When it was opened, or the client last asked something of it, which it does of what is visible."""
    skipped: set[LoopId] = field(default_factory=set)
    is_partial: bool = False
    has_part: asyncio.Event = field(default_factory=asyncio.Event)
    wanted: int = 0
    begun: int = 0
    requested_version: int | None = None
    job: AnalysisJob | None = None
    """The newest, done or under way."""
    preparation: asyncio.Task[None] | None = None
    """Of the next save."""
    preparing: AnalysisJob | None = None
    """What it is at, or was at last."""
    prepared: tuple[AnalysisJob, Answer] | None = None
    """What came of it, until an analysis was asked for that has ended."""
    expected: AnalysisJob | None = None
    """What an analysis that waits for its turn would be, as a preparation."""
    is_preparable: bool = True
    """False where that may not come to an end: then only what was asked for is tried."""
    runner: asyncio.Task[None] | None = None
    pause: asyncio.TimerHandle | None = None
    break_evens: Later[bytes, BreakEven | None] = field(default_factory=Later)
    """Of the answer's nests, by their packed evaluations; None of those that have none."""
    static_times: Later[tuple[bytes, tuple[LinkedKernel, ...]], tuple[StaticTimes, ...]] = field(default_factory=Later)
    """Predictions for the runs of measured kernels, by nest and kernels: of those that a hover was asked for."""
    break_even_task: asyncio.Task[None] | None = None
    _taken: str = ""
    _analysed: tuple[str, tuple[Span, ...]] | None = None
    """The text that the answer was made from, and where its functions stand there."""

    @property
    def text(self) -> str:
        """The whole text."""
        return self.positions.text

    def break_even_of(self, nest: NestAnswer) -> BreakEven | None:
        """From which size on a nest is faster on a GPU, once that is known."""
        return self.break_evens.get(nest.packed)

    def take_text(self) -> str:
        """The text for an analysis that begins now."""
        self.edits.clear()
        self.begun = self.wanted
        self._taken = self.text
        return self._taken

    @property
    def is_edited_outside(self) -> bool:
        """Whether the text beside functions with loops may mean something else than it did when it was analysed."""
        if self.answer is None or not self.answer.is_edited_outside or self._analysed is None:
            return self.answer is not None and self.answer.is_edited_outside
        now = (*(function.span for function in self.answer.functions), *(span for _, span in self.answer.edited))
        return meaning_outside(self.text, now) != meaning_outside(*self._analysed)

    async def analysed(self, *, whole: bool = False) -> None:
        """Wait for the analysis of the current text while it is under way and has nothing to show, or an edit came.

        What is still true of edited text is known at once, and the client is told when the next analysis has ended.
        One that can't be told wants the `whole` of it.
        """
        while self.runner is not None and not self.runner.done() and self.requested_version == self.version:
            if whole:
                await asyncio.wait({self.runner})
            elif self.is_partial:
                return
            else:
                part = asyncio.ensure_future(self.has_part.wait())
                try:
                    await asyncio.wait({self.runner, part}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    part.cancel()

    def change(self, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]) -> bool:
        """Apply a change notification; tell whether anything that is shown moved to another line or was dropped."""
        before = self.answer
        self.edited_at_s = monotonic()
        lines = self.positions.line_count
        if len(changes) > _MANY_CHANGES:
            self._apply(types.TextDocumentContentChangeWholeDocument(self._after(changes)))
        else:
            for change in changes:
                self._apply(change)
        self._forget_skips_of_edited()
        self.expected = self.prepared = None
        self.version = version
        return self.positions.line_count != lines or _shown(before) != _shown(self.answer)

    def _after(self, changes: Sequence[types.TextDocumentContentChangeEvent]) -> str:
        lines = EditedLines(self.text, self.encoding)
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                lines.replace(change.range, change.text)
            else:
                lines = EditedLines(change.text, self.encoding)
        return lines.text

    def _apply(self, change: types.TextDocumentContentChangeEvent) -> None:
        old = self.text
        if isinstance(change, types.TextDocumentContentChangePartial):
            span = self.positions.span(change.range)
            edit = difference(old[span.start : span.end], change.text, span.start)
            text = old[: span.start] + change.text + old[span.end :]
        else:
            text = change.text
            edit = difference(old, text)
        edit = replace(edit, is_blank=_is_blank(old, text, edit))
        self.positions = PositionMap(text, self.encoding)
        self.edits.append(edit)
        if self.answer is not None:
            self.answer = after_edit(self.answer, edit)

    def accept(self, answer: Answer, *, is_partial: bool = False) -> None:
        """Take the answer for the text that was taken last, less what was edited since."""
        self.is_partial = is_partial
        self.is_preparable = not is_partial
        self.prepared = None
        (self.has_part.set if is_partial else self.has_part.clear)()
        self._analysed = (self._taken, tuple(function.span for function in answer.functions))
        for edit in self.edits:
            answer = after_edit(answer, edit)
        self.answer = answer
        self.failure = None
        nests = [nest for function in answer.functions for nest in function.nests]
        self.break_evens.keep_only({nest.packed for nest in nests})
        self.static_times.keep_only({(nest.packed, nest.kernels) for nest in nests})
        self._forget_skips_of_edited()

    def fail(self, failure: Failure) -> None:
        """Show why there is no answer, in the place of one."""
        self.answer, self.failure, self.is_partial, self.is_preparable = None, failure, False, False
        self.has_part.clear()

    def _forget_skips_of_edited(self) -> None:
        """An answer holds just the functions that were not edited since."""
        unedited = {function.name for function in self.answer.functions} if self.answer else set()
        edited = {nest for nest in self.skipped if nest.function not in unedited}
        self.skipped -= edited
        self.is_preparable = self.is_preparable and not edited


def difference(old: str, new: str, at: int = 0) -> Edit:
    """The replacement that makes `new` of `old`, as short as common beginning and end allow; both start at `at`."""
    start, limit = 0, min(len(old), len(new))
    step = limit
    while step:
        while old[start : start + step] == new[start : start + step] and start + step <= limit:
            start += step
        step //= 2
    tail, limit = 0, limit - start
    step = limit
    while step:
        while (
            tail + step <= limit
            and old[len(old) - tail - step : len(old) - tail] == new[len(new) - tail - step : len(new) - tail]
        ):
            tail += step
        step //= 2
    return Edit(at + start, at + len(old) - tail, at + len(new) - tail)


def _is_blank(old: str, new: str, edit: Edit) -> bool:
    """Whether only empty lines and indentation come or go, in front of a line that is no continuation."""
    before = old[: edit.start]
    changed = old[edit.start : edit.old_end] + new[edit.start : edit.new_end]
    return not changed.strip() and before[-1:] in {"", "\n"} and not re.search(r"\\\r?\n\Z", before[-3:])


def _shown(answer: Answer | None) -> tuple[int, int, int]:
    if answer is None:
        return (0, 0, 0)
    return (len(answer.functions), len(answer.opaque), len(answer.problems))
