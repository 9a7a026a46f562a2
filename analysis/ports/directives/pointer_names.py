"""Accesses whose text names another pointer than the array they reach (`q = p + 5; q[i]`)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import NestSpans
from warplens.analysis.text.tokens import without_comments_and_directives

_NAME = re.compile(r"[A-Za-z_]\w*")
_TYPE = re.compile(r"(?<!\w)(?!(?:else|do|return)\b)[A-Za-z_]\w*$")
_DECLARATION = re.compile(r"\s*(?:\w+\s+)*\w+\s*\*")


def other_pointer(names: Iterable[tuple[NodeId, str]], root: NodeId, spans: NestSpans, source: str) -> str:
    """Name of a pointer that stands for one of the arrays and gets its value outside of the loop; empty if none does.

    `names` are accesses with the array each reaches. A pointer that is set inside the loop is set on the device too,
    from the array's address there, so it may stay. An access that comes from a macro is assumed to name its array.
    """
    nodes = dict(spans.nodes)
    whole = dict(spans.whole)[root].shifted(spans.base)
    loop_text = without_comments_and_directives(source[whole.start : whole.end])
    for access, array in names:
        if access not in nodes or access in spans.in_macro:
            continue
        span = nodes[access].shifted(spans.base)
        written = _NAME.search(source, span.start, span.end)
        reached = _NAME.match(array)
        if written is None or reached is None or written[0] == reached[0]:
            continue
        if source[written.end() : span.end].lstrip().startswith("("):
            continue  # an access of the called function: what the call hands on was looked at before
        if not _is_set(written[0], loop_text):
            return written[0]
    return ""


def _is_set(pointer: str, text: str) -> bool:
    """Whether the pointer itself gets a value: neither what it points to (`*p = 7`) nor a member of its name."""
    for found in re.finditer(rf"\b{pointer}\s*=(?!=)", text):
        before = text[: found.start()].rstrip()
        if before.endswith((".", "->")):
            continue
        ahead = before.rstrip("* \t\r\n")
        if not before.endswith("*") or _TYPE.search(ahead):
            return True
        if ahead.endswith(",") and _DECLARATION.match(re.split("[;{}]", ahead)[-1]):
            return True  # `double *q = x, *p = y;`
    return False
