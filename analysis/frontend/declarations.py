"""The declarations of a preprocessed file by the names they introduce, and what a function needs of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from warplens.analysis.frontend.c_library import library_call
from warplens.analysis.frontend.constant_tables import is_short_table
from warplens.analysis.frontend.cut import Chunk
from warplens.analysis.frontend.declared_names import (
    IDENTIFIER,
    declarator_names,
    function_name,
    is_typedef,
    tags_and_enumerators,
)
from warplens.analysis.frontend.gnu import rewrite_gnu
from warplens.analysis.frontend.math_calls import math_function
from warplens.analysis.text.line_markers import without_markers

_LONGEST_INITIALISER = 400
_LONGEST_DECLARATION = 200_000
_LONGEST_BODY = 40_000
"""Characters of a function that callers look into."""
_PROTOTYPE_NAME = re.compile(r"(?<![\w.])(?!__attribute|__asm|__declspec|__typeof)([^\W\d]\w*)\s*\(")


@dataclass(frozen=True, slots=True)
class Declaration:
    """A declaration's text as it will be parsed: no markers, no long initialiser, no function body.

    `names` is all that it introduces, `type_names` those of them that a typedef makes types. `definition` is the whole
    text of a function, for callers that look into it.
    """

    text: str
    names: tuple[str, ...]
    type_names: tuple[str, ...] = ()
    definition: Definition | None = None


@dataclass(frozen=True, slots=True)
class Definition:
    """A function's text without markers, and where its body's `{` stands in it."""

    name: str
    text: str
    body: int


@dataclass(frozen=True, slots=True)
class Needed:
    """What one function needs: declarations in source order, which names are types, functions it may call."""

    texts: tuple[str, ...]
    type_names: frozenset[str]
    definitions: tuple[Definition, ...] = ()


def read_declaration(text: str, chunk: Chunk, own_file: bool) -> Declaration | None:
    """Declaration of a chunk; None for what no function can need (the library's prototypes)."""
    if chunk.kind == "pragma" or (chunk.end - chunk.start > _LONGEST_DECLARATION and chunk.initialiser < 0):
        return None
    if chunk.kind == "function":
        if chunk.body < 0:
            return None
        head = without_markers(text[chunk.start : chunk.body])[0]
        name = function_name(head)
        if not name:
            return None
        definition = None
        if chunk.end - chunk.start <= _LONGEST_BODY:
            whole = without_markers(text[chunk.start : chunk.end])[0]
            definition = Definition(name, whole, whole.find("{", len(head)))
        prototype = head.rstrip() + ";" if head.rstrip().endswith(")") else ""
        return Declaration(prototype, (name,), definition=definition) if prototype or definition else None
    end = chunk.end
    if chunk.initialiser >= 0 and chunk.end - chunk.initialiser > _LONGEST_INITIALISER:
        is_table = text[chunk.initialiser + 1 : chunk.initialiser + 200].lstrip().startswith("{")
        is_kept = not is_table or is_short_table(text[chunk.start : chunk.end], chunk.initialiser - chunk.start)
        end = chunk.end if is_kept else chunk.initialiser
    content = without_markers(text[chunk.start : end])[0]
    content = content if end == chunk.end else content + ";"
    typedef = is_typedef(content)
    if not typedef and not own_file and "(" in content and not content.startswith(("struct", "union", "enum")):
        found = _PROTOTYPE_NAME.search(content)
        if found is None or math_function(found[1]) or library_call(found[1]):
            return None
        return Declaration(content, (found[1],))
    clean = rewrite_gnu(content).text.strip()
    names = tags_and_enumerators(clean)
    declarators = declarator_names(clean[7:] if typedef else _without_initialisers(clean, chunk))
    return Declaration(content, (*declarators, *names), declarators if typedef else ())


def _without_initialisers(text: str, chunk: Chunk) -> str:
    return text.partition("=")[0] if chunk.initialiser >= 0 and text.count("=") == 1 else text


class DeclarationIndex:
    """Finds declarations by name."""

    def __init__(self, headers: tuple[Declaration, ...], own: tuple[Declaration, ...]) -> None:
        self._all = headers + own
        self._by_name: dict[str, list[int]] = {}
        for position, declaration in enumerate(self._all):
            for name in declaration.names:
                self._by_name.setdefault(name, []).append(position)
        self._identifiers: dict[str, frozenset[str]] = {}
        self._reached: dict[int, int] = {}
        self._needed: dict[int, Needed] = {}
        self.type_names = frozenset(name for declaration in self._all for name in declaration.type_names)

    def definition(self, name: str) -> Definition | None:
        """The last definition of a function."""
        found = (self._all[position].definition for position in reversed(self._by_name.get(name, [])))
        return next((definition for definition in found if definition is not None), None)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def needed_by(self, text: str, itself: str) -> Needed:
        """Transitive closure over the names that a function's text mentions."""
        mentioned = frozenset(IDENTIFIER.findall(text)) - {itself}
        return self._needed_from([position for name in mentioned for position in self._by_name.get(name, ())])

    def led_to_by(self, name: str) -> tuple[Definition, ...]:
        """Definitions that a call of a function may lead to, its own among them."""
        return self._needed_from(self._by_name.get(name, ())).definitions

    def _needed_from(self, positions: Iterable[int]) -> Needed:
        reached = 0
        for position in positions:
            if position not in self._reached:
                self._reach(position)
            reached |= self._reached[position]
        if reached not in self._needed:
            self._needed[reached] = self._all_of(reached)
        return self._needed[reached]

    def _all_of(self, reached: int) -> Needed:
        found: list[Declaration] = []
        while reached:
            lowest = reached & -reached
            found.append(self._all[lowest.bit_length() - 1])
            reached ^= lowest
        return Needed(
            tuple(declaration.text for declaration in found if declaration.text),
            frozenset(name for declaration in found for name in declaration.type_names),
            tuple(declaration.definition for declaration in found if declaration.definition is not None),
        )

    def _reach(self, start: int) -> None:
        """Find what a declaration leads to, as bits by position: those that lead to each other reach the same."""
        number: dict[int, int] = {}
        lowest: dict[int, int] = {}
        unfinished: list[int] = []
        path: list[tuple[int, Iterator[int]]] = []
        following: int | None = start
        while True:
            if following is not None:
                number[following] = lowest[following] = len(number)
                unfinished.append(following)
                names = self._mentioned(following)
                path.append((following, iter([p for name in names for p in self._by_name.get(name, ())])))
            position, others = path[-1]
            following = None
            for other in others:
                if other in self._reached:
                    continue
                if other not in number:
                    following = other
                    break
                lowest[position] = min(lowest[position], number[other])
            if following is not None:
                continue
            path.pop()
            if lowest[position] == number[position]:
                first = unfinished.index(position)
                self._close(unfinished[first:])
                del unfinished[first:]
            if not path:
                return
            caller = path[-1][0]
            lowest[caller] = min(lowest[caller], lowest[position])

    def _close(self, component: Sequence[int]) -> None:
        """Set what the members of a component reach, all they lead to being known."""
        bits = 0
        for position in component:
            bits |= 1 << position
        for position in component:
            for name in self._mentioned(position):
                for other in self._by_name.get(name, ()):
                    bits |= self._reached.get(other, 0)
        self._reached.update(dict.fromkeys(component, bits))

    def mentioned_in(self, definition: Definition) -> frozenset[str]:
        """Identifiers of a function's text."""
        return self._identifiers_of(definition.text)

    def _mentioned(self, position: int) -> frozenset[str]:
        declaration = self._all[position]
        return self._identifiers_of(declaration.text if declaration.definition is None else declaration.definition.text)

    def _identifiers_of(self, text: str) -> frozenset[str]:
        if text not in self._identifiers:
            self._identifiers[text] = frozenset(IDENTIFIER.findall(text))
        return self._identifiers[text]


def names_in(text: str, candidates: Iterable[str] | Mapping[str, object]) -> tuple[str, ...]:
    """Those of the candidates that the text mentions, sorted."""
    return tuple(sorted(frozenset(IDENTIFIER.findall(text)).intersection(candidates)))
