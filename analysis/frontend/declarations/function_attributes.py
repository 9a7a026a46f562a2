"""What declarations say of functions beside their types: `pure`, `const`, `noreturn`, each of the names it is said of.

Source: GCC's manual, Attribute Syntax; ISO C17 6.7.4 (`_Noreturn`), C23 6.7.12 (`[[noreturn]]`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from warplens.analysis.frontend.declarations.declarators import declarators
from warplens.analysis.frontend.declarations.gnu import LITERAL, rewrite_gnu

NEVER_RETURNS = frozenset({"noreturn", "_Noreturn"})
_ATTRIBUTE = re.compile(r"\b(?:__attribute(?:__)?|__declspec)\s*\(|\[\s*\[|\b_Noreturn\b")
_PART = re.compile(LITERAL + r"|[^\W\d][\w$]*|[()\[\]{},]")
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


def promised_purity(texts: Iterable[str]) -> dict[str, str]:
    """`pure` or `const` by the name of each function whose declaration says so.

    >>> promised_purity(["int f(int) __attribute__((const)), h(int);", "int g(int);"])
    {'f': 'const'}
    """
    found: dict[str, str] = {}
    for text in texts:
        if "pure" in text or "const" in text:
            said = attributes_of_functions(text)
            found |= {name: kind for name, words in said.items() for kind in ("pure", "const") if kind in words}
    return found


def attributes_of_functions(text: str) -> dict[str, frozenset[str]]:
    """Names of attributes, underscores around them left out, of each function that a declaration declares.

    Those before the first declarator are said of all.

    >>> said = attributes_of_functions("__attribute__((cold)) void f(int) __attribute__((__noreturn__)), g(int);")
    >>> sorted(said["f"]), sorted(said["g"])
    (['cold', 'noreturn'], ['cold'])
    """
    if _ATTRIBUTE.search(text) is None:
        return {}
    clean = rewrite_gnu(text).text
    found = declarators(clean)
    name = re.search(rf"(?<![\w$]){re.escape(found[0].name)}(?![\w$])", clean) if found else None
    if name is None:
        return {}
    words: dict[str, set[str]] = {one.name: set() for one in found if one.is_function}
    number = depth = at = 0
    for match in _PART.finditer(text):
        word = match.group()
        if match.start() < at:
            continue
        if _ATTRIBUTE.match(text, match.start()):
            at, said = _said(text, match.start())
            of = found if match.start() < name.start() else found[number : number + 1]
            for one in of if depth == 0 else ():
                words.get(one.name, set()).update(said)
        elif word == "," and depth == 0:
            number += 1
        depth += (word in _OPENING) - (word in _CLOSING)
    return {each: frozenset(kinds) for each, kinds in words.items()}


def _said(text: str, start: int) -> tuple[int, set[str]]:
    """Where a list of attributes ends, and their names; what is in their own brackets left out."""
    if text.startswith("_Noreturn", start):
        return start + len("_Noreturn"), {"_Noreturn"}
    first = re.compile(r"[(\[]+[\s(\[]*").search(text, start)
    outer = len(re.findall(r"[(\[]", first.group())) if first is not None else 0
    depth, said = outer, set[str]()
    for match in _PART.finditer(text, first.end() if first is not None else len(text)):
        word = match.group()
        depth += (word in _OPENING) - (word in _CLOSING)
        if depth == 0:
            return match.end(), said
        if depth == outer and (word[0].isalpha() or word[0] == "_"):
            said.add(_plain(word))
    return len(text), said


def _plain(word: str) -> str:
    """Without the underscores that keep macros away.

    >>> _plain("__noreturn__"), _plain("_Noreturn")
    ('noreturn', '_Noreturn')
    """
    return word[2:-2] if word.startswith("__") and word.endswith("__") and len(word) > 4 else word
