"""Names that a declaration introduces, read from its text: enough to find what a function needs before parsing."""

from __future__ import annotations

import re

from warplens.analysis.frontend.declarations.gnu import ATTRIBUTE, matching_parenthesis, rewrite_gnu

IDENTIFIER = re.compile(r"[^\W\d][\w$]*")
KEYWORDS = frozenset(
    [
        "auto",
        "break",
        "case",
        "char",
        "const",
        "continue",
        "default",
        "do",
        "double",
        "else",
        "enum",
        "extern",
        "float",
        "for",
        "goto",
        "if",
        "inline",
        "int",
        "long",
        "register",
        "restrict",
        "return",
        "short",
        "signed",
        "sizeof",
        "static",
        "struct",
        "switch",
        "typedef",
        "union",
        "unsigned",
        "void",
        "volatile",
        "while",
        "_Bool",
        "_Complex",
        "_Noreturn",
        "_Static_assert",
        "_Thread_local",
        "_Alignas",
        "_Alignof",
        "_Atomic",
        "_Generic",
    ]
)
_FUNCTION_POINTER = re.compile(
    r"\(\s*(?:[^\W\d]\w*\s*)?(?:[*^]\s*(?:(?:const|volatile|restrict)\b\s*)?)+([^\W\d]\w*)\s*[)\[(]"
)
_FUNCTION = re.compile(r"\(\s*([^\W\d]\w*)\s*\)\s*\(")
_TAG = re.compile(r"\b(?:struct|union|enum)\s+([^\W\d]\w*)\s*\{")
_ENUM_BODY = re.compile(r"\benum\b[^{};]*\{([^{}]*)\}")
_ENUMERATOR = re.compile(r"(?:^|,)\s*([^\W\d]\w*)")
_BRACKETS = re.compile(r"\[[^\]]*\]")
_NAME_BEFORE_BRACKET = re.compile(r"(?:([^\W\d][\w$]*)|\(\s*([^\W\d][\w$]*)\s*\))\s*(?=\()")
_WITH_BRACKETS = frozenset({"typeof", "typeof_unqual", "_Alignas", "_Atomic", "alignas", "_BitInt"})
_ANOTHER_NAME = re.compile(r"\s*[*\s]*[^\W\d]\w*[*\s]+\(\s*[^*\s]|\s*[^\W\d]\w*\(\s*[^*\s]")
_PLAIN_NAME = rf"(?>(?:{ATTRIBUTE}[\s*]*+|(?!__attribute)[^\W\d]\w*+[\s*]++(?!\())*)((?!__)[^\W\d]\w*+)\s*\("
_PLAIN_FUNCTION = re.compile(_PLAIN_NAME + r"[^()]*\)\s*\Z")
_PLAIN_PROTOTYPE = re.compile(r"(?!typedef|struct|union|enum|__extension__)" + _PLAIN_NAME)
_ANOTHER_DECLARATOR = re.compile(r"\)\s*,")
_NAME_OF_FUNCTION = re.compile(r"[\s*]*([^\W\d]\w*)\s*\(")
_PLAIN_TYPEDEF = re.compile(r"typedef(?>(?:[\s*]++[^\W\d]\w*+(?=[\s*]+[^\W\d]))*)[\s*]++((?!_[_A-Z])[^\W\d]\w*+)\s*;")
"""Most of what headers hold, read without a rewrite."""
_ALIGNMENT = re.compile(r"\b(?:_Alignas|alignas)\s*\(")
_BRACE = re.compile(r"[{}]|[^{}]+")


def without_braces(text: str) -> str:
    """Drop `{...}` and what is in it."""
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
    return " ".join(pieces)


def is_typedef(text: str) -> bool:
    """Tell a typedef by its first word (`__extension__` before it ignored)."""
    words = text[:60].split(None, 2)
    return bool(words) and (words[0] == "typedef" or words[:2] == ["__extension__", "typedef"])


def prototype_names(text: str, start: int, end: int) -> tuple[str, ...]:
    """Names of the functions that a stretch declares; none where it does not begin as a prototype does.

    >>> prototype_names('__attribute__((visibility("default"))) extern char *f (int), *g(int);', 0, 70)
    ('f', 'g')
    """
    found = _PLAIN_PROTOTYPE.match(text, start, end)
    if found is None:
        return ()
    if _ANOTHER_DECLARATOR.search(text, found.end(), end) is None:
        return (found[1],)
    _, *others = _split_at_commas(text[found.start() : end])
    more = [_NAME_OF_FUNCTION.match(other) for other in others]
    return (found[1], *(other[1] for other in more if other is not None))


def plain_typedef_name(text: str) -> str:
    """The one name that a typedef of named types makes; empty for any other text.

    >>> plain_typedef_name("typedef struct s *p;"), plain_typedef_name("typedef struct { int x; } s;")
    ('p', '')
    """
    found = _PLAIN_TYPEDEF.fullmatch(text)
    return found[1] if found is not None and found[1] not in KEYWORDS else ""


def declarator_names(text: str) -> tuple[str, ...]:
    """Names of the declarators of `text` (rewritten, without initialiser): variables, functions or typedefs."""
    text = _without_alignment(text)
    names: list[str] = []
    for part in _split_at_commas(without_braces(text).rstrip(" ;\n\t")):
        match = _FUNCTION_POINTER.search(part) or _FUNCTION.search(part)
        if match:
            names.append(match.group(1))
            continue
        plain = _BRACKETS.sub("", part.partition("=")[0])
        words = IDENTIFIER.findall(plain.partition("(")[0])
        if words:
            names.append(words[-1])
    return tuple(name for name in names if name not in KEYWORDS)


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
    if plain is not None and plain[1] not in KEYWORDS | _WITH_BRACKETS:
        return plain[1]
    clean = rewrite_gnu(head).text if "__" in head or "[" in head else head
    for match in _NAME_BEFORE_BRACKET.finditer(clean):
        name = match.group(1) or match.group(2)
        if (
            name not in KEYWORDS
            and name not in _WITH_BRACKETS
            and not _ANOTHER_NAME.match(clean, matching_parenthesis(clean, match.end()))
        ):
            return name
    return "?"


def _without_alignment(text: str) -> str:
    """Drop `_Alignas(...)`, whose brackets look like a declarator's."""
    while found := _ALIGNMENT.search(text):
        text = f"{text[: found.start()]} {text[matching_parenthesis(text, found.end() - 1) :]}"
    return text


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
