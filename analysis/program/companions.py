"""What a file gets of the others: the functions that it calls, as far as they mean the same there as here.

Parts of other files join the declarations of this one, so a name must not mean two things: a `static` variable, a
type, another version of a structure. Where one would, the call stays unseen, and the reason says which name.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from warplens.analysis.c.c_library import library_call
from warplens.analysis.c.math_calls import math_function
from warplens.analysis.frontend.declarations.companions import Companions, DefinedElsewhere
from warplens.analysis.frontend.declarations.declarations import Declaration
from warplens.analysis.frontend.declarations.read_file import ReadFile
from warplens.analysis.frontend.syntax.memo import Memo
from warplens.analysis.ir.symbol import without_added
from warplens.analysis.program.called_part import CalledPart, called_part
from warplens.analysis.program.definitions import Definitions
from warplens.analysis.program.file_definitions import FileDefinitions
from warplens.analysis.program.joined_names import DifferentMeaningError, JoinedNames
from warplens.analysis.program.names_here import NamesHere, Said

_MOST_FOLLOWED = 100_000
"""Characters of the functions of one file that a call may lead to; the front end looks into no more either."""
_MOST_OF_LARGE = 20_000
"""Characters of those that are looked into where there are more: the nearest, so that it is known what is beyond."""
_MOST_DECLARATIONS = 4000
_MOST_CHARACTERS = 1_000_000
"""Declarations, and characters of functions, of other files that join those of one."""
_MOST_VARIANTS = 4
"""How often other words of the file's functions may lead on to another remembered answer."""
_TOO_MUCH = "leads to more code than is looked into"


def companions(definitions: Definitions, file: ReadFile, path: str, memo: Memo) -> Companions:
    """Declarations of other files that the functions of a file lead to, in a fixed order. Never raises.

    `path` is that of the file, by which it is known among those that were linked. Bounded by the limits above: what is
    beyond them is unseen and says so. Found again where the file's declarations are the same and its functions call
    the same: what else their bodies say matters only for the names that were asked about.
    """
    index, functions = file.index, tuple(file.functions.values())
    defined = frozenset(one.name for one in functions if one.body >= 0)
    words: frozenset[str] = frozenset().union(*(one.in_body for one in functions)) - defined
    defined |= index.headers.defined
    calling = (words | index.headers.words) - defined
    called, unseen = definitions.files.keys() & calling, definitions.unseen.keys() & calling
    here = NamesHere(index, functions, words, memo)
    key: tuple[object, ...] = (
        definitions, path, defined, frozenset(called), frozenset(unseen), index.headers, here.texts, file.numbered,
    )  # fmt: skip

    def found() -> tuple[Companions, tuple[tuple[Said, bool], ...]]:
        here.asked.clear()
        joined = _Joined(definitions, here, path, memo, file.numbered).all(called, unseen, defined)
        return joined, tuple(here.asked.items())

    for _ in range(_MOST_VARIANTS):
        result, answers = memo.get("companions", key, found)
        now = tuple(((name, how), here.is_said(name, how)) for (name, how), _ in answers)
        if now == answers:
            return result
        key = (*key, now)
    return found()[0]


class _Joined:
    """Parts that join one file; a part joins as a whole or not at all."""

    def __init__(
        self, definitions: Definitions, here: NamesHere, path: str, memo: Memo, numbered: frozenset[str]
    ) -> None:
        self._definitions = definitions
        self._names = JoinedNames(here)
        self._path = path
        self._memo = memo
        self._numbered = set(numbered)
        self._declarations: dict[Declaration, None] = {}
        self._characters = 0
        self._places: dict[str, DefinedElsewhere] = {}
        self._unseen: dict[str, str] = {}

    def all(self, called: AbstractSet[str], unseen: AbstractSet[str], defined: AbstractSet[str]) -> Companions:
        """Those first that the file calls itself, then, by name, what they call in other files."""
        self._unseen.update((name, self._definitions.unseen[name]) for name in sorted(unseen))
        todo = sorted(called)
        asked = {*called, *defined}
        while todo:
            following: set[str] = set()
            for name in todo:
                defining = self._definitions.of(name, self._path)
                if defining is None:
                    continue
                part = self._part(defining, name)
                why = self._why_not(name) or self._join(name, defining, part)
                if why:
                    self._unseen[name] = why
                else:
                    following.update(part.declared, part.calls)  # what nobody declares is the program's only one
            unknown = following - asked
            self._unseen.update((n, self._definitions.unseen[n]) for n in unknown & self._definitions.unseen.keys())
            todo = sorted(unknown & self._definitions.files.keys())
            asked |= following
        return Companions(tuple(self._declarations), self._places, self._unseen)

    def _part(self, defining: FileDefinitions, name: str) -> CalledPart:
        def found() -> CalledPart:
            part = called_part(defining, name)
            return called_part(defining, name, _MOST_OF_LARGE) if part.characters > _MOST_FOLLOWED else part

        return self._memo.get("called part", (defining, name), found)

    def _why_not(self, function: str) -> str:
        """Why a function is not looked into whatever it says, as a predicate; empty if it is."""
        if function in self._numbered:
            return "is handed numbers of lines"
        if math_function(function) or library_call(function):
            return "has the name of a function of the C library"
        return ""

    def _join(self, function: str, defining: FileDefinitions, part: CalledPart) -> str:
        """Take in a part; or nothing of it, with the reason."""
        part = self._names.with_own_names(part, defining)
        try:
            new = self._names.new_in(part, function, defining)
        except DifferentMeaningError as error:
            return str(error)
        size = sum(len(one.declaration.definition.text) for one in new if one.declaration.definition is not None)
        many = len(self._declarations) + len(new) > _MOST_DECLARATIONS
        if many or self._characters + size > _MOST_CHARACTERS:
            return "is beyond the code of other files that is looked into"
        self._characters += size
        self._numbered.update(defining.numbered)
        self._names.join(new, part, defining)
        self._unseen.update(dict.fromkeys(part.cut_off, _TOO_MUCH))
        for one in new:
            self._declarations[one.declaration] = None
            definition = one.declaration.definition
            if definition is not None and definition.file:
                shown = without_added(definition.name)
                self._places[definition.name] = DefinedElsewhere(shown, defining.path, one.line)
        return ""
