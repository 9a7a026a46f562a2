"""Functions lowered once: each result is kept with what it was made from, the answers about other functions included.

A function depends on its own text, on the declarations that it can reach, on the bodies that were asked for to stand in
place of their calls, and on the effects of the other functions that it calls; not on the rest of their bodies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from pycparser import c_ast
from warplens.analysis.c.c_library import library_call
from warplens.analysis.c.linear_algebra import stand_in
from warplens.analysis.frontend.declarations.declarations import DeclarationIndex, Definition, Needed, names_in
from warplens.analysis.frontend.declarations.gnu import IMAGINARY
from warplens.analysis.frontend.declarations.parse_declaration import NESTED_TOO_DEEPLY, Parsed, parse_declaration
from warplens.analysis.frontend.declarations.unparsed_statements import Left
from warplens.analysis.frontend.declared_scopes import DeclaredScopes
from warplens.analysis.frontend.effects.call_effects import CallEffects, EffectsOfCalls
from warplens.analysis.frontend.effects.memory_roots import ENDS, OwnEffects, not_followed
from warplens.analysis.frontend.effects.own_effects import own_effects
from warplens.analysis.frontend.effects.type_shapes import (
    DeclaredShapes,
    TypeShapes,
    declared_shapes,
    joined_shapes,
)
from warplens.analysis.frontend.functions.lower_function import FoundLoops, lower_function
from warplens.analysis.frontend.scopes.file_scopes import FileScopes
from warplens.analysis.frontend.syntax.memo import Memo
from warplens.analysis.frontend.syntax.tree_memo import OneOfEach, TreeMemo

_MOST_VARIANTS = 4
"""How often another answer about other functions may lead on to another remembered result."""
_MOST_FOLLOWED = 100_000
"""Characters of all the functions that a call may lead to (a library that is included as a header)."""
_NOTHING = FoundLoops((), (), 0)

_Definitions = tuple[tuple[str, Definition | None], ...]
_Effects = tuple[tuple[str, CallEffects | None], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Lowered:
    """What lowering a function gave; equal to nothing but itself, so that what follows from it is found by it."""

    loops: FoundLoops
    error: str = ""
    error_offset: int = -1
    left: tuple[Left, ...] = ()


@dataclass(frozen=True, slots=True)
class _Remembered:
    """A result with the answers about other functions that it was made with.

    `reachable` are all functions that those answers follow from, None when there may be others.
    """

    result: Lowered
    reachable: tuple[Definition, ...] | None
    definitions: _Definitions
    effects: _Effects
    kept_by: tuple[tuple[str, frozenset[int] | None], ...]


class _Asked(EffectsOfCalls):
    """Notes what is asked about other functions while one is lowered."""

    def __init__(self, definitions: Mapping[str, Definition], effects: EffectsOfCalls) -> None:
        super().__init__(lambda _: None, effects.why_unseen)
        self._definitions = definitions
        self._effects = effects
        self.definitions: dict[str, Definition | None] = {}
        self.effects: dict[str, CallEffects | None] = {}
        self.kept_by: dict[str, frozenset[int] | None] = {}

    def of(self, name: str) -> CallEffects | None:
        """The effects, noted."""
        if name not in self.effects:
            self.effects[name] = self._effects.of(name)
        return self.effects[name]

    def kept(self, name: str) -> frozenset[int] | None:
        """The parameters that are kept, noted alone."""
        if name not in self.kept_by:
            self.kept_by[name] = self._effects.kept(name)
        return self.kept_by[name]

    def definition(self, name: str) -> Definition | None:
        """The definition, noted."""
        self.definitions[name] = self._definitions.get(name)
        return self.definitions[name]


class RememberedLowering:
    """Lowers the functions of one file; `bodies` are the names that each mentions.

    `unseen` says of functions that the program has why they are not looked into, as a predicate.
    """

    def __init__(
        self,
        memo: Memo,
        index: DeclarationIndex,
        bodies: Iterable[frozenset[str]],
        unseen: Mapping[str, str],
        file_scopes: FileScopes | None = None,
    ) -> None:
        self._memo = memo
        self._index = index
        self._mentioned = frozenset[str]().union(*bodies)
        self._unseen = unseen
        self._effects = EffectsOfCalls(self._own_effects, self._why_unseen)
        self._stand_ins: dict[str, Definition] = {}
        """Those met so far: who asks what a function does is led there by declarations that were looked at before."""
        self._scopes = DeclaredScopes(memo, index, file_scopes)
        self._trees = TreeMemo()
        self.parsed = 0
        """Functions lowered anew."""

    def lowered(self, name: str, text: str, body: int, needed: Needed) -> Lowered:
        """All nests of a function, from memory where nothing changed that its result was made from."""
        definitions = self._with_stand_ins(needed)
        base = (text, body, needed.texts, needed.type_names, tuple(definitions), self._said(text, needed))
        key: tuple[object, ...] = base
        for _ in range(_MOST_VARIANTS):
            found = self._memo.get("lowered function", key, lambda: self._compute(name, text, body, needed))
            if found.reachable is not None and found.reachable == self._reachable(name, text, needed):
                return found.result
            now_defined = tuple((other, definitions.get(other)) for other, _ in found.definitions)
            if now_defined == found.definitions:
                now = tuple((other, self._effects.of(other)) for other, _ in found.effects)
                kept = tuple((other, self._effects.kept(other)) for other, _ in found.kept_by)
                if (now, kept) == (found.effects, found.kept_by):
                    return found.result
                key = (*base, now_defined, now, kept)
            else:
                key = (*base, now_defined)
        return self._compute(name, text, body, needed).result

    def _said(self, text: str, needed: Needed) -> tuple[tuple[str, str], ...]:
        """What is said of functions that are not seen, of those that a function may lead to."""
        if not self._unseen:
            return ()
        words = (self._index.mentioned_in(one) for one in (Definition("", text, 0), *needed.definitions))
        called = self._unseen.keys() & frozenset[str]().union(*words)
        return tuple((name, self._unseen[name]) for name in sorted(called))

    def _compute(self, name: str, text: str, body: int, needed: Needed) -> _Remembered:
        self.parsed += 1
        asked = _Asked(self._with_stand_ins(needed), self._effects)
        result = self._parse_and_lower(name, text, body, needed, asked)
        reachable = self._reachable(name, text, needed)
        notes = (tuple(asked.definitions.items()), tuple(asked.effects.items()), tuple(asked.kept_by.items()))
        return _Remembered(result, reachable, *notes)

    def _with_stand_ins(self, needed: Needed) -> dict[str, Definition]:
        """Definitions by name, those among them that stand in for a library's routines which are only declared."""
        routines = (stand_in(text) for text in needed.texts)
        own = {one.name: one for one in needed.definitions}
        for one in routines:
            if one is not None and one.name not in own and self._index.definition(one.name) is None:
                own[one.name] = self._stand_ins[one.name] = Definition(one.name, one.text, one.text.find("{"))
        return own

    def _reachable(self, name: str, text: str, needed: Needed) -> tuple[Definition, ...] | None:
        """Functions that a call may lead to, itself left out; another one of its name may lead to more."""
        last = self._index.definition(name)
        return needed.definitions if last is None or last.text == text else None

    def _parse_and_lower(self, name: str, text: str, body: int, needed: Needed, asked: _Asked) -> Lowered:
        types = names_in(text, needed.type_names)
        is_called = name in self._mentioned
        parsed = self._parsed(text, body, types) if is_called else parse_declaration(text, types, body)
        if parsed.error:
            return Lowered(_NOTHING, parsed.error, parsed.error_offset)
        function = _function(parsed)
        if function is None:
            return Lowered(_NOTHING, "not a function definition")
        try:
            around, notes = self._scopes.of(needed.texts)
            scope = replace(
                around, definition=lambda other: self._tree(asked.definition(other)), bodies={}, shared_effects=asked,
                found=OneOfEach(), trees=self._trees,
                elsewhere={one.name: one.file for one in needed.definitions if one.file},
            )  # fmt: skip
            inexact = tuple(dict.fromkeys((*parsed.notes, *notes)))
            loops = lower_function(function, scope, parsed.text, body, inexact)
        except RecursionError:
            return Lowered(_NOTHING, NESTED_TOO_DEEPLY)
        except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
            # C that the compiler would refuse can break any expectation; it must not cost the rest of the file
            return Lowered(_NOTHING, f"not lowered ({type(error).__name__}: {str(error)[:60]})")
        return Lowered(loops, left=parsed.left)

    def _parsed(self, text: str, body: int, types: tuple[str, ...]) -> Parsed:
        """A function that its callers look into as well."""
        return self._memo.get("parsed definition", (text, body, types), lambda: parse_declaration(text, types, body))

    def _tree(self, found: Definition | None, *, is_for_effects: bool = False) -> c_ast.FuncDef | None:
        """Tree of a function that is called; a pure function of its text and the type names in it."""
        if found is None:
            return None
        parsed = self._parsed(found.text, found.body, names_in(found.text, self._index.type_names))
        inexact = [note for note in parsed.inexact if note != IMAGINARY or not is_for_effects]
        return None if inexact else _function(parsed)

    def _why_unseen(self, name: str) -> str:
        """Why a function of the program is not looked into, as a predicate; empty where the program has none."""
        found = self._index.definition(name)
        if name in self._unseen or found is None or self._tree(found, is_for_effects=True) is not None:
            return self._unseen.get(name, "")
        parsed = self._parsed(found.text, found.body, names_in(found.text, self._index.type_names))
        return f"is not understood ({(*parsed.inexact, parsed.error)[0]})"

    def _own_effects(self, name: str) -> OwnEffects | None:
        found = self._index.definition(name) or self._stand_ins.get(name)
        if found is None:
            return ENDS if self._is_said_to_end(name) else None
        if sum(len(one.text) for one in self._index.led_to_by(name)) > _MOST_FOLLOWED:
            return self._not_followed(name)
        mentioned = self._index.mentioned_in(found)
        types = mentioned & self._index.type_names
        names = frozenset(name for name in mentioned if name in self._index)

        shapes = self._shapes_of(mentioned)

        def scan() -> OwnEffects | None:
            tree = self._tree(found, is_for_effects=True)
            return None if tree is None else own_effects(tree, names, shapes)

        own = self._memo.get("own effects", (found, types, names, shapes.key), scan)
        return replace(own, ends=True) if own is not None and self._index.is_said_to_end(name) else own

    def _shapes_of(self, mentioned: frozenset[str]) -> TypeShapes:
        """Shapes of what a function mentions, as the file declares it."""
        texts = self._index.needed_by(mentioned).texts

        def found() -> TypeShapes:
            return joined_shapes((self._shapes_in(text) for text in texts), mentioned)

        return self._memo.get("type shapes", (texts, mentioned), found)

    def _shapes_in(self, text: str) -> DeclaredShapes:
        parsed = self._scopes.parsed(text)
        return self._memo.get("declared shapes", parsed, lambda: declared_shapes(parsed.declarations))

    def _is_said_to_end(self, name: str) -> bool:
        """Whether no more is seen of a function than that it never returns; the C library's own are known."""
        return library_call(name) is None and self._index.is_said_to_end(name)

    def _not_followed(self, name: str) -> OwnEffects:
        mentioned = (self._index.mentioned_in(one) for one in self._index.led_to_by(name))
        names = frozenset().union(*mentioned) - self._index.type_names
        return not_followed("leads to more code than is looked into", (one for one in names if one in self._index))


def _function(parsed: Parsed) -> c_ast.FuncDef | None:
    return next((node for node in parsed.declarations if isinstance(node, c_ast.FuncDef)), None)
