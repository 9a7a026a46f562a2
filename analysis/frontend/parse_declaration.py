"""One external declaration through pycparser, behind `typedef int T;` for the type names it mentions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pycparser import c_ast, c_parser
from warplens.analysis.frontend.declared_names import KEYWORDS
from warplens.analysis.frontend.gnu import (
    Rewritten,
    rewrite_gnu,
    without_label_extensions,
    without_statement_expressions,
)

NESTED_TOO_DEEPLY = "nested too deeply to be parsed"
_DEEPEST_BRACKETS = 600
"""The parser recurses, so brackets deeper than this are refused unread; less deep ones may still exhaust the stack."""
_LONGEST_INITIALISER = 2000
_IMPLICIT_INT_FUNCTION = re.compile(r"\s*(?:(?:static|extern|inline)\s+)*[^\W\d]\w*\s*\(")
_IMPLICIT_INT_VARIABLE = re.compile(r"\s*(?:(?:static|extern|const|register|volatile)\s+)+[^\W\d]\w*\s*[=;,\[(]")
_INITIALISER = re.compile(r"=\s*\{")
_BRACKET_TOKEN = re.compile(r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[()\[\]{}]""")
_ODD_BLANK = re.compile(r"[\r\f\v\0]")
_USED_AS_TYPE = (
    re.compile(r"(?<![\w.>])([^\W\d]\w*)\s+(?:\*\s*)*(?:(?:restrict|const)\s+)*([^\W\d]\w*)\s*(?=[=;,)\[(])"),
    re.compile(r"[(,;{}]\s*(?:(?:const|static|register|volatile)\s+)*([^\W\d]\w*)\s*\*+\s*(?:(?:restrict|const)\s+)*"
               r"([^\W\d]\w*)\s*(?=[=;,)\[])"),
    re.compile(r"\(\s*(?:const\s+|unsigned\s+)?([^\W\d]\w*)(\s*)\*+\s*\)"),
)  # fmt: skip
_PARSE_ERROR = re.compile(r"^[^:]*:(\d+):(\d+): (?:before: )?(.*)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Parsed:
    """Declarations of one piece of text; `text` is what was parsed, as long as the original.

    Coordinates' lines count from 2 (line 1 is the prelude). `error` is set instead when nothing worked, with
    `error_offset` in the text, -1 where the parser does not say.
    """

    declarations: tuple[c_ast.Node, ...]
    text: str
    inexact: tuple[str, ...] = ()
    error: str = ""
    error_offset: int = -1


def parse_declaration(text: str, type_names: tuple[str, ...], body: int = -1) -> Parsed:
    """Parse one declaration, with retries that give up a little meaning each; never raises.

    The parser recurses as deep as the text nests, within the caller's recursion limit; where that does not suffice the
    error says so.
    """
    first = rewrite_gnu(_ODD_BLANK.sub(" ", text), body)
    start = Rewritten(_shorten_initialisers(first.text), first.inexact)
    depth = _bracket_depth(start.text)
    if depth > _DEEPEST_BRACKETS:
        return Parsed((), start.text, error=f"brackets are nested {depth} deep")
    failure: Parsed | None = None
    for rewritten, implicit_int, extra_types in _attempts(start, type_names):
        result = _attempt(rewritten, (*type_names, *extra_types), implicit_int)
        if not result.error:
            return result
        failure = failure or result
    return failure if failure is not None else Parsed((), start.text, error="not understood")


def _attempts(start: Rewritten, type_names: tuple[str, ...]) -> Iterator[tuple[Rewritten, bool, tuple[str, ...]]]:
    yield start, False, ()
    implicit = bool(_IMPLICIT_INT_FUNCTION.match(start.text) or _IMPLICIT_INT_VARIABLE.match(start.text))
    if implicit:
        yield start, True, ()
    changed = start
    rewrites: tuple[Callable[[str], Rewritten], ...] = (without_statement_expressions, without_label_extensions)
    for rewrite in rewrites:
        step = rewrite(changed.text)
        if step.inexact:
            changed = Rewritten(step.text, changed.inexact + step.inexact)
            yield changed, implicit, ()
            if implicit:
                yield changed, False, ()
    guessed = _guessed_types(changed.text, type_names)
    if guessed:
        note = f"taken for types: {', '.join(guessed)}"
        yield Rewritten(changed.text, (*changed.inexact, note)), False, guessed


def _attempt(rewritten: Rewritten, type_names: tuple[str, ...], implicit_int: bool) -> Parsed:
    prelude = "".join(f"typedef int {name};" for name in type_names) + (" int" if implicit_int else "")
    try:
        tree = c_parser.CParser().parse(f"{prelude}\n{rewritten.text}\n", "")
    except RecursionError:
        return Parsed((), rewritten.text, error=NESTED_TOO_DEEPLY)
    except (c_parser.ParseError, AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        # pycparser trips over some broken input with other errors than its own
        return _failed(rewritten.text, str(error))
    return Parsed(tuple(tree.ext[len(type_names) :]), rewritten.text, rewritten.inexact)


def _failed(text: str, message: str) -> Parsed:
    match = _PARSE_ERROR.match(message)
    if not match:
        said = message.lstrip(": ")[:80]
        return Parsed((), text, error=f"not understood ({said or 'broken syntax'})", error_offset=-1)
    line, column, rest = int(match.group(1)) - 2, int(match.group(2)), match.group(3)
    lines = text.split("\n")
    offset = sum(len(part) + 1 for part in lines[:line]) + column - 1 if 0 <= line < len(lines) else len(text)
    near = f"near `{rest[:40]}`" if match.group(0).find("before: ") >= 0 else f"({rest[:60]})"
    return Parsed((), text, error=f"not understood {near}", error_offset=min(max(offset, 0), len(text)))


def _shorten_initialisers(text: str) -> str:
    """Replace a long `= {...}` by `= {0}`: a table's values say nothing about loops, parsing them takes long."""
    if len(text) < _LONGEST_INITIALISER:
        return text
    pieces: list[str] = []
    at = 0
    for match in _INITIALISER.finditer(text):
        if match.start() < at:
            continue
        opening = match.end() - 1
        closed = _closing_brace(text, opening)
        if closed - opening > _LONGEST_INITIALISER:
            pieces += [text[at : opening + 1], "0", re.sub(r"[^\n]", " ", text[opening + 2 : closed - 1]), "}"]
            at = closed
    return "".join(pieces) + text[at:]


def _closing_brace(text: str, opening: int) -> int:
    depth = 0
    for match in _BRACKET_TOKEN.finditer(text, opening):
        depth += {"{": 1, "}": -1}.get(match.group(), 0)
        if depth == 0:
            return match.end()
    return len(text)


def _bracket_depth(text: str) -> int:
    depth = deepest = 0
    for match in _BRACKET_TOKEN.finditer(text):
        if match.group() in "([{":
            depth += 1
            deepest = max(deepest, depth)
        elif match.group() in ")]}":
            depth -= 1
    return deepest


def _guessed_types(text: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """Names used where only a type can stand although no typedef is known (a missing header)."""
    known_names = KEYWORDS | frozenset(known)
    guessed: dict[str, None] = {}
    for pattern in _USED_AS_TYPE:
        for match in pattern.finditer(text):
            if match.group(1) not in known_names and match.group(2) not in KEYWORDS:
                guessed[match.group(1)] = None
    return tuple(guessed)
