"""Macros that the preprocessor's output shows (`-dD`): which names are none, and what the simple ones stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from warplens.analysis.text.macro_definitions import MacroDirective
from warplens.server.preprocess.plain_lines import plain_body

_DIRECTIVE = re.compile(r"\n#(?:define|undef) ([^\W\d][\w$]*)")
_OF_SYSTEM = re.compile(r'# \d+ "(?:\\.|[^"\\\n])*"[ 12]* 3')
_BUILT_IN = re.compile(r"__[A-Z]|_Pragma\b|__has_|defined\b")
"""Macros that no `#define` shows, and words that are more than a name."""
_DEFINITION = re.compile(r"\n#define ([^\W\d][\w$]*)")
_IN_NAME = re.compile(r"[\w$]")
_INCLUDE = re.compile(r"[ \t]*#[ \t]*include\b")


class SimpleMacros:
    """Of `output` (`cc -E -dD`) of a file; `directives` are those of the macros that the file names."""

    def __init__(self, output: str, directives: tuple[MacroDirective, ...]) -> None:
        self._output = output
        self._directives: dict[str, list[MacroDirective]] = {}
        for directive in directives:
            self._directives.setdefault(directive.name, []).append(directive)
        self._values: dict[str, str | None] = {}
        self._within: set[str] = set()

    @cached_property
    def names(self) -> frozenset[str]:
        """All names that any directive is about."""
        return frozenset(_DIRECTIVE.findall(self._output))

    def value(self, name: str, line: int) -> str | None:
        """What a name stands for on a line of the file: itself where it is no macro; None where that is not simple.

        Simple is a macro without parameters that is defined once, before, not by the system's headers, and whose value
        is so too.
        """
        if name not in self._values:
            self._values[name] = self._value(name, line)
        known = self._directives.get(name, ())
        return None if any(directive.since > line for directive in known) else self._values[name]

    def _value(self, name: str, line: int) -> str | None:
        if _BUILT_IN.match(name) or name in self._within:
            return None
        if name not in self.names:
            return name
        body = self._body(name)
        if body is None:
            return None
        self._within.add(name)
        value = plain_body(body, lambda each: self.value(each, line))
        self._within.remove(name)
        return value

    def _body(self, name: str) -> str | None:
        text = self._output
        begin = f"\n#define {name} "
        at = text.find(begin)
        is_only = at >= 0 and text.rfind(begin) == at
        if not is_only or any(
            f"\n#{other}" in text for other in (f"define {name}(", f"define {name}\n", f"undef {name}\n")
        ):
            return None
        marker = text.rfind("\n# ", 0, at) + 1
        if _OF_SYSTEM.match(text, marker):
            return None  # its use is put between markers
        return text[at + len(begin) : text.find("\n", at + 1)]

    def depends_on_lines(self, source: str) -> bool:
        """Whether what the macros of a text stand for may change with the line that they are used on."""
        moving, looked_at = {"__LINE__"}, set[str]()
        while unseen := moving - looked_at:
            moving = moving.union(*map(self._mentioning, unseen))
            looked_at |= unseen
        return any(
            not _INCLUDE.match(source, source.rfind("\n", 0, use) + 1) for name in moving for use in _uses(source, name)
        )

    def _mentioning(self, name: str) -> set[str]:
        """Macros whose value has a name in it."""
        text = self._output
        lines = (_DEFINITION.match(text, text.rfind("\n", 0, use)) for use in _uses(text, name))
        return {line[1] for line in lines if line}


def _uses(text: str, name: str) -> Iterator[int]:
    """Where a name stands by itself. An expression that begins with a boundary would look at each character."""
    found = (use.start() for use in re.finditer(rf"{re.escape(name)}(?![\w$])", text))
    return (start for start in found if not start or not _IN_NAME.match(text, start - 1))
