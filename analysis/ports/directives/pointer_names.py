"""Accesses whose text names another pointer than the array they reach (`q = p + 5; q[i]`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import NestSpans
from warplens.analysis.text.tokens import without_comments_and_directives

_NAME = re.compile(r"[A-Za-z_]\w*")
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
_IN_BRACKETS = re.compile(r"\([^()]*\)")
_TYPE = re.compile(r"(?<!\w)(?!(?:else|do|return)\b)[A-Za-z_]\w*$")
_DECLARATION = re.compile(r"\s*(?:\w+\s+)*\w+\s*\*[^(]*$")


def other_pointer(names: Iterable[tuple[NodeId, str]], root: NodeId, spans: NestSpans, source: str) -> str:
    """Name of a pointer that stands for one of the arrays and gets its value outside of the loop; empty if none does.

    `names` are accesses with the array each reaches. A pointer that is set inside the loop is set on the device too,
    from the array's address there, so it may stay. A macro is assumed to name the array.
    """
    text = _loop_text(root, spans, source)
    for name, array in _pointers(names, spans, source):
        if not _leads_to(name, {array, *_MACRO.findall(source)}, text, frozenset()):
            return name
    return ""


def shared_pointers(
    names: Iterable[tuple[NodeId, str]], kernel: NodeId, spans: NestSpans, source: str
) -> Iterator[str]:
    """Names of such pointers that the kernel's iterations set and none declares: they share them.

    A directive in the line above that makes it `private` is kept in the port.
    """
    text = _loop_text(kernel, spans, source)
    above = source[: dict(spans.whole)[kernel].shifted(spans.base).start].rstrip().rsplit("\n", 1)[-1]
    said = re.findall(r"\bprivate\s*\(([^)]*)\)", above) if above.lstrip().startswith("#") else []
    private = set(_NAME.findall(" ".join(said)))
    for name, _ in _pointers(names, spans, source):
        if name not in private and any(_values(name, text)) and not _is_declared(name, text):
            yield name


def _loop_text(root: NodeId, spans: NestSpans, source: str) -> str:
    whole = dict(spans.whole)[root].shifted(spans.base)
    return without_comments_and_directives(source[whole.start : whole.end])


def _pointers(names: Iterable[tuple[NodeId, str]], spans: NestSpans, source: str) -> Iterator[tuple[str, str]]:
    """Names as written, each with that of the array that is reached."""
    nodes = dict(spans.nodes)
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
        yield written[0], reached[0]


def _leads_to(pointer: str, arrays: set[str], text: str, seen: frozenset[str]) -> bool:
    """Whether the pointer gets a value in the loop that names an array, or another pointer that does."""
    for value in _values(pointer, text):
        named = set(_NAME.findall(value))
        if named & arrays or any(_leads_to(name, arrays, text, seen | {pointer}) for name in named - seen - {pointer}):
            return True
    return False


def _values(pointer: str, text: str) -> Iterator[str]:
    """What the pointer itself is set to: neither what it points to is (`*p = 7`) nor a member of its name."""
    for found in re.finditer(rf"\b{pointer}\s*=(?!=)", text):
        before = text[: found.start()].rstrip()
        if not before.endswith((".", "->", "*")) or _is_declarator(before):
            yield _first_value(text[found.end() :])


def _first_value(text: str) -> str:
    depth = 0
    for at, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == ";" or depth < 0 or (character == "," and depth == 0):
            return text[:at]
    return text


def _is_declared(pointer: str, text: str) -> bool:
    found = re.finditer(rf"\b{pointer}\s*(?:=(?!=)|[;,])", text)
    return any(_is_declarator(text[: each.start()].rstrip()) for each in found)


def _is_declarator(before: str) -> bool:
    """Whether a declaration's type ends here, or the declarator ahead does (`double *q = x, *p`)."""
    ahead = before.rstrip("* \t\r\n")
    if not ahead.endswith(","):
        return bool(_TYPE.search(ahead))
    statement, brackets = re.split("[;{}]", ahead)[-1], 1
    while brackets:
        statement, brackets = _IN_BRACKETS.subn("", statement)
    return bool(_DECLARATION.match(statement))
