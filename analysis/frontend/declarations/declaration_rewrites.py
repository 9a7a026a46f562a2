"""Rewrites tried only where a declaration does not parse as it stands; each says what meaning it gives up."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from warplens.analysis.c.c23 import SAME_AS_CONDITION
from warplens.analysis.frontend.declarations.gnu import LITERAL, Rewritten, matching_parenthesis, padded

_STATEMENT_EXPRESSION = re.compile(LITERAL + r"|(\()\s*\{")
_CASE_RANGE = re.compile(r"\bcase\b([^:\n]+?)(\.\.\.[^:\n]+?):")
_LABEL_ADDRESS = re.compile(r"([=,({?:;\[+\-*/%<>!|^~]\s*|\breturn\s+)&&(\s*[^\W\d])")
_COMPUTED_GOTO = re.compile(r"\bgoto(\s*\*[^;{}]*)(?=;)")
_INDEX_RANGE = re.compile(r"\[([^\[\]\n]+?)(\.\.\.[^\[\]]+)\]")
_MEMBER_LABEL = re.compile(r"([{,]\s*)( ?)([^\W\d]\w*)(\s*):(?!:)( ?)")
_INITIALISER = re.compile(LITERAL + r"|=\s*(\{)")
_SHORT_CONDITIONAL = re.compile(LITERAL + r"|\?( *):( ?)")
_ALIGNMENT_OF_EXPRESSION = re.compile(r"\b_Alignof\b(?=\s*(?:\(\s*)?[^\W\d(*&])")
_PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma\b[^\n]*", re.MULTILINE)
_IMPLICIT_LOCAL = re.compile(r"(?<=[;{}])(\s*)(const|static|register|auto)(?=\s+[^\W\d]\w*\s*[=;,\[])")
_HEAD_WORD = re.compile(r"([^\W\d]\w*)(\s*\([^()]*\)(?=\s*[^\W\d]))?")


def has_pragma(text: str) -> bool:
    """Whether there is a pragma in the text."""
    return _PRAGMA.search(text) is not None


def rescues(text: str, body: int, type_names: tuple[str, ...], keywords: frozenset[str]) -> Iterator[Rewritten]:
    """The text with one more rewrite each time; those that change nothing are left out."""
    steps: tuple[Callable[[str], Rewritten], ...] = (
        without_label_extensions,
        lambda t: _without_implicit_local(t, body),
        lambda t: _without_type_labels(t, type_names),
        lambda t: _without_unknown_head_words(t, body, keywords | frozenset(type_names)),
        without_statement_expressions,
        lambda t: Rewritten(_PRAGMA.sub(lambda m: " " * len(m.group()), t), ("pragmas are left out",)),
    )
    inexact: tuple[str, ...] = ()
    for step in steps:
        rewritten = step(text)
        if rewritten.text != text:
            text, inexact = rewritten.text, inexact + rewritten.inexact
            yield Rewritten(text, inexact)


def without_statement_expressions(text: str) -> Rewritten:
    """`({ ... })` becomes `(0 )`."""
    pieces: list[str] = []
    at = 0
    for match in _STATEMENT_EXPRESSION.finditer(text):
        if match.start(1) >= at:
            end = matching_parenthesis(text, match.start())
            pieces += [text[at : match.start()], padded("(0)", text[match.start() : end])]
            at = end
    changed = "".join(pieces) + text[at:]
    return Rewritten(changed, () if changed == text else ("a statement expression is taken as 0",))


def without_label_extensions(text: str) -> Rewritten:
    """Ranges keep their first value, `&&label` becomes `&label`, `goto *p` a jump to `_`, `x: 1` becomes `.x=1`.

    `x ?: y` becomes `x ? $ : y`, to be completed in the tree; the alignment of an expression becomes its size.
    """
    inexact: dict[str, None] = {}
    changed = _CASE_RANGE.sub(lambda m: f"case{m.group(1)}{' ' * len(m.group(2))}:", text)
    if changed != text:
        inexact["case ranges keep their first value only"] = None
    changed = _INDEX_RANGE.sub(lambda m: f"[{m.group(1)}{padded('', m.group(2))}]", changed)
    changed = _LABEL_ADDRESS.sub(r"\1& \2", changed)
    changed = _COMPUTED_GOTO.sub(lambda m: "goto" + padded(" _", m.group(1)), changed)
    if "?" in changed:
        changed = _SHORT_CONDITIONAL.sub(_short_conditional, changed)
    plain = _ALIGNMENT_OF_EXPRESSION.sub("sizeof  ", changed)
    if plain != changed:
        inexact["the alignment of an expression is taken as its size"] = None
        changed = plain
    return Rewritten(_without_member_labels(changed), tuple(inexact))


def _short_conditional(match: re.Match[str]) -> str:
    blanks = match.group(1)
    if blanks is None:
        return match.group()
    if blanks:
        return f"?{SAME_AS_CONDITION}{blanks[1:]}:{match.group(2)}"
    return f"?{SAME_AS_CONDITION}:" if match.group(2) else "||"


def _without_member_labels(text: str) -> str:
    for match in list(_INITIALISER.finditer(text)):
        if match.start(1) < 0:
            continue
        end = matching_brace_after(text, match.end() - 1)
        inside = text[match.end() - 1 : end]
        text = text[: match.end() - 1] + _MEMBER_LABEL.sub(_member_label, inside) + text[end:]
    return text


def _member_label(match: re.Match[str]) -> str:
    before, blank, name, gap, after = match.groups()
    if blank or before[-1:] in " \t":
        before = before + blank
        return f"{before[:-1]}.{name}{gap}={after}"
    return f"{before}.{name}{gap}=" if after else match.group()


def matching_brace_after(text: str, opening: int) -> int:
    """Offset after the `}` of the `{` at `opening`, the end of the text when it never closes."""
    depth = 0
    for match in re.compile(LITERAL + r"|[{}]").finditer(text, opening):
        depth += {"{": 1, "}": -1}.get(match.group(), 0)
        if depth == 0:
            return match.end()
    return len(text)


def _without_implicit_local(text: str, body: int) -> Rewritten:
    """`const k = 3;` in a function: `int k = 3;`."""
    if body < 0:
        return Rewritten(text)
    inside = _IMPLICIT_LOCAL.sub(lambda m: m.group(1) + "int".ljust(len(m.group(2))), text[body:])
    return Rewritten(text[:body] + inside)


def _without_type_labels(text: str, type_names: tuple[str, ...]) -> Rewritten:
    """Labels that share their name with a type."""
    for name in type_names:
        label = re.compile(rf"([;{{}}]\s*){re.escape(name)}(?=\s*:(?!:))")
        if label.search(text):
            other = "$" + name[1:]
            text = label.sub(rf"\g<1>{other}", text)
            text = re.sub(rf"\bgoto(\s+){re.escape(name)}\b", rf"goto\g<1>{other}", text)
    return Rewritten(text)


def _without_unknown_head_words(text: str, body: int, known: frozenset[str]) -> Rewritten:
    """Drop the words before a function's name that are neither C's nor types: macros of a header that is missing."""
    if body < 0:
        return Rewritten(text)
    opening = _parameters(text, body)
    words = list(_HEAD_WORD.finditer(text, 0, opening)) if opening > 0 else []
    if len(words) < 2:
        return Rewritten(text)
    head = words[:-1]
    unknown = [m for m in head if m.group(1) not in known]
    has_type = any(m.group(1) in known and m.group(1) not in {"static", "extern", "inline", "const"} for m in head)
    if not has_type and unknown and not unknown[-1].group(2):
        unknown.pop()  # the last one is the result's type
    dropped = [m.group(1) for m in unknown]
    for match in unknown:
        filler = "" if has_type or match is not unknown[-1] or not match.group(2) else "int"
        text = text[: match.start()] + padded(filler, match.group()) + text[match.end() :]
    return Rewritten(text, (f"dropped, not known here: {', '.join(dropped)}",) if dropped else ())


def _parameters(text: str, body: int) -> int:
    """Offset of the bracket that opens the parameter list of the function whose body starts at `body`."""
    closing = text.rfind(")", 0, body)
    depth = 0
    for at in range(closing, -1, -1):
        depth += (text[at] == ")") - (text[at] == "(")
        if depth == 0:
            return at
    return -1
