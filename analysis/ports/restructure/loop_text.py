"""A `for` loop as it stands in the user's file, for edits that take its text apart.

What is not written out there, a loop or a statement from a macro, is refused: an edit would change the macro's use.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from warplens.analysis.dependence.subscripts.iteration_domain import assigned_scalars
from warplens.analysis.ir.nest import Loop, LoopNest, walk_statements
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ports.directives.canonical_header import is_canonical
from warplens.analysis.ports.fix import FixContext
from warplens.analysis.text.span import Span
from warplens.analysis.text.tokens import tokenise, without_comments_and_directives

_DIRECTIVE = re.compile(r"^[ \t]*#", re.MULTILINE)
_OPERATORS = frozenset(
    ("(", ")", ";", ",", "+", "-", "*", "=", "<", ">", "!", "<=", ">=", "==", "!=", "++", "--", "+=", "-=", ".", "&&")
)
_WORD = re.compile(r"[A-Za-z_]\w*")


class EditRefusedError(Exception):
    """The edit can't be made; the message says why in the source's terms."""


@dataclass(frozen=True, slots=True)
class ForText:
    """`for (start; condition; step) body` by absolute spans; `inside` is what stands in the parentheses.

    `body` is the statement behind the header: a block with its braces, or one statement with its semicolon.
    """

    whole: Span
    header: Span
    inside: Span
    body: Span
    start: str
    condition: str
    step: str
    has_braces: bool


def for_text(context: FixContext, loop: Loop) -> ForText:
    """The loop's parts. Raises EditRefusedError where it is no `for` that is written out, of one variable."""
    name = f"the loop over `{c_name(loop.iterator)}`"
    headers, wholes = dict(context.spans.header), dict(context.spans.whole)
    if loop.id not in headers or loop.id not in wholes or loop.id in context.spans.in_macro:
        raise EditRefusedError(f"{name} comes from a macro")
    header, whole = headers[loop.id].shifted(context.spans.base), wholes[loop.id].shifted(context.spans.base)
    text = context.source[header.start : header.end]
    if not text.startswith("for") or header.start != whole.start:
        shown = text if "\n" not in text else text.split("\n")[0] + " …"
        raise EditRefusedError(f"{name} is not written as `for` here: `{shown}`")
    if not is_canonical(text):
        raise EditRefusedError(f"`{text}` is not of the form `for (i = a; i < b; i += c)`")
    opened, closed = text.index("(") + 1, len(text) - 1
    parts = without_comments_and_directives(text)[opened:closed].split(";")
    if len(parts) != 3 or text[closed] != ")":
        raise EditRefusedError(f"the header of {name} is not written out")
    body_start = _next_code(context.source, header.end, whole.end)
    if has_directive(context.source, Span(header.start, body_start)):
        raise EditRefusedError(f"preprocessor lines stand in the header of {name}, or behind it")
    return ForText(
        whole,
        header,
        Span(header.start + opened, header.start + closed),
        Span(body_start, whole.end),
        parts[0].strip(),
        parts[1].strip(),
        parts[2].strip(),
        context.source[body_start] == "{",
    )


def _next_code(source: str, start: int, end: int) -> int:
    code = without_comments_and_directives(source[start:end])
    return start + len(code) - len(code.lstrip())


def code_between(source: str, start: int, end: int) -> str:
    """What stands between two places, without comments and white space; `#` for any preprocessor line."""
    text = source[start:end]
    return "#" if _DIRECTIVE.search(text) else "".join(without_comments_and_directives(text).split())


def has_directive(source: str, span: Span) -> bool:
    """Whether a line of a part of the file is the preprocessor's."""
    return _DIRECTIVE.search(source, span.start, span.end) is not None


def require_no_directive(context: FixContext, loop: Loop, text: ForText) -> None:
    """Raise EditRefusedError where a directive says something of the loop, which may not be true of another one."""
    before = context.source[context.function_span.start : text.whole.start].rstrip().rpartition("\n")[2].lstrip()
    if loop.pragmas or re.match(r"#\s*pragma\b", before) or "_Pragma" in before:
        raise EditRefusedError(f"the loop over `{c_name(loop.iterator)}` has a directive")


def require_in_scope(context: FixContext, loop: Loop, names: Iterable[str]) -> None:
    """Raise EditRefusedError where a name means something else above a loop, or holds something else, than in it."""
    nest = context.evaluation.facts.nest
    inside = {s.id for s in walk_statements((loop,))}
    declared = [(o.name, o.declared_in) for o in nest.scalars] + [(o.name, o.declared_in) for o in nest.arrays]
    own = {c_name(name) for name, where in declared if where in inside}
    own |= {c_name(name) for name in assigned_scalars((loop,))}
    used = sorted(own.intersection(names))
    if used:
        raise EditRefusedError(f"`{used[0]}` is set in the loop over `{c_name(loop.iterator)}`")


def require_plain_bounds(nest: LoopNest, loop: Loop) -> None:
    """Raise EditRefusedError where a bound is more than sums and products of variables, perhaps behind a macro."""
    derived = {symbol.name: symbol.text for symbol in nest.derived}
    bounds = (*loop.limits, *(() if loop.start is None else (loop.start,)))
    found = sorted(name for bound in bounds for name in bound.symbols if name in derived)
    if found:
        bound = f"`{derived[found[0]]}`, a bound of the loop over `{c_name(loop.iterator)}`"
        raise EditRefusedError(f"{bound}, is more than sums and products of variables")


def require_statement_of_block(context: FixContext, text: ForText, name: str) -> None:
    """Raise EditRefusedError where a second statement beside the loop would not belong to what the loop belongs to."""
    before = without_comments_and_directives(context.source[context.function_span.start : text.whole.start]).rstrip()
    if not before.endswith(("{", "}", ";")):
        raise EditRefusedError(f"{name} stands without braces behind `{before.split()[-1] if before else ''}`")


def header_names(text: ForText) -> frozenset[str]:
    """Identifiers of the header."""
    return frozenset(_WORD.findall(f"{text.start};{text.condition};{text.step}"))


def require_plain_header(text: ForText, iterator: str) -> None:
    """Raise EditRefusedError unless the header may be evaluated where, and as often as, it was not before.

    No calls, no memory, no division: only names, constants, sums and products.
    """
    shown = f"the header of the loop over `{c_name(iterator)}`"
    for part in (text.start, text.condition, text.step):
        tokens = tokenise(part).texts
        for at, word in enumerate(tokens):
            before = tokens[at - 1] if at else "("
            is_name = _WORD.fullmatch(word) is not None
            if word == "(" and _WORD.fullmatch(before) and before != "sizeof":
                raise EditRefusedError(f"{shown} calls `{before}`")
            if word == "*" and not (_WORD.fullmatch(before) or before == ")" or before[0].isdigit()):
                raise EditRefusedError(f"{shown} reads memory")
            if not (is_name or word[0].isdigit() or word in _OPERATORS):
                raise EditRefusedError(f"{shown} has `{word}`, which may fail where the loop goes")


def declared_beside(context: FixContext, outer: Loop, inner: Loop) -> tuple[str, ...]:
    """Objects that a loop's body declares beside the loop inside of it."""
    nest = context.evaluation.facts.nest
    iterators = (outer.iterator, inner.iterator)
    declared = [(o.name, o.declared_in) for o in nest.scalars] + [(o.name, o.declared_in) for o in nest.arrays]
    return tuple(name for name, loop in declared if loop == outer.id and name not in iterators)
