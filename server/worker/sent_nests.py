"""Nests that travelled once between the two processes: an answer names them, and holds only those that are new.

Of a file of 60 nests, 20 kB each, one changes with an edit.
"""

from __future__ import annotations

import io
import pickle
from collections import OrderedDict
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from warplens.server.worker.job import NestAnswer
from warplens.server.worker.quick_pickle import Call, QuickPickler

if TYPE_CHECKING:
    from warplens.analysis.advice.finding import Finding
    from warplens.analysis.engine.program_sizes import OtherCalls, SizeSources
    from warplens.analysis.frontend.comments.translation_unit import MacroUse
    from warplens.analysis.frontend.declarations.companions import DefinedElsewhere
    from warplens.analysis.ir.ids import LoopId


_LIMIT_BYTES = 64 << 20
"""Of packed evaluations; those that were not named for the longest time go first."""

_ANSWERS = 200
"""What so many answers did not name is not kept: one that comes again is sent again."""


class SentNests:
    """What the analysis process knows that the server has, by a number each."""

    def __init__(self, limit_bytes: int = _LIMIT_BYTES, answers: int = _ANSWERS) -> None:
        self._limit_bytes = limit_bytes
        self._answers = answers
        self._answer = 0
        self._size_bytes = 0
        self._known: OrderedDict[int, _Known] = OrderedDict()
        """By the identity of the packed evaluation, which the nest keeps alive; the one named last stands last."""
        self._next = 0

    def begin_answer(self) -> None:
        """What is named from now on is so in another answer."""
        self._answer += 1

    def call_for(self, nest: NestAnswer) -> Call:
        """How the server makes this nest: of one that it has, or of all its content."""
        if not nest.packed:
            return NestAnswer, _content(nest)
        key = id(nest.packed)
        known = self._known.get(key)
        if known is not None and _is_same(known.nest, nest):
            known.answer = self._answer
            self._known.move_to_end(key)
            found = None if nest.findings == known.nest.findings else nest.findings
            at = (nest.spans.base, nest.macros, nest.elsewhere, nest.size_sources, nest.other_calls, found)
            return _as_before, (known.number, nest.id, *at)
        dropped = [] if known is None else [known.number]
        if known is None:
            self._size_bytes += len(nest.packed)
        self._known[key] = _Known(nest, self._next, self._answer)
        self._known.move_to_end(key)
        self._next += 1
        while self._is_too_much():
            _, oldest = self._known.popitem(last=False)
            self._size_bytes -= len(oldest.nest.packed)
            dropped.append(oldest.number)
        return _new, (self._next - 1, tuple(dropped), *_content(nest))

    def _is_too_much(self) -> bool:
        oldest = next(iter(self._known.values()))
        is_old = oldest.answer <= self._answer - self._answers
        return is_old or (self._size_bytes > self._limit_bytes and len(self._known) > 1)


@dataclass(slots=True)
class _Known:
    """A nest that was sent, and the answer that named it last."""

    nest: NestAnswer
    number: int
    answer: int


class ReceivedNests:
    """The server's side of it, of one analysis process."""

    def __init__(self) -> None:
        self._nests: dict[int, NestAnswer] = {}

    def new(self, number: int, dropped: tuple[int, ...], *content: Any) -> NestAnswer:
        """A nest that was not sent before; `dropped` are numbers that will not be named again."""
        for each in dropped:
            self._nests.pop(each, None)
        self._nests[number] = nest = NestAnswer(*content)
        return nest

    def as_before(
        self,
        number: int,
        name: LoopId,
        base: int,
        macros: tuple[MacroUse, ...],
        elsewhere: tuple[DefinedElsewhere, ...],
        size_sources: SizeSources,
        other_calls: OtherCalls,
        findings: tuple[Finding, ...] | None,
    ) -> NestAnswer:
        """A nest that was sent before, at its place of now, as are the places of other files that it names.

        How severe its findings are hangs on the other nests; None where they are as before.
        """
        nest = self._nests[number]
        spans = replace(nest.spans, base=base)
        moved = replace(nest, id=name, spans=spans, macros=macros, elsewhere=elsewhere)
        return replace(
            moved,
            size_sources=size_sources,
            other_calls=other_calls,
            findings=nest.findings if findings is None else findings,
        )


class NestPickler(QuickPickler):
    """Writes a nest as SentNests says."""

    def __init__(self, buffer: io.BytesIO, sent: SentNests) -> None:
        super().__init__(buffer)
        self._sent = sent
        self._has_nest = False

    def reducer_override(self, obj: object) -> Call:
        """The call that makes a value."""
        if type(obj) is not NestAnswer:
            return super().reducer_override(obj)
        if not self._has_nest:  # else it is no answer
            self._has_nest = True
            self._sent.begin_answer()
        return self._sent.call_for(obj)


class NestUnpickler(pickle.Unpickler):
    """Reads what NestPickler wrote."""

    def __init__(self, buffer: io.BytesIO, received: ReceivedNests) -> None:
        super().__init__(buffer)
        self._received = received

    def find_class(self, module: str, name: str) -> Any:
        """What a pickle names: our two calls are the server's memory of nests."""
        if module == __name__:
            return {_new.__name__: self._received.new, _as_before.__name__: self._received.as_before}[name]
        return super().find_class(module, name)


def _is_same(known: NestAnswer, nest: NestAnswer) -> bool:
    """Whether all is equal but the place and the findings, which are sent with it.

    The parts are the same objects as a rule, which is quick to see.
    """
    return (
        known.spans == replace(nest.spans, base=known.spans.base)
        and known.fixes == nest.fixes
        and (known.lens, known.hints, known.hidden) == (nest.lens, nest.hints, nest.hidden)
        and (known.failure, known.timings, known.kernels) == (nest.failure, nest.timings, nest.kernels)
        and known.size_roots == nest.size_roots
    )


def _content(nest: NestAnswer) -> tuple[object, ...]:
    return tuple([getattr(nest, field.name) for field in fields(nest)])


def _new(*_: object) -> NestAnswer:
    raise AssertionError("NestUnpickler reads this as ReceivedNests.new")


def _as_before(*_: object) -> NestAnswer:
    raise AssertionError("NestUnpickler reads this as ReceivedNests.as_before")
