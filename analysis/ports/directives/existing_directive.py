"""A directive that stands above a loop already, read from the user's text with the place of each clause."""

from __future__ import annotations

import re
from dataclasses import dataclass

from warplens.analysis.ports.directives.clause import Clause
from warplens.analysis.text.file_text import without_comments
from warplens.analysis.text.span import Span
from warplens.analysis.text.tokens import without_comments_and_directives

_PRAGMA = re.compile(r"[ \t]*#[ \t]*pragma[ \t]+(\w+)\b")
_CONDITIONAL = re.compile(r"[ \t]*#[ \t]*(?:endif|else|elif)\b")
_WORD = re.compile(r"[A-Za-z_]\w*")
_MODIFIER = re.compile(r"\s*([^:?\[\]]*?)\s*:(?!:)")


@dataclass(frozen=True, slots=True)
class ExistingDirective:
    """`#pragma omp target teams distribute ...`: its language, the words before the clauses, and the clauses.

    `words_span` is where the words stand, `end` where another clause can be put: behind the last one.
    """

    language: str
    words: tuple[str, ...]
    clauses: tuple[Clause, ...]
    words_span: Span
    end: int

    @property
    def construct(self) -> str:
        """The words in one line."""
        return " ".join(self.words)

    def named(self, *names: str) -> tuple[Clause, ...]:
        """Clauses with one of these names."""
        return tuple(clause for clause in self.clauses if clause.name in names)


def directives_above(source: str, at: int, words: frozenset[str]) -> tuple[ExistingDirective, ...] | None:
    """Directives of OpenMP and OpenACC in the lines above an offset, top to bottom; None: one can't be read.

    `words` are those that constructs are made of. Comments and blank lines in between are passed over.
    """
    hidden = without_comments(source)
    found: list[ExistingDirective] = []
    end = hidden.rfind("\n", 0, at) + 1
    if hidden[end:at].strip():
        return ()
    while end > 0:
        start = _line_start(hidden, end - 1)
        line = hidden[start : end - 1]
        if line.strip():
            pragma = _PRAGMA.match(line)
            if pragma is None:
                break
            if pragma[1] in {"omp", "acc"}:
                directive = read_directive(source, start + pragma.start(1), end - 1, words)
                if directive is None:
                    return None
                found.append(directive)
        end = start
    return tuple(reversed(found))


def is_under_a_condition(source: str, since: int, at: int) -> bool:
    """Whether a directive above an offset stands between `#if` and `#endif`: it is there in some builds only.

    What stands before `since`, the start of the function, is not looked at.
    """
    above = re.sub(r"\\\r?\n", " ", without_comments(source)[since:at]).split("\n")[:-1]
    seen_end = False
    for line in reversed(above):
        if line.strip() and not line.lstrip().startswith("#"):
            break
        seen_end = seen_end or _CONDITIONAL.match(line) is not None
        pragma = _PRAGMA.match(line)
        if seen_end and pragma is not None and pragma[1] in {"omp", "acc"}:
            return True
    return False


def _line_start(source: str, end: int) -> int:
    """Start of the line that ends at an offset, with the lines that it continues."""
    start = source.rfind("\n", 0, end) + 1
    while start and source[:start].rstrip("\r\n").endswith("\\"):
        start = source.rfind("\n", 0, start - 1) + 1
    return start


def read_directive(source: str, start: int, end: int, words: frozenset[str]) -> ExistingDirective | None:
    """The directive between two offsets, which starts with its language; None: it can't be read."""
    text = without_comments_and_directives(source[start:end])
    language = _WORD.match(text)
    if language is None:
        return None
    at = language.end()
    found: list[re.Match[str]] = []
    while (word := _WORD.match(text, _next(text, at))) and word[0] in words:
        if text[_next(text, word.end()) :].startswith("("):
            break
        found.append(word)
        at = word.end()
    if not found:
        return None
    words_span = Span(start + found[0].start(), start + found[-1].end())
    clauses: list[Clause] = []
    last = at
    while (at := _next(text, at, ",")) < len(text):
        name = _WORD.match(text, at)
        if name is None:
            return None
        opening = _next(text, name.end())
        if text[opening : opening + 1] != "(":
            clauses.append(Clause(name[0], span=Span(start + at, start + name.end())))
            at = last = name.end()
            continue
        closing = _closing(text, opening)
        if closing < 0:
            return None
        inner = text[opening + 1 : closing]
        modifier = _MODIFIER.match(inner)
        items = _items(inner[modifier.end() :] if modifier else inner)
        clauses.append(
            Clause(
                name[0],
                " ".join(modifier[1].split()) if modifier else "",
                items,
                Span(start + at, start + closing + 1),
                Span(start + opening + 1, start + closing),
            )
        )
        at = last = closing + 1
    return ExistingDirective(language[0], tuple(word[0] for word in found), tuple(clauses), words_span, start + last)


def _next(text: str, at: int, also: str = "") -> int:
    while at < len(text) and (text[at].isspace() or text[at] in also):
        at += 1
    return at


def _closing(text: str, opening: int) -> int:
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if not depth:
            return at
    return -1


def _items(text: str) -> tuple[str, ...]:
    """What commas separate that are in no brackets."""
    items: list[str] = []
    depth = start = 0
    for at, character in enumerate(text + ","):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            items.append(" ".join(text[start:at].split()))
            start = at + 1
    return tuple(item for item in items if item)
