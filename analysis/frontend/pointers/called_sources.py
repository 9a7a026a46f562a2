"""Pointer sources of called functions, found once for all functions of a file that know them alike.

What a called function's pointers are set from follows from its tree, from what the names in it mean and from the same
of the functions that it calls. Where all of that is the very same for two callers, so is the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pycparser import c_ast
from warplens.analysis.frontend.pointers.function_summary import FunctionSummary
from warplens.analysis.frontend.pointers.pointer_syntax import NamesInSyntax, PointerSyntax, pointer_syntax_of
from warplens.analysis.frontend.scopes.scope import FileScope
from warplens.analysis.frontend.syntax.member_types import way_through
from warplens.analysis.ir.types import CType, PointerTo, StructOf

_MOST_VARIANTS = 2


class SourcesOfFile:
    """Answers for one file, by the objects that they follow from: the scopes of its functions have to live as long."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[object, ...], int] = {}
        self._found: dict[int, FunctionSummary] = {}

    def number(self, meaning: tuple[object, ...]) -> int:
        """The same number for the same meaning."""
        return self._numbers.setdefault(meaning, len(self._numbers))

    def found(self, number: int, find: Callable[[], FunctionSummary]) -> FunctionSummary:
        """The summary of a function of this meaning."""
        if number not in self._found:
            self._found[number] = find()
        return self._found[number]


@dataclass(frozen=True, slots=True)
class _Meaning:
    """A number for all that a function's sources follow from.

    It was found where functions `around` call it, `calls` calls in each other below it. `functions` are those that it
    leads to, `open_` those of them that call it as well; `is_whole` says that all of them were looked into.
    """

    number: int
    around: frozenset[str]
    calls: int
    functions: frozenset[str]
    open_: frozenset[str]
    is_whole: bool


class CalledSources:
    """Those of the functions that one function leads to.

    One that leads to others without an end is told apart by who calls it only a few times.
    """

    def __init__(self) -> None:
        self._asked: dict[tuple[str, frozenset[str], int], _Meaning] = {}
        self._known: dict[str, list[_Meaning]] = {}

    def of(
        self,
        name: str,
        definition: c_ast.FuncDef,
        scope: FileScope,
        around: frozenset[str],
        calls: int,
        find: Callable[[frozenset[str], int], FunctionSummary],
    ) -> FunctionSummary:
        """Sources of a function that is called by those `around` and is followed into `calls` calls in each other."""
        found = self._meaning(name, definition, scope, around, calls)
        return scope.trees.others.of(SourcesOfFile).found(found.number, lambda: find(found.around, found.calls))

    def _meaning(
        self, name: str, definition: c_ast.FuncDef, scope: FileScope, around: frozenset[str], calls: int
    ) -> _Meaning:
        key = (name, around, calls)
        if key not in self._asked:
            known = self._known.setdefault(name, [])
            same = (
                one for one in known if one.is_whole or (one.calls == calls and one.functions & around == one.open_)
            )
            found = next(same, None) or (known[0] if len(known) == _MOST_VARIANTS else None)
            if found is None:
                found = self._new_meaning(name, definition, scope, around, calls)
                known.append(found)
            self._asked[key] = found
        return self._asked[key]

    def _new_meaning(
        self, name: str, definition: c_ast.FuncDef, scope: FileScope, around: frozenset[str], calls: int
    ) -> _Meaning:
        """All that is asked for here is asked of the scope, so that it is noted."""
        syntax = pointer_syntax_of(definition, scope.trees)
        functions: set[str] = set()
        open_: set[str] = set()
        called: list[object] = []
        inside = around | {name}
        is_whole = True
        for callee in sorted(syntax.called):
            called.append(type(scope.results.get(callee)))
            callee_definition = scope.definition(callee)
            if callee_definition is None:
                continue
            functions.add(callee)
            called.append(bool(scope.effects.kept(callee)))
            inner = None
            if callee in inside:
                open_.add(callee)
            elif calls:
                inner = self._meaning(callee, callee_definition, scope, inside, calls - 1)
                functions |= inner.functions
                open_ |= inner.open_
                called.append(inner.number)
            is_whole &= inner is not None and inner.is_whole
        meaning = (id(definition), *called, *self._names_mean(syntax, scope))
        own, number = frozenset((name,)), scope.trees.others.of(SourcesOfFile).number(meaning)
        return _Meaning(number, around, calls, frozenset(functions) - own, frozenset(open_) - own, is_whole)

    def _names_mean(self, syntax: PointerSyntax, scope: FileScope) -> Iterator[object]:
        """What the names in a function mean, and those in what variables of the file start as."""
        yield from _meanings(syntax.names, scope)
        for name in sorted(syntax.names.variables & scope.initialised.keys()):
            start = scope.initialised[name]
            yield id(start)
            yield from _meanings(pointer_syntax_of(start, scope.trees).names, scope)


def _meanings(names: NamesInSyntax, scope: FileScope) -> Iterator[object]:
    for name in sorted(names.variables):
        symbol = scope.symbols.get(name)
        yield None if symbol is None else way_through(symbol.type)
    for name in sorted(names.types):
        ctype = scope.typedefs.get(name)
        yield id(ctype)
        yield from _completion(ctype, scope)
    for name in sorted(names.tags):
        yield id(scope.tags.get(name))
    for name in sorted(names.members):
        yield scope.members.ways_of(name)


def _completion(ctype: CType | None, scope: FileScope) -> Iterator[object]:
    """What completes a type that was named before its definition."""
    target = ctype.target if isinstance(ctype, PointerTo) else ctype
    if isinstance(target, StructOf) and not target.fields:
        yield id(scope.tags.get(target.name))
