"""The files of a program together: which function a call means, what is stored in each place, who calls whom."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from warplens.analysis.program.sizes.file_sizes import (
    Call,
    FileSizes,
    TypeShape,
)
from warplens.analysis.program.sizes.file_table import (
    AllocatedMemory,
    CallOf,
    DefinedFunction,
    FileTable,
    PassedTarget,
    StoredValue,
)
from warplens.analysis.program.sizes.places import WHOLE, Place, any_element
from warplens.analysis.program.sizes.programs import MAIN, Programs

_OF_FILE = frozenset(("variable", "target", "result"))


def _is_meant(function: DefinedFunction, called: DefinedFunction | None) -> bool:
    """Whether a call is one of a function: of one in a header also where a file calls its own copy."""
    return called is function or (called is not None and called.sizes.header == function.path)


@dataclass(frozen=True, eq=False)
class LinkedSizes:
    """What the files of a program say of sizes, by path. Linking costs nothing: tables are asked one after the other.

    Of several definitions of a name in different files the one in the caller's folder answers, else none. A folder may
    have several programs: what only another one stores does not count (`programs.py`).
    """

    tables: Mapping[str, FileTable]

    @cached_property
    def programs(self) -> Programs:
        """Which files may be in one program."""
        shared = {path: table.shared_functions for path, table in self.tables.items()}
        return Programs(shared, {path: frozenset(table.calls) for path, table in self.tables.items()})

    @staticmethod
    def of(files: Iterable[FileSizes], before: LinkedSizes | None = None) -> LinkedSizes:
        """The program of some files; `before` itself where that is the one of the same."""
        known = {} if before is None else before.tables
        tables = {
            one.path: table if (table := known.get(one.path)) is not None and table.sizes == one else FileTable(one)
            for one in files
        }
        if before is not None and list(tables.values()) == list(known.values()):
            return before
        return LinkedSizes(tables)

    def with_file(self, sizes: FileSizes) -> LinkedSizes:
        """The program with another state of one of its files, or with one more."""
        known = self.tables.get(sizes.path)
        if known is not None and known.sizes == sizes:
            return self
        return LinkedSizes({**self.tables, sizes.path: FileTable(sizes)})

    def function(self, path: str, name: str) -> DefinedFunction | None:
        """The function of a file by its name."""
        table = self.tables.get(path)
        return None if table is None else table.functions.get(name)

    def called(self, path: str, name: str) -> DefinedFunction | None:
        """The function that a file means by a name."""
        return self.function(path, name) or self._of_other_file(path, name)

    def definitions(self, path: str, name: str) -> tuple[DefinedFunction, ...]:
        """All functions of that name that other files define for the one that calls it, in the order of their files."""
        files = (other for other in self.programs.defining(name) if self.programs.may_meet(path, other))
        return tuple(self.tables[other].functions[name] for other in files)

    def _of_other_file(self, path: str, name: str) -> DefinedFunction | None:
        where = self.programs.definition(path, name)
        return None if where is None else self.function(where, name)

    def _is_own(self, path: str, place: Place) -> bool:
        """Whether no other file means a place by its name."""
        table = self.tables.get(path)
        is_static = table is not None and place.name.partition("[")[0] in table.sizes.statics
        return place.kind in _OF_FILE or (place.kind == "global" and is_static)

    def key(self, path: str, place: Place) -> tuple[str, Place]:
        """A place of a file among those of the program: with the file where only this means it by that name."""
        return (path, place) if self._is_own(path, place) else ("", place)

    def key_of_program(self, path: str, place: Place) -> tuple[str, str, Place]:
        """A place as the files that may be in one program with this one have it."""
        owner, _ = self.key(path, place)
        return owner, "" if owner else self.programs.group(path), place

    def _tables_with(self, path: str, place: Place) -> Iterator[FileTable]:
        if self._is_own(path, place):
            if path in self.tables:
                yield self.tables[path]
            return
        base = place.name.partition("[")[0]
        for other, table in self.tables.items():
            if not self.programs.may_meet(path, other):
                continue
            if place.kind != "global" or base not in table.sizes.statics:
                yield table

    def names_of(self, place: Place) -> tuple[Place, ...]:
        """The names under which something is stored in a place: its own, any element, all of the structure."""
        names = [place]
        holder, bracket, subscript = place.name.rpartition("[")
        if bracket and subscript != "]":
            names.append(Place(place.kind, place.owner, f"{holder}[]"))
        if place.kind == "member":
            names.append(Place("member", place.owner, WHOLE))
        return tuple(names)

    def stores(self, path: str, place: Place) -> Iterator[StoredValue]:
        """What is stored in a place that a file names, in an element of it of which it is not known which one, too."""
        names = self.names_of(place)
        for table in self._tables_with(path, place):
            for name in names:
                yield from table.stores.get(name, ())

    def targets(self, path: str, place: Place) -> Iterator[PassedTarget]:
        """Calls that pass the address of a place, or of an element of the same array."""
        whichever = any_element(place)
        for table in self._tables_with(path, place):
            yield from table.targets.get(whichever, ())

    def allocations(self, path: str, place: Place) -> Iterator[AllocatedMemory]:
        """Memory that a pointer is set to, and arrays that are declared."""
        for table in self._tables_with(path, place):
            yield from table.allocations.get(place, ())

    def calls_of(self, function: DefinedFunction) -> list[CallOf]:
        """Calls by name of a function; of a program that starts with a `main` those that it may get to."""
        if function.key not in self._calls_found:
            self._calls_found[function.key] = self._all_calls_of(function)
        return self._calls_found[function.key]

    @cached_property
    def _calls_found(self) -> dict[tuple[str, str], list[CallOf]]:
        return {}

    def _all_calls_of(self, function: DefinedFunction) -> list[CallOf]:
        name = function.sizes.name
        every = [
            one
            for path, table in self.tables.items()
            for one in table.calls.get(name, ())
            if _is_meant(function, self.called(path, name))
        ]
        return [one for one in every if one.caller.key in self._reached] or every

    @cached_property
    def _reached(self) -> frozenset[tuple[str, str]]:
        """Functions that calls by name lead to from a `main`."""
        return self._reached_from_main(lambda _: True)

    @cached_property
    def _always_reached(self) -> frozenset[tuple[str, str]]:
        """Functions that a `main` calls whatever its conditions say."""
        return self._reached_from_main(lambda call: not call.is_conditional)

    @property
    def reached(self) -> tuple[frozenset[tuple[str, str]], frozenset[tuple[str, str]]]:
        """Functions that a `main` may call, and those that it always does."""
        return self._reached, self._always_reached

    def without(self, path: str) -> LinkedSizes:
        """The program without one of its files."""
        return LinkedSizes({name: table for name, table in self.tables.items() if name != path})

    def reached_when(self, happens: Callable[[tuple[tuple[str, ...], ...]], bool]) -> frozenset[tuple[str, str]]:
        """Functions that a `main` calls for sure where it is known which options of the program are given."""
        return self._reached_from_main(lambda call: happens(call.options) if call.options else not call.is_conditional)

    def _reached_from_main(self, follows: Callable[[Call], bool]) -> frozenset[tuple[str, str]]:
        waiting = [table.functions[MAIN] for table in self.tables.values() if MAIN in table.functions]
        found = {one.key for one in waiting}
        while waiting:
            function = waiting.pop()
            for call in filter(follows, function.sizes.calls):
                callee = self.called(function.path, call.function)
                if callee is not None and callee.key not in found:
                    found.add(callee.key)
                    waiting.append(callee)
        return frozenset(found)

    def is_conditional(self, stored: StoredValue) -> bool:
        """Whether a condition of the program decides if a value is stored."""
        function = stored.function
        return stored.store.is_conditional or (function is not None and self.is_called_conditionally(function))

    def is_called_conditionally(self, function: DefinedFunction) -> bool:
        """Whether a condition of the program decides if it calls a function."""
        return bool(self._reached) and function.key not in self._always_reached

    def members(self, path: str, structure: str) -> Mapping[str, TypeShape]:
        """Members of a structure, as a file has them, else as the first one that has."""
        own = self.tables[path].structures.get(structure) if path in self.tables else None
        others = (table.structures[structure] for table in self.tables.values() if structure in table.structures)
        return own or next(others, {})

    def shape(self, function: DefinedFunction, name: str) -> TypeShape | None:
        """Type of a variable that a function names."""
        own = dict(function.sizes.variables).get(name)
        table = self.tables.get(function.path)
        return own or (None if table is None else table.globals.get(name))
