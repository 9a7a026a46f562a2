"""Where the line above a statement that must be atomic goes, if the statement may be atomic as it stands."""

from __future__ import annotations

import re

from warplens.analysis.ports.directives.offload_plan import OffloadRefusedError
from warplens.analysis.ports.directives.wanted_directive import WantedDirective
from warplens.analysis.ports.fix import FixContext

_UPDATE = re.compile(r"(?:\+\+|--)[^;=]+|[^;=]+(?:\+\+|--)|[^;=<>!]+(?:[-+*&|^]|<<|>>)=(?!=)[^;]+", re.DOTALL)
_STORE = re.compile(r"[^;=]+(?<![-+*/%&|^<>!])=(?!=)[^;=]+", re.DOTALL)
_STARTS_STATEMENT = re.compile(r"(?:[{};):]|\belse)\Z")


def place_of_atomic(context: FixContext, wanted: WantedDirective) -> int | None:
    """Offset of the statement, None where it is atomic already; raises OffloadRefusedError for another kind of one."""
    span = dict(context.spans.nodes).get(wanted.node)
    if span is None or wanted.node in context.spans.in_macro:
        raise OffloadRefusedError("an update that has to be atomic comes from a macro")
    span = span.shifted(context.spans.base)
    text = context.source[span.start : span.end].rstrip().removesuffix(";")
    behind = context.source[span.end :].lstrip()
    is_whole = context.source[span.start : span.end].rstrip().endswith(";") or behind.startswith(";")
    before = context.source[: span.start].rstrip()
    if re.search(rf"#[ \t]*pragma[ \t]+{wanted.language}[ \t]+atomic\b[^\n]*\Z", before):
        return None
    form, shape = (_STORE, "x = e") if wanted.construct.endswith("write") else (_UPDATE, "x += e")
    if not is_whole or not form.fullmatch(text.strip()) or not _STARTS_STATEMENT.search(before):
        raise OffloadRefusedError(
            f"`{' '.join(text.split())}` has to be atomic: make it a statement of its own, `{shape}`"
        )
    return span.start
