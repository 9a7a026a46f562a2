"""The declarations of a preprocessed file by the names they introduce, and what a function needs of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from warplens.analysis.c.c_library import library_call
from warplens.analysis.c.math_calls import math_function
from warplens.analysis.c.struct_packing import marked_as_packed
from warplens.analysis.frontend.declarations.cut import Chunk
from warplens.analysis.frontend.declarations.declarators import KEYWORDS, declarators
from warplens.analysis.frontend.declarations.declared_names import (
    IDENTIFIER,
    declarator_names,
    function_name,
    is_typedef,
    plain_typedef_name,
    prototype_names,
    tags_and_enumerators,
)
from warplens.analysis.frontend.declarations.function_attributes import NEVER_RETURNS, attributes_of_functions
from warplens.analysis.frontend.declarations.gnu import rewrite_gnu
from warplens.analysis.frontend.declarations.included_function import IncludedFunction
from warplens.analysis.frontend.declarations.thread_variables import thread_variables
from warplens.analysis.frontend.syntax.constant_tables import is_short_table
from warplens.analysis.frontend.syntax.memo import Memo
from warplens.analysis.frontend.syntax.reachability import Reachability
from warplens.analysis.text.line_markers import without_markers

_LONGEST_INITIALISER = 400
_LONGEST_DECLARATION = 200_000
_LONGEST_BODY = 40_000
"""Characters of a function that callers look into."""


@dataclass(frozen=True, eq=False)
class Declaration:
    """A declaration's text as it will be parsed: no markers, no long initialiser, no function body.

    `names` is all that it introduces, `type_names` those of them that a typedef makes types. `definition` is the whole
    text of a function, for callers that look into it. Equal to nothing but itself, so that what follows from many of
    them is found without a comparison of their texts.
    """

    text: str
    names: tuple[str, ...]
    type_names: tuple[str, ...] = ()
    definition: Definition | None = None

    @cached_property
    def ending(self) -> frozenset[str]:
        """Functions that it says never return."""
        said = attributes_of_functions(self.text) if "oreturn" in self.text else {}
        return frozenset(name for name, words in said.items() if not NEVER_RETURNS.isdisjoint(words))

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """Identifiers in it."""
        return frozenset(IDENTIFIER.findall(self.text if self.definition is None else self.definition.text))


@dataclass(frozen=True, slots=True)
class Definition:
    """A function's text without markers, and where its body's `{` stands in it.

    `file` is the name of the other file of the program that defines it, empty for the file's own and its headers'.
    """

    name: str
    text: str
    body: int
    file: str = ""


@dataclass(frozen=True, slots=True)
class Needed:
    """What one function needs: declarations in source order, which names are types, functions it may call."""

    texts: tuple[str, ...]
    type_names: frozenset[str]
    definitions: tuple[Definition, ...] = ()


def read_declaration(text: str, chunk: Chunk, own_file: bool, is_packed: bool) -> Declaration | None:
    """Declaration of a chunk; None for what no function can need (the library's prototypes).

    `is_packed`: it stands where a pragma packs structures.
    """
    if chunk.kind == "pragma" and (names := thread_variables(text[chunk.start : chunk.end])):
        return Declaration(text[chunk.start : chunk.end].strip() + "\n", names)
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
    functions = () if own_file else prototype_names(text, chunk.start, chunk.end)
    if functions:
        unknown = tuple(name for name in functions if not _of_the_library(name))
        return Declaration(without_markers(text[chunk.start : chunk.end])[0], unknown) if unknown else None
    end = chunk.end
    if chunk.initialiser >= 0 and chunk.end - chunk.initialiser > _LONGEST_INITIALISER:
        is_table = text[chunk.initialiser + 1 : chunk.initialiser + 200].lstrip().startswith("{")
        is_kept = not is_table or is_short_table(text[chunk.start : chunk.end], chunk.initialiser - chunk.start)
        end = chunk.end if is_kept else chunk.initialiser
    content = without_markers(text[chunk.start : end])[0]
    content = content if end == chunk.end else content + ";"
    content = marked_as_packed(content) if is_packed else content
    plain = plain_typedef_name(content)
    if plain:
        return Declaration(content, (plain,), (plain,))
    clean = rewrite_gnu(content).text.strip()
    tags = tags_and_enumerators(clean)
    if is_typedef(content):
        types = declarator_names(clean[7:])
        return Declaration(content, (*types, *tags), types)
    found = declarators(clean)
    names = tuple(one.name for one in found if own_file or not (one.is_function and _of_the_library(one.name)))
    return Declaration(content, (*names, *tags)) if own_file or names or tags else None


def _of_the_library(name: str) -> bool:
    return bool(math_function(name) or library_call(name))


class HeaderIndex:
    """The declarations before the user's own text. It stays the same while these do, and learns what they lead to."""

    def __init__(self, declarations: tuple[Declaration, ...], functions: tuple[IncludedFunction, ...] = ()) -> None:
        self.declarations = declarations
        self.functions = functions
        """Those of the program that they define, the system's left out."""
        self.by_name = _positions(declarations)
        self.type_names = frozenset(name for declaration in declarations for name in declaration.type_names)
        self.defined = frozenset(one.definition.name for one in declarations if one.definition is not None)
        self._reachability = Reachability(self._led_to, lambda position: 1 << position)
        self._looked_at: dict[int, list[int]] = {}
        self._mentioning: dict[str, int] = {}
        self._crossings: tuple[int, frozenset[str], tuple[tuple[str, int], ...]] = (0, frozenset(), ())

    @cached_property
    def words(self) -> frozenset[str]:
        """Identifiers of the functions that are defined here."""
        return frozenset().union(*(one.mentioned for one in self.declarations if one.definition is not None))

    def reached_by(self, names: Iterable[str]) -> int:
        """Bits of the positions of all that these names lead to."""
        by_name = self.by_name
        return self._reachability.of([position for name in names for position in by_name.get(name, ())])

    def mentioned_at(self, reached: int, names: frozenset[str]) -> list[str]:
        """Those of the names that some of these positions mention: what headers say of the file that includes them.

        A name that is all that a declaration introduces may be left out: only who mentions it gets there.
        """
        looked_at, asked, crossings = self._crossings
        if looked_at != len(self._looked_at) or asked is not names:
            crossings = tuple((name, self._mentioning[name]) for name in names & self._mentioning.keys())
            self._crossings = len(self._looked_at), names, crossings
        return [name for name, positions in crossings if positions & reached]

    def _led_to(self, position: int) -> list[int]:
        if position not in self._looked_at:
            declaration = self.declarations[position]
            for name in declaration.mentioned - KEYWORDS:
                if (name,) != declaration.names:
                    self._mentioning[name] = self._mentioning.get(name, 0) | 1 << position
            by_name = self.by_name
            self._looked_at[position] = [other for name in declaration.mentioned for other in by_name.get(name, ())]
        return self._looked_at[position]


class DeclarationIndex:
    """Finds declarations by name."""

    def __init__(self, headers: HeaderIndex, own: tuple[Declaration, ...], memo: Memo) -> None:
        self.headers = headers
        self.own = own
        self._memo = memo
        self._by_name = _positions(own)
        self._names: frozenset[str] = frozenset(self._by_name)
        self._behind = len(headers.declarations)
        self._reachability = Reachability(self._led_to, self._alone)
        own_types = frozenset(name for declaration in own for name in declaration.type_names)
        self.type_names = headers.type_names if own_types <= headers.type_names else headers.type_names | own_types

    def with_others(self, more: tuple[Declaration, ...]) -> DeclarationIndex:
        """The same with what other files of the program declare, behind the file's own."""
        return DeclarationIndex(self.headers, (*self.own, *more), self._memo) if more else self

    def declarations_of(self, name: str) -> tuple[Declaration, ...]:
        """All that introduce a name, in source order."""
        headers = (self.headers.declarations[position] for position in self.headers.by_name.get(name, ()))
        return (*headers, *(self.own[position] for position in self._by_name.get(name, ())))

    @property
    def every(self) -> tuple[Declaration, ...]:
        """All of them, those of the headers first."""
        return (*self.headers.declarations, *self.own)

    def definition(self, name: str) -> Definition | None:
        """The last definition of a function."""
        own = (self.own[position] for position in reversed(self._by_name.get(name, ())))
        others = (self.headers.declarations[position] for position in reversed(self.headers.by_name.get(name, ())))
        return next((one.definition for one in (*own, *others) if one.definition is not None), None)

    def is_said_to_end(self, name: str) -> bool:
        """Whether a declaration says of a function that it never returns."""
        headers = (self.headers.declarations[position] for position in self.headers.by_name.get(name, ()))
        own = (self.own[position] for position in self._by_name.get(name, ()))
        return any(name in one.ending for one in (*own, *headers))

    def __contains__(self, name: object) -> bool:
        return name in self._by_name or name in self.headers.by_name

    def needed_by(self, mentioned: frozenset[str]) -> Needed:
        """Transitive closure over the names that a function mentions (other than its own)."""
        return self._needed_from(mentioned)

    def led_to_by(self, name: str) -> tuple[Definition, ...]:
        """Definitions that a call of a function may lead to, its own among them."""
        return self._needed_from(frozenset((name,))).definitions

    def _needed_from(self, names: frozenset[str]) -> Needed:
        reached = self._in_headers(names)
        reached |= self._reachability.of(self._positions_of(names, reached))
        own_bits = reached >> self._behind
        in_headers = reached ^ (own_bits << self._behind)
        own = tuple(self.own[position] for position in _set_bits(own_bits))
        headers = self.headers
        key = (headers, in_headers, own)
        return self._memo.get("needed", key, lambda: self._with(self._needed_of_headers(in_headers), own))

    def _needed_of_headers(self, reached: int) -> Needed:
        declarations = self.headers.declarations
        return self._memo.get(
            "needed of headers",
            (self.headers, reached),
            lambda: _needed(declarations[at] for at in _set_bits(reached)),
        )

    def _with(self, headers: Needed, own: tuple[Declaration, ...]) -> Needed:
        more = _needed(own)
        types = headers.type_names
        return Needed(
            headers.texts + more.texts,
            types if more.type_names <= types else types | more.type_names,
            headers.definitions + more.definitions,
        )

    def _in_headers(self, names: frozenset[str]) -> int:
        headers = self.headers
        return self._memo.get("reached in headers", (headers, names), lambda: headers.reached_by(names))

    def _alone(self, position: int) -> int:
        return 1 << (position + self._behind) | self._in_headers(self.own[position].mentioned)

    def _led_to(self, position: int) -> list[int]:
        mentioned = self.own[position].mentioned
        return self._positions_of(mentioned, self._in_headers(mentioned))

    def _positions_of(self, names: frozenset[str], in_headers: int) -> list[int]:
        """Own declarations of these names, and of those that come up in these headers."""
        found = [*(names & self._names), *self.headers.mentioned_at(in_headers, self._names)]
        return [position for name in found for position in self._by_name[name]]

    def mentioned_in(self, definition: Definition) -> frozenset[str]:
        """Identifiers of a function's text."""
        return self._memo.get("identifiers", definition.text, lambda: frozenset(IDENTIFIER.findall(definition.text)))


def _positions(declarations: Iterable[Declaration]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for position, declaration in enumerate(declarations):
        for name in declaration.names:
            found.setdefault(name, []).append(position)
    return found


def _needed(found: Iterable[Declaration]) -> Needed:
    declarations = tuple(found)
    return Needed(
        tuple(declaration.text for declaration in declarations if declaration.text),
        frozenset(name for declaration in declarations for name in declaration.type_names),
        tuple(declaration.definition for declaration in declarations if declaration.definition is not None),
    )


def _set_bits(bits: int) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def names_in(text: str, candidates: Iterable[str] | Mapping[str, object]) -> tuple[str, ...]:
    """Those of the candidates that the text mentions, sorted."""
    return tuple(sorted(frozenset(IDENTIFIER.findall(text)).intersection(candidates)))
