"""Macros that the preprocessor's output shows (`-dD`): which names are none, and what the simple ones stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from warplens.analysis.text.macro_definitions import MacroDirective
from warplens.server.preprocess.plain_lines import Macro, NotPlainError

_DIRECTIVE = re.compile(r"\n#(?:define|undef) ([^\W\d][\w$]*)")
_OF_SYSTEM = re.compile(r'# \d+ "(?:\\.|[^"\\\n])*"[ 12]*?( 3(?: 4)?)$', re.MULTILINE)
_BUILT_IN = re.compile(r"__[A-Z]|_Pragma\b|__has_|defined\b")
"""Macros that no `#define` shows, and words that are more than a name."""
_NOT_SIMPLE = Macro("")
_MOST_LOOKED_UP = 60
_MOST_THAT_MOVE = 20
"""Each is a search through the whole output."""
_AFTER_NAME = re.compile(r"(?:\((?P<parameters>[\w$,]+)\))? (?P<body>.+)")
_DEFINITION = re.compile(r"#define ([^\W\d][\w$]*)")
_INCLUDE = re.compile(r"[ \t]*#[ \t]*include\b")


class SimpleMacros:
    """Of `output` (`cc -E -dD`) of a file; `directives` are those of the macros that the file names."""

    def __init__(self, output: str, directives: tuple[MacroDirective, ...]) -> None:
        self._output = output
        self._directives: dict[str, list[MacroDirective]] = {}
        for directive in directives:
            self._directives.setdefault(directive.name, []).append(directive)
        self._known: dict[str, Macro | None] = {}
        self._looked_up = 0

    @cached_property
    def names(self) -> frozenset[str]:
        """All names that any directive is about."""
        return frozenset(_DIRECTIVE.findall(self._output))

    def definition(self, name: str, line: int) -> Macro | None:
        """The macro that a name is on a line of the file; raises NotPlainError for one that is not simple.

        Simple is what is defined in one way only, and before.
        """
        if any(directive.since > line for directive in self._directives.get(name, ())):
            raise NotPlainError
        if name not in self._known:
            self._known[name] = self._look_up(name)
        found = self._known[name]
        if found is _NOT_SIMPLE:
            raise NotPlainError
        return found

    def _look_up(self, name: str) -> Macro | None:
        if _BUILT_IN.match(name):
            return _NOT_SIMPLE
        if name not in self.names:
            return None
        self._looked_up += 1
        if self._looked_up > _MOST_LOOKED_UP:
            return _NOT_SIMPLE
        directives = [*re.finditer(rf"\n#(define|undef) {re.escape(name)}(?![\w$])([^\n]*)", self._output)]
        last = directives[-1]
        definition = _AFTER_NAME.fullmatch(last[2])
        if definition is None or any(each[2] != last[2] for each in directives if each[1] == "define"):
            return _NOT_SIMPLE
        parameters = definition["parameters"]
        of_system = _OF_SYSTEM.match(self._output, self._output.rfind("\n# ", 0, last.start()) + 1)
        return Macro(
            definition["body"],
            None if parameters is None else tuple(parameters.split(",")),
            of_system[1] if of_system else "",
        )

    def depends_on_lines(self, source: str) -> bool:
        """Whether what the macros of a text stand for may change with the line that they are used on."""
        moving, looked_at = {"__LINE__"}, set[str]()
        while unseen := moving - looked_at:
            if len(moving) > _MOST_THAT_MOVE:
                return True
            moving = moving.union(*map(self._mentioning, unseen))
            looked_at |= unseen
        return any(not _INCLUDE.match(line) for name in moving for line in _lines_with(source, name))

    def _mentioning(self, name: str) -> set[str]:
        """Macros whose value has a name in it."""
        definitions = (_DEFINITION.match(line) for line in _lines_with(self._output, name))
        return {definition[1] for definition in definitions if definition}


def _lines_with(text: str, name: str) -> Iterator[str]:
    """Lines in which a name stands by itself; only those in which it stands at all are looked at."""
    by_itself = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    begin = 0
    while (at := text.find(name, begin)) >= 0:
        begin, end = text.rfind("\n", begin, at) + 1 or begin, text.find("\n", at)
        line = text[begin:] if end < 0 else text[begin:end]
        if by_itself.search(line):
            yield line
        if end < 0:
            break
        begin = end + 1
