"""What an answer about sizes may have asked of a file, and which of that is another where the file is another."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import TypeVar

from warplens.analysis.program.sizes.file_sizes import Allocation, Call, Store
from warplens.analysis.program.sizes.file_table import DefinedFunction, FileTable
from warplens.analysis.program.sizes.linked_sizes import LinkedSizes
from warplens.analysis.program.sizes.places import Place

K = TypeVar("K", bound=Hashable)
Fact = tuple[str, Hashable]


def stores_in(key: tuple[str, Place]) -> Fact:
    """What is stored in a place."""
    return "stores in", key


def allocations_in(key: tuple[str, Place]) -> Fact:
    """What a place is set to lead to."""
    return "allocations in", key


def addresses_of(key: tuple[str, Place]) -> Fact:
    """Who passes the address of a place."""
    return "addresses of", key


def calls_by_name(name: str) -> Fact:
    """Who calls a function of that name, and with what."""
    return "calls by name", name


def definition_of(name: str) -> Fact:
    """Which function has that name."""
    return "definition of", name


def text_of_function(key: tuple[str, str]) -> Fact:
    """What a function, by its file and name, declares and calls."""
    return "text of function", key


def passed_in(key: tuple[str, str]) -> Fact:
    """Which parameters a function has, by its file and name, and whose addresses its calls pass."""
    return "passed in", key


def reached_functions() -> Fact:
    """Which functions the program calls, and which of them whatever its conditions say."""
    return "reached functions", ""


def any_call() -> Fact:
    """Which functions call which, under which options of the program."""
    return "any call", ""


def changed_facts(before: LinkedSizes, after: LinkedSizes, path: str) -> frozenset[Fact] | None:
    """The facts that differ where one file differs; None where all may: names became another file's own."""
    old, new = before.tables.get(path), after.tables.get(path)
    if old is new:
        return frozenset()
    old, new = old or FileTable.empty(path), new or FileTable.empty(path)
    if old.sizes.statics != new.sizes.statics:
        return None
    is_one = before.programs.is_one and after.programs.is_one
    if not is_one and (old.shared_functions, old.calls.keys()) != (new.shared_functions, new.calls.keys()):
        return None
    found = {stores_in(after.key(path, place)) for place in _changed(_stores(old), _stores(new))}
    found |= {allocations_in(after.key(path, place)) for place in _changed(_allocations(old), _allocations(new))}
    found |= {addresses_of(after.key(path, place)) for place in _changed(old.targets, new.targets)}
    functions = {name: one.sizes for name, one in old.functions.items()}
    now = {name: one.sizes for name, one in new.functions.items()}
    texts = list(_changed(functions, now))
    found |= {text_of_function((path, name)) for name in texts}
    passing = (name for name in texts if _passed(old.functions.get(name)) != _passed(new.functions.get(name)))
    found |= {passed_in((path, name)) for name in passing}
    heads = {name: one.is_static for name, one in functions.items()}
    defined = list(_changed(heads, {name: one.is_static for name, one in now.items()}))
    calls = list(_changed(_calls(old), _calls(new)))
    found |= {definition_of(name) for name in defined} | {calls_by_name(name) for name in calls}
    if calls or defined:
        found.add(any_call())
        if before.reached != after.reached:
            found.add(reached_functions())
    return frozenset(found)


def _changed(before: Mapping[K, object], after: Mapping[K, object]) -> Iterator[K]:
    return (key for key in before.keys() | after.keys() if before.get(key) != after.get(key))


def _stores(table: FileTable) -> dict[Place, list[tuple[Store, str]]]:
    return {place: [(one.store, _name(one.function)) for one in found] for place, found in table.stores.items()}


def _allocations(table: FileTable) -> dict[Place, list[tuple[Allocation, str]]]:
    every = table.allocations.items()
    return {place: [(one.allocation, _name(one.function)) for one in found] for place, found in every}


def _calls(table: FileTable) -> dict[str, list[tuple[Call, str]]]:
    return {name: [(one.call, one.caller.sizes.name) for one in found] for name, found in table.calls.items()}


def _passed(function: DefinedFunction | None) -> tuple[object, ...]:
    if function is None:
        return ()
    return function.sizes.parameters, function.numbers, [call for call in function.sizes.calls if call.targets]


def _name(function: DefinedFunction | None) -> str:
    return "" if function is None else function.sizes.name
