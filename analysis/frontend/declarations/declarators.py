"""Declarators of a declaration, read as C nests them: the name of each, and whether it is a function's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from warplens.analysis.frontend.declarations.gnu import LITERAL, matching_parenthesis

KEYWORDS = frozenset({
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern",
    "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed",
    "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while",
    "_Bool", "_Complex", "_Noreturn", "_Static_assert", "_Thread_local", "_Alignas", "_Alignof", "_Atomic",
    "_Generic",
})  # fmt: skip
WITH_BRACKETS = frozenset({"typeof", "typeof_unqual", "_Alignas", "_Atomic", "alignas", "_BitInt"})
"""Specifiers whose brackets look like a declarator's."""
_TAGGED = frozenset({"struct", "union", "enum"})
_TYPES = frozenset(
    {"_Bool", "_Complex", "char", "double", "float", "int", "long", "short", "signed", "unsigned", "void"}
)
_SPECIFIER = re.compile(rf"\b(?:{'|'.join(sorted(WITH_BRACKETS))})\s*\(")
_BRACES = "{}"
_TOKEN = re.compile(LITERAL + r"|\{\}|[^\W\d][\w$]*|[()\[\],=*^;:]")
_BRACE = re.compile(r"[{}]|[^{}]+")
_CLOSING = {"(": ")", "[": "]"}


@dataclass(frozen=True, slots=True)
class Declarator:
    """One name; `is_function`: it is declared as a function, not as a pointer to one."""

    name: str
    is_function: bool = False


def declarators(text: str) -> tuple[Declarator, ...]:
    """Those of a declaration whose GNU spellings are rewritten, in order; what follows a `=` is no part of them.

    >>> [one.name for one in declarators("double u[(64) + 1][5], (*rows)[5], *f(int (*)(void)), (g)(int);")]
    ['u', 'rows', 'f', 'g']
    """
    words = _TOKEN.findall(_without_specifiers(_without_braces(text)))
    found = (_declarator(part, has_type=at > 0) for at, part in enumerate(_parts(words)))
    return tuple(one for one in found if one is not None)


def _without_braces(text: str) -> str:
    """Leave of `{...}` the braces alone."""
    if "{" not in text:
        return text
    pieces: list[str] = []
    depth = 0
    for match in _BRACE.finditer(text):
        if match.group() == "{":
            depth += 1
        elif match.group() == "}":
            depth -= 1
        elif depth == 0:
            pieces.append(match.group())
    return f" {_BRACES} ".join(pieces)


def _without_specifiers(text: str) -> str:
    while found := _SPECIFIER.search(text):
        text = f"{text[: found.start()]} {text[matching_parenthesis(text, found.end() - 1) :]}"
    return text


def _parts(words: Sequence[str]) -> list[list[str]]:
    """Words of each declarator, specifiers before the first, without initialisers, up to a `;` outside of brackets."""
    parts: list[list[str]] = [[]]
    depth, is_value = 0, False
    for word in words:
        if depth == 0 and word in {",", ";", "=", ":"}:
            if word == ";":
                break
            if word == ",":
                parts.append([])
            is_value = word != ","
            continue
        depth = max(depth + (word in _CLOSING) - (word in {")", "]"}), 0)
        if not is_value:
            parts[-1].append(word)
    return parts


def _declarator(words: Sequence[str], has_type: bool) -> Declarator | None:
    """What words outside of a bracket declare: the name in it where it holds a declarator, else the name before it.

    `has_type`: a type has been named before these words.
    """
    name = before = ""
    for at, word in enumerate(words):
        if word == "[":
            break
        if word == "(":
            end = _closing(words, at)
            inner, behind = words[at + 1 : end], words[end + 1 : end + 2]
            if not name or not has_type or _is_declarator(inner, behind):
                nested = _declarator(inner, has_type=True)
                if nested is None or not {"*", "^", "["}.isdisjoint(inner):
                    return nested
                return Declarator(nested.name, nested.is_function or list(behind) == ["("])
            return Declarator(name, is_function=True)
        if word in _TYPES or word == _BRACES or before in _TAGGED:
            has_type = True
        elif (word[0].isalpha() or word[0] == "_") and word not in KEYWORDS and word[-1] not in "\"'":
            has_type = has_type or bool(name)
            name = word
        before = word
    return Declarator(name) if name else None


def _is_declarator(inner: Sequence[str], behind: Sequence[str]) -> bool:
    """Whether a bracket after a name that may be the declared one holds a declarator and no parameters."""
    first = next((at for at, word in enumerate(inner) if word in {"*", "^"}), -1)
    if first == 0 or (first == 1 and list(behind) == ["("]):
        return True  # `T U (*p)[5]`, `T (convention *f)(int)`
    return len(inner) == 1 and inner[0] not in KEYWORDS and list(behind) in (["("], ["["])


def _closing(words: Sequence[str], opening: int) -> int:
    depth = 0
    for at in range(opening, len(words)):
        depth += (words[at] in _CLOSING) - (words[at] in {")", "]"})
        if depth == 0:
            return at
    return len(words)
