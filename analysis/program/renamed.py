"""Declarations of a file with other names for what only that file has, where another has something else by these."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from warplens.analysis.frontend.declarations.declared_names import IDENTIFIER
from warplens.analysis.program.file_definitions import ProgramDeclaration

_WORD = re.compile(
    rf""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|(?:->|(?<![.\d])\.(?!\.)|\b(?:struct|union|enum)\b)\s*{IDENTIFIER.pattern}"""
    rf"|(?P<name>{IDENTIFIER.pattern})"
)


def renamed(one: ProgramDeclaration, names: Mapping[str, str]) -> ProgramDeclaration:
    """The declaration with these names exchanged, wherever they stand but as those of members and tags.

    Variables of a function that hide such a name get the other one too, which changes nothing.
    """
    declared = one.declaration
    definition = declared.definition
    if definition is not None:
        head = _exchanged(definition.text[: definition.body], names)
        text = head + _exchanged(definition.text[definition.body :], names)
        name = names.get(definition.name, definition.name)
        definition = replace(definition, name=name, text=text, body=len(head))
    changed = replace(
        declared,
        text=_exchanged(declared.text, names),
        names=tuple(names.get(name, name) for name in declared.names),
        definition=definition,
    )
    return replace(one, declaration=changed)


def _exchanged(text: str, names: Mapping[str, str]) -> str:
    """The text with other names.

    >>> _exchanged('k = s.k + t->k * f(k, "k");', {"k": "m"})
    'm = s.k + t->k * f(m, "k");'
    """

    def other(found: re.Match[str]) -> str:
        return names.get(found["name"], found[0]) if found["name"] else found[0]

    return _WORD.sub(other, text)
