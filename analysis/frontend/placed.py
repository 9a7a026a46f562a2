"""A function's places in the user's file, kept relative to its own lines: an edit elsewhere moves them, no more."""

from __future__ import annotations

from dataclasses import dataclass, replace

from warplens.analysis.frontend.comments.translation_unit import Opaque
from warplens.analysis.ir.nest import LoopNest, NestSpans
from warplens.analysis.text.span import Span


@dataclass(frozen=True, slots=True)
class Placed:
    """The definition, what was cut out of it or refused, its opaque loops and its nests, each with its place."""

    span: Span
    lost: tuple[Opaque, ...] = ()
    opaque: tuple[Opaque, ...] = ()
    nests: tuple[tuple[LoopNest, NestSpans], ...] = ()

    def shifted(self, by: int) -> Placed:
        """The same, moved by a number of characters."""
        if by == 0:
            return self
        return Placed(
            self.span.shifted(by),
            tuple(replace(one, span=one.span.shifted(by)) for one in self.lost),
            tuple(replace(one, span=one.span.shifted(by)) for one in self.opaque),
            tuple((nest, _shifted(spans, by)) for nest, spans in self.nests),
        )

    @property
    def start(self) -> int:
        """The first offset of all."""
        return min(one.start for one in (self.span, *(opaque.span for opaque in (*self.lost, *self.opaque))))


def _shifted(spans: NestSpans, by: int) -> NestSpans:
    return NestSpans(spans.base + by, spans.header, spans.whole, spans.nodes, spans.in_macro, spans.macros)
