"""A directive of OpenMP or OpenACC as its text says it: the construct's words and the clauses, each with its place."""

from __future__ import annotations

import re
from dataclasses import dataclass

from warplens.analysis.text.span import Span
from warplens.analysis.text.tokens import without_comments_and_directives

_WORD = re.compile(r"[A-Za-z_]\w*")
_MODIFIER = re.compile(r"\s*([^:?\[\]]*?)\s*:(?!:)")
_NOWHERE = Span(0, 0)


@dataclass(frozen=True, slots=True)
class Clause:
    """`map(to: a, b)`: the name, what stands before the colon, and the items; `nowait` has neither.

    `span` is where one that was read stands (name and parentheses), `inner` what the parentheses hold.
    """

    name: str
    modifier: str = ""
    items: tuple[str, ...] = ()
    span: Span = _NOWHERE
    inner: Span = _NOWHERE

    @property
    def text(self) -> str:
        """The clause in one line."""
        return f"{self.name}({self.argument})" if self.items or self.modifier else self.name

    @property
    def variables(self) -> tuple[str, ...]:
        """What it lists, without the sections of arrays: `h` of `reduction(+: h[0:n])`; `k` of `linear(k: 2)`."""
        items = (self.modifier,) if self.name == "linear" and self.modifier else self.items
        return tuple(item.partition("[")[0].strip() for item in items)

    @property
    def argument(self) -> str:
        """What the parentheses hold."""
        items = ", ".join(self.items)
        return f"{self.modifier}: {items}" if self.modifier else items


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
