"""Parameter lists in the text of a file: where `restrict` goes in each kind of declarator.

Source: ISO C17 6.7.3.1 (restrict), 6.7.6.2 (qualifiers in the brackets of a parameter).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from warplens.analysis.text.file_text import KEPT_TEXTS, code_of
from warplens.analysis.text.span import Span
from warplens.analysis.text.tokens import tokenise, without_comments_and_directives

_WORD = re.compile(r"[A-Za-z_]\w*")
_RESTRICT = frozenset(("restrict", "__restrict", "__restrict__"))
_TYPE_WORDS = (
    _RESTRICT
    | frozenset(
        ("const", "volatile", "void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "_Bool")
    )
    | frozenset(("_Complex", "register", "struct", "union", "enum", "static"))
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: its tokens with their offsets, and which of them is its name (None: it has none)."""

    texts: tuple[str, ...]
    starts: tuple[int, ...]
    name_at: int | None

    @property
    def name(self) -> str:
        """Empty where it has none."""
        return "" if self.name_at is None else self.texts[self.name_at]

    def restrict_edit(self, keyword: str) -> tuple[int, str] | None:
        """Offset and text that make the pointer `restrict`; None where it is, or where this is not understood.

        `double *a` becomes `double *restrict a`, `double a[n]` `double a[restrict n]`, `row *a` `row *restrict a`.
        """
        if self.name_at is None or not _RESTRICT.isdisjoint(self.texts):
            return None
        following = self.texts[self.name_at + 1 :]
        if following[:1] == ("[",):
            space = "" if following[1:2] == ("]",) else " "
            return self.starts[self.name_at + 1] + 1, f"{keyword}{space}"
        if following and following[0] != ")":
            return None
        return self.starts[self.name_at], f"{keyword} "


def definition_parameters(source: str, function: str, span: Span) -> tuple[Parameter, ...]:
    """Parameters of a function's definition, which stands at `span`; empty where they are not written out there."""
    code = without_comments_and_directives(source[span.start : span.end]).partition("{")[0]
    return next((found for found, _ in _lists(code, function, span.start)), ())


def prototypes(source: str, function: str) -> Iterator[tuple[Parameter, ...]]:
    """Parameters of the function's declarations at the file's top level, which are no definitions."""
    code = _at_level(source, is_top=True)
    for parameters, end in _lists(code, function, 0):
        if code[end:].lstrip().startswith((";", "__attribute__")):
            yield parameters


@lru_cache(2 * KEPT_TEXTS)
def _at_level(source: str, *, is_top: bool) -> str:
    """The file's code without what stands in braces, or with only that; offsets stay."""
    depth = 0
    kept = []
    for character in code_of(source):
        depth -= character == "}"
        kept.append(character if (depth <= 0) == is_top or character == "\n" else " ")
        depth += character == "{"
    return "".join(kept)


def _lists(code: str, function: str, base: int) -> Iterator[tuple[tuple[Parameter, ...], int]]:
    """Every `function(...)` in the code, with the offset behind it."""
    for match in re.finditer(rf"\b{re.escape(function)}\s*\(", code):
        tokens = tokenise(code, match.end())
        depth, first, found = 0, 0, []
        for at, word in enumerate(tokens.texts):
            if depth == 0 and word in {",", ")"}:
                found.append(_parameter(tokens.texts[first:at], tokens.starts[first:at], base))
                first = at + 1
                if word == ")":
                    yield tuple(found), tokens.ends[at]
                    break
            depth += (word in {"(", "["}) - (word in {")", "]"})


def _parameter(texts: tuple[str, ...], starts: tuple[int, ...], base: int) -> Parameter:
    """The name is the last identifier outside of brackets; a type's own word is none."""
    depth = 0
    words = []
    for at, word in enumerate(texts):
        depth += (word == "[") - (word == "]")
        if depth == 0 and _WORD.fullmatch(word):
            words.append(at)
    is_named = len(words) > 1 and texts[words[-1]] not in _TYPE_WORDS and texts[words[-2]] not in {"struct", "union"}
    return Parameter(texts, tuple(start + base for start in starts), words[-1] if is_named else None)
