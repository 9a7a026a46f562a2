"""Identifiers beyond ASCII: the parser knows none, so they are exchanged for others of the same length and back."""

from __future__ import annotations

import re
import string

from pycparser import c_ast

_UNIVERSAL = re.compile(r"\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})")
_WITH_UNIVERSAL = re.compile(
    r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|(?:[\w$]|\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8})+"""
)
_FOREIGN = re.compile(r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\w*[^\W\x00-\x7f]\w*""")
_WORD = re.compile(r"[\w$]+")
_LETTERS = string.ascii_lowercase + string.ascii_uppercase
_LARGEST_CODE_POINT = 0x10FFFF


def may_have_universal_names(text: str) -> bool:
    """Whether there is anything like one in the text."""
    return "\\u" in text or "\\U" in text


def without_universal_names(text: str) -> str:
    r"""Universal character names outside of literals as the characters, padded after the identifier.

    >>> without_universal_names("int \\u00e4 = 1;")
    'int ä      = 1;'
    """
    if not may_have_universal_names(text):
        return text

    def plain(match: re.Match[str]) -> str:
        word = match.group()
        if "\\" not in word or word[0] in "\"'":
            return word
        return _UNIVERSAL.sub(_character, word).ljust(len(word))

    return _WITH_UNIVERSAL.sub(plain, text)


def _character(match: re.Match[str]) -> str:
    code = int(match.group(1) or match.group(2), 16)
    is_letter = code <= _LARGEST_CODE_POINT and not 0xD800 <= code < 0xE000 and chr(code).isalnum()
    return chr(code) if is_letter else "_"


def in_ascii(text: str, type_names: tuple[str, ...]) -> tuple[str, tuple[str, ...], dict[str, str]]:
    """Text and type names with other identifiers for the foreign ones, and the way back (new name to original)."""
    if text.isascii():
        return text, type_names, {}
    taken = set(_WORD.findall(text))
    names: dict[str, str] = {}

    def exchanged(match: re.Match[str]) -> str:
        word = match.group()
        if word[0] in "\"'" or word.isascii():
            return word
        if word not in names:
            names[word] = _unused(len(word), len(names), taken)
        return names[word]

    changed = _FOREIGN.sub(exchanged, text)
    return changed, tuple(names.get(name, name) for name in type_names), {new: old for old, new in names.items()}


def _unused(length: int, ordinal: int, taken: set[str]) -> str:
    for attempt in range(ordinal, ordinal + len(_LETTERS) * 4):
        digit = _LETTERS[attempt % len(_LETTERS)]
        name = (digit + "$" * (attempt // len(_LETTERS))).ljust(length, "$")[:length]
        if name not in taken:
            break
    taken.add(name)
    return name


def with_original_names(root: c_ast.Node, names: dict[str, str]) -> None:
    """Put the original identifiers back into a tree."""
    stack = [root] if names else []
    while stack:
        node = stack.pop()
        for attribute in ("name", "declname"):
            value = getattr(node, attribute, None)
            if isinstance(value, str) and value in names:
                setattr(node, attribute, names[value])
        if isinstance(node, c_ast.IdentifierType):
            node.names = [names.get(name, name) for name in node.names]
        stack += [child for _, child in node.children()]
