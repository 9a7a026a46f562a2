"""What OpenACC asks of a loop's header beyond what OpenMP does.

Source: OpenACC 3.1, 2.9 (loop construct): the condition is one of <, <=, > and >=; gcc takes no other.
"""

from __future__ import annotations

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import NestSpans
from warplens.analysis.ports.directives.placement import is_canonical_here
from warplens.analysis.text.tokens import without_comments_and_directives


def is_countable_here(loop: NodeId, spans: NestSpans, source: str) -> bool:
    """Whether a loop stands in the source itself with a header that OpenACC takes."""
    return is_canonical_here(loop, spans, source) and not header_with_inequality(loop, spans, source)


def header_with_inequality(loop: NodeId, spans: NestSpans, source: str) -> str:
    """The header of a loop that runs while its variable is `!=` something; empty of another."""
    span = dict(spans.header)[loop].shifted(spans.base)
    header = source[span.start : span.end]
    parts = without_comments_and_directives(header).split(";")
    return header if len(parts) == 3 and "!=" in parts[1] else ""
