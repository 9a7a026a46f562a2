"""One external declaration through pycparser, behind `typedef int T, U;` for the type names it mentions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from pycparser import c_ast, c_parser
from warplens.analysis.c.c23 import as_known_nodes
from warplens.analysis.frontend.declarations.declaration_rewrites import has_pragma, rescues
from warplens.analysis.frontend.declarations.declarators import KEYWORDS
from warplens.analysis.frontend.declarations.foreign_names import in_ascii, with_original_names
from warplens.analysis.frontend.declarations.gnu import LITERAL, Rewritten, rewrite_gnu
from warplens.analysis.frontend.declarations.token_reader import TokenReader
from warplens.analysis.frontend.declarations.unparsed_statements import Left, recover
from warplens.analysis.frontend.syntax.atomic_updates import with_plain_updates
from warplens.analysis.frontend.syntax.compound_literals import with_literals_declared
from warplens.analysis.frontend.syntax.constant_tables import is_short_table

NESTED_TOO_DEEPLY = "nested too deeply to be parsed"
_DEEPEST_BRACKETS = 600
"""The parser recurses, so brackets deeper than this are refused unread; less deep ones may still exhaust the stack."""
_LONGEST_INITIALISER = 2000
_SHORTENED = "0u"
"""Stands for values that were left out; unsigned, as a list that is no table of known values (constant_tables)."""
_LONGEST_FUNCTION = 1_000_000
_IMPLICIT_INT_FUNCTION = re.compile(r"\s*(?:(?:static|extern|inline)\s+)*[^\W\d]\w*\s*\(")
_IMPLICIT_INT_VARIABLE = re.compile(r"\s*(?:(?:static|extern|const|register|volatile)\s+)+[^\W\d]\w*\s*[=;,\[(]")
_INITIALISER = re.compile(LITERAL + r"|=\s*(\{)")
_BRACKET_TOKEN = re.compile(r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[()\[\]{}]""")
_ODD_BLANK = re.compile(r"[\r\f\v\0]")
_C23 = re.compile(
    r"\b(?:typeof(?:_unqual)?|auto|bool|true|false|nullptr|constexpr|static_assert|thread_local|alignas|alignof|_BitInt)\b"
    r"|\benum\b[^{};()]*:"
)
_C23_FIRST = re.compile(r"\btypeof(?:_unqual)?\b|\bauto\b")
_C23_WORDS = frozenset(
    {"typeof", "typeof_unqual", "bool", "true", "false", "nullptr", "constexpr", "static_assert", "thread_local",
     "alignas", "alignof"}
)  # fmt: skip
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

    Coordinates' lines count from 2 (line 1 is the prelude). `guessed_types` are names without a `typedef` that stand
    where only types can; `inexact` says in what else the trees may mean something other than the text. `error` is set
    instead when nothing worked, with `error_offset` in the text, -1 where the parser does not say.
    """

    declarations: tuple[c_ast.Node, ...]
    text: str
    inexact: tuple[str, ...] = ()
    error: str = ""
    error_offset: int = -1
    left: tuple[Left, ...] = ()
    guessed_types: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """All that was inexact, guesses included."""
        guess = (f"taken for types: {', '.join(self.guessed_types)}",) if self.guessed_types else ()
        return (*self.inexact, *guess)


_Dialect = Literal["legacy", "c23"]


@dataclass(frozen=True, slots=True)
class _Try:
    """One way to read the text."""

    rewritten: Rewritten
    implicit_int: bool = False
    extra_types: tuple[str, ...] = ()
    dialect: _Dialect = "legacy"


def parse_declaration(text: str, type_names: tuple[str, ...], body: int = -1) -> Parsed:
    """Parse one declaration, with retries that give up a little meaning each; never raises.

    The parser recurses as deep as the text nests, within the caller's recursion limit; where that does not suffice the
    error says so.
    """
    if len(text) > _LONGEST_FUNCTION and body >= 0:
        return Parsed((), text, error=f"the function has {len(text)} characters once its macros are expanded: too long")
    plain, type_names, names = in_ascii(_ODD_BLANK.sub(" ", text), type_names)
    first = rewrite_gnu(plain, body)
    start = Rewritten(_shorten_initialisers(first.text), first.inexact)
    depth = _bracket_depth(start.text)
    if depth > _DEEPEST_BRACKETS:
        return Parsed((), start.text, error=f"brackets are nested {depth} deep")
    failure: Parsed | None = None
    last = with_pragmas = _Try(start)
    for last in _tries(start, type_names, body):
        with_pragmas = last if has_pragma(last.rewritten.text) else with_pragmas
        result = _attempt(last, type_names)
        if not result.error:
            return _named_as_written(result, names)
        failure = failure or result
        if result.error == NESTED_TOO_DEEPLY:
            return failure
    if failure is None:
        return Parsed((), start.text, error="not understood")
    if body < 0:
        return failure
    recovered = _recovered(last, type_names, body, failure)
    if with_pragmas is not last and has_pragma(start.text):
        kept = _recovered(with_pragmas, type_names, body, failure)
        recovered = recovered if kept.error or len(kept.left) > len(recovered.left) else kept
    return _named_as_written(recovered, names)


def _tries(start: Rewritten, type_names: tuple[str, ...], body: int) -> Iterator[_Try]:
    """Ways to read the text, the most faithful first."""
    implicit = bool(_IMPLICIT_INT_FUNCTION.match(start.text) or _IMPLICIT_INT_VARIABLE.match(start.text))
    modern = bool(_C23.search(start.text))
    if modern and _C23_FIRST.search(start.text):
        yield _Try(start, dialect="c23")
    yield _Try(start)
    if implicit:
        yield _Try(start, implicit_int=True)
    if modern:
        yield _Try(start, dialect="c23")
    changed = start
    for step in rescues(start.text, body, type_names, KEYWORDS):
        if has_pragma(changed.text) and not has_pragma(step.text):  # a directive says more than that a name is no type
            yield from _with_guesses(changed, type_names, modern=modern)
        changed = Rewritten(step.text, start.inexact + step.inexact)
        yield _Try(changed, implicit)
        if implicit:
            yield _Try(changed)
        if modern:
            yield _Try(changed, dialect="c23")
    yield from _with_guesses(changed, type_names, modern=modern)


def _with_guesses(text: Rewritten, type_names: tuple[str, ...], *, modern: bool) -> Iterator[_Try]:
    """The text with names that stand where only types can."""
    guessed = _guessed_types(text.text, type_names)
    if guessed:
        if modern:
            yield _Try(text, False, guessed, "c23")
        yield _Try(text, False, guessed)


def _attempt(attempt: _Try, type_names: tuple[str, ...]) -> Parsed:
    rewritten = attempt.rewritten
    types = [*type_names, *attempt.extra_types]
    if attempt.dialect == "c23":
        types = [name for name in types if name not in _C23_WORDS]
    prelude = f"typedef int {','.join(types)};" if types else ""
    prelude += " int" if attempt.implicit_int else ""
    try:
        tree = c_parser.CParser(lexer=TokenReader, dialect=attempt.dialect).parse(f"{prelude}\n{rewritten.text}\n", "")
    except RecursionError:
        return Parsed((), rewritten.text, error=NESTED_TOO_DEEPLY)
    except (c_parser.ParseError, AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        # pycparser trips over some broken input with other errors than its own
        return _failed(rewritten.text, str(error))
    declarations = tuple(tree.ext[len(types) :])
    with_plain_updates(declarations, rewritten.text)
    with_literals_declared(declarations, rewritten.text)
    if attempt.dialect == "c23" or "$" in rewritten.text:
        for node in declarations:
            as_known_nodes(node)
    return Parsed(declarations, rewritten.text, rewritten.inexact, guessed_types=attempt.extra_types)


def _recovered(last: _Try, type_names: tuple[str, ...], body: int, failure: Parsed) -> Parsed:
    """A function without the statements that do not parse; the failure as it was if that does not help either."""
    text = last.rewritten.text
    head = _attempt(replace(last, rewritten=Rewritten(f"{text[:body]}{{}}")), type_names)
    if head.error:
        implicit = not last.implicit_int
        if _attempt(_Try(Rewritten(f"{text[:body]}{{}}"), implicit, last.extra_types), type_names).error:
            return failure
        last = replace(last, implicit_int=implicit, dialect="legacy")
    tried = replace(last, implicit_int=False)
    found = recover(text, body, lambda piece: _attempt(replace(tried, rewritten=Rewritten(piece)), type_names).error)
    if found.refused:
        return replace(failure, error=f"{found.refused}: the function around it is not analysed")
    result = _attempt(replace(last, rewritten=Rewritten(found.text, last.rewritten.inexact)), type_names)
    if result.error:
        return failure
    note = (
        f"{len(found.left)} places that were not understood are left out"
        if len(found.left) > 1
        else ("a place that was not understood is left out")
    )
    return replace(result, inexact=(*result.inexact, note), left=found.left)


def _named_as_written(parsed: Parsed, names: dict[str, str]) -> Parsed:
    for node in parsed.declarations if names else ():
        with_original_names(node, names)
    return parsed


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
        opening = match.start(1)
        if opening < at:
            continue
        closed = _closing_brace(text, opening)
        if closed - opening > _LONGEST_INITIALISER and not is_short_table(text[at:closed], match.start() - at):
            rest = re.sub(r"[^\n]", " ", text[opening + 1 + len(_SHORTENED) : closed - 1])
            pieces += [text[at : opening + 1], _SHORTENED, rest, "}"]
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
