"""Comment directives: `// warplens: n = 4096, m = 10` sets the value of a parameter."""

from __future__ import annotations

import re

from warplens.analysis.frontend.unit import Problem, SizeDirective
from warplens.analysis.text.span import Span
from warplens.analysis.text.tokens import comments

_INTRODUCER = re.compile(r"(?://|/\*)[\s*]*warplens\s*:", re.IGNORECASE)
_SETTING = re.compile(r"\s*([^\W\d]\w*(?:(?:->|\.)\w+)*)\s*=\s*(0[xX][0-9a-fA-F]+|\d[\d_']*)\s*\Z")
_LARGEST_VALUE = 2**63 - 1


def read_directives(source: str) -> tuple[tuple[SizeDirective, ...], tuple[Problem, ...]]:
    """Directives in the user's text, and a problem for each that could not be read."""
    if "warplens" not in source.lower():
        return (), ()
    directives: list[SizeDirective] = []
    problems: list[Problem] = []
    for offset, comment in comments(source):
        introducer = _INTRODUCER.match(comment)
        if not introducer:
            continue
        content_end = len(comment) - 2 if comment.endswith("*/") else len(comment)
        at = introducer.end()
        for part in comment[at:content_end].split(","):
            span = _trimmed(comment, at, at + len(part)).shifted(offset)
            at += len(part) + 1
            setting = _SETTING.match(part)
            value = (
                int(re.sub(r"[_']", "", setting.group(2)), 0 if "x" in setting.group(2).lower() else 10)
                if setting
                else 0
            )
            if setting is None:
                message = f"not a size: `{part.strip()[:40]}`; write for example `warplens: n = 4096, m = 10`"
                problems.append(Problem(message, span, "warning"))
            elif value > _LARGEST_VALUE:
                problems.append(Problem(f"{value} does not fit in 64 bits", span, "warning"))
            else:
                directives.append(SizeDirective(setting.group(1), value, span))
    return tuple(directives), tuple(problems)


def _trimmed(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)
