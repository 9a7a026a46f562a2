"""Names that a declaration introduces, read from its text: enough to find what a function needs before parsing."""

from __future__ import annotations

import re

from warplens.analysis.frontend.declarations.declarators import KEYWORDS, WITH_BRACKETS, declarators
from warplens.analysis.frontend.declarations.gnu import ATTRIBUTE, matching_parenthesis, rewrite_gnu

IDENTIFIER = re.compile(r"[^\W\d][\w$]*")
_TAG = re.compile(r"\b(?:struct|union|enum)\s+([^\W\d]\w*)\s*\{")
_ENUM_BODY = re.compile(r"\benum\b[^{};]*\{([^{}]*)\}")
_ENUMERATOR = re.compile(r"(?:^|,)\s*([^\W\d]\w*)")
_NAME_BEFORE_BRACKET = re.compile(r"(?:([^\W\d][\w$]*)|\(\s*([^\W\d][\w$]*)\s*\))\s*(?=\()")
_DECLARATOR = re.compile(r"\(\s*[*^]")
_ANOTHER_NAME = re.compile(r"\s*[*\s]*[^\W\d]\w*[*\s]+\(\s*[^*\s]|\s*[^\W\d]\w*\(\s*[^*\s]")
_PLAIN_NAME = rf"(?>(?:{ATTRIBUTE}[\s*]*+|(?!__attribute)[^\W\d]\w*+[\s*]++(?!\())*)((?!__)[^\W\d]\w*+)\s*\("
_PLAIN_FUNCTION = re.compile(_PLAIN_NAME + r"(?!\s*[*^])[^()]*\)\s*\Z")
_TYPES = "void|char|short|int|long|float|double|signed|unsigned|_Bool|_Complex"
_PARAMETERS = rf"(?!\s*[*^(]|\s*(?!(?:{_TYPES})\b)[^\W\d]\w*\s*[)\[(])"
"""What is behind an opening bracket: a declarator begins with a `*`, a bracket or a name without a type."""
_PLAIN_PROTOTYPE = re.compile(r"(?!typedef|struct|union|enum|__extension__)" + _PLAIN_NAME + _PARAMETERS)
_ANOTHER_DECLARATOR = re.compile(r"\)\s*,")
_NAME_OF_FUNCTION = re.compile(r"[\s*]*([^\W\d]\w*)\s*\(")
_PLAIN_TYPEDEF = re.compile(r"typedef(?>(?:[\s*]++[^\W\d]\w*+(?=[\s*]+[^\W\d]))*)[\s*]++((?!_[_A-Z])[^\W\d]\w*+)\s*;")
"""Most of what headers hold, read without a rewrite."""


def is_typedef(text: str) -> bool:
    """Tell a typedef by its first word (`__extension__` before it ignored)."""
    words = text[:60].split(None, 2)
    return bool(words) and (words[0] == "typedef" or words[:2] == ["__extension__", "typedef"])


def prototype_names(text: str, start: int, end: int) -> tuple[str, ...]:
    """Names of the functions that a stretch declares; none where it is not plainly a prototype and nothing else.

    >>> prototype_names('__attribute__((visibility("default"))) extern char *f (int), *g(int);', 0, 70)
    ('f', 'g')
    """
    found = _PLAIN_PROTOTYPE.match(text, start, end)
    if found is None or found[1] in KEYWORDS or found[1] in WITH_BRACKETS:
        return ()
    if _ANOTHER_DECLARATOR.search(text, found.end(), end) is None:
        return (found[1],)
    _, *others = _split_at_commas(text[found.start() : end])
    more = [_NAME_OF_FUNCTION.match(other) for other in others]
    return () if None in more else (found[1], *(other[1] for other in more if other is not None))


def plain_typedef_name(text: str) -> str:
    """The one name that a typedef of named types makes; empty for any other text.

    >>> plain_typedef_name("typedef struct s *p;"), plain_typedef_name("typedef struct { int x; } s;")
    ('p', '')
    """
    found = _PLAIN_TYPEDEF.fullmatch(text)
    if found is None or found[1] in KEYWORDS or text[: found.start(1)].rstrip().endswith(("struct", "union", "enum")):
        return ""
    return found[1]


def declarator_names(text: str) -> tuple[str, ...]:
    """Names of the declarators of `text` (rewritten): variables, functions or typedefs."""
    return tuple(one.name for one in declarators(text))


def tags_and_enumerators(text: str) -> tuple[str, ...]:
    """Tags that the text defines and its enumeration constants."""
    if "{" not in text:
        return ()
    names = _TAG.findall(text)
    for body in _ENUM_BODY.findall(text):
        names += _ENUMERATOR.findall(body)
    return tuple(names)


def function_name(head: str) -> str:
    """Name in a function definition's text before its body; `?` when none is found."""
    plain = _PLAIN_FUNCTION.match(head)
    if plain is not None and plain[1] not in KEYWORDS | WITH_BRACKETS:
        return plain[1]
    clean = rewrite_gnu(head).text if "__" in head or "[" in head else head
    for match in _NAME_BEFORE_BRACKET.finditer(clean):
        name = match.group(1) or match.group(2)
        if (
            name not in KEYWORDS
            and name not in WITH_BRACKETS
            and not _DECLARATOR.match(clean, match.end())
            and not _ANOTHER_NAME.match(clean, matching_parenthesis(clean, match.end()))
        ):
            return name
    return "?"


def _split_at_commas(text: str) -> list[str]:
    parts: list[str] = []
    depth = start = 0
    for index, character in enumerate(text):
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    return [*parts, text[start:]]
