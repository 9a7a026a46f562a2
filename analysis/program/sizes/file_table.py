"""What one file says of sizes, found by function and by place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from warplens.analysis.program.sizes.file_sizes import (
    Allocation,
    Call,
    FileSizes,
    FunctionSizes,
    Statement,
    Store,
    TypeShape,
)
from warplens.analysis.program.sizes.places import Place, any_element
from warplens.analysis.program.sizes.value_set import SourceStep


@dataclass(frozen=True, slots=True)
class DefinedFunction:
    """A function of the program, in a file that is named by its path."""

    path: str
    sizes: FunctionSizes

    @property
    def key(self) -> tuple[str, str]:
        """File and name, which no other function has."""
        return self.path, self.sizes.name

    @property
    def numbers(self) -> dict[int, str]:
        """Its parameters that are numbers, by position."""
        shapes = dict(self.sizes.variables)
        named = enumerate(self.sizes.parameters)
        return {
            at: name for at, name in named if name in shapes and not shapes[name].steps and not shapes[name].structure
        }

    def step(self, at: Statement) -> SourceStep:
        """A statement of the function."""
        return SourceStep(at.text, self.path, self.sizes.name, at.line)


@dataclass(frozen=True, slots=True)
class StoredValue:
    """A store and the function that it is in, None for what a variable of the file starts as."""

    store: Store
    path: str
    function: DefinedFunction | None

    @property
    def step(self) -> SourceStep:
        """The statement."""
        at = self.store.at
        return SourceStep(at.text, self.path, "", at.line) if self.function is None else self.function.step(at)


@dataclass(frozen=True, slots=True)
class AllocatedMemory:
    """An allocation and the function that it is in, None for an array of the file."""

    allocation: Allocation
    path: str
    function: DefinedFunction | None

    @property
    def step(self) -> SourceStep:
        """The statement."""
        at = self.allocation.at
        return SourceStep(at.text, self.path, "", at.line) if self.function is None else self.function.step(at)


@dataclass(frozen=True, slots=True)
class CallOf:
    """A call and the function that makes it."""

    call: Call
    caller: DefinedFunction


@dataclass(frozen=True, slots=True)
class PassedTarget:
    """A call that passes the address of `target` as the argument at `position`."""

    call: Call
    caller: DefinedFunction
    position: int
    target: Place


@dataclass(frozen=True, eq=False)
class FileTable:
    """What a file says of sizes, found by function and by place; made once for the same file."""

    sizes: FileSizes

    @staticmethod
    def empty(path: str) -> FileTable:
        """That of a file that says nothing."""
        return FileTable(FileSizes(path, (), (), (), frozenset(), (), ()))

    @cached_property
    def functions(self) -> dict[str, DefinedFunction]:
        """Its functions by name."""
        return {one.name: DefinedFunction(self.sizes.path, one) for one in self.sizes.functions}

    @cached_property
    def stores(self) -> dict[Place, list[StoredValue]]:
        """What it stores in each place, as it names them."""
        found: dict[Place, list[StoredValue]] = {}
        for store in self.sizes.initial:
            found.setdefault(store.place, []).append(StoredValue(store, self.sizes.path, None))
        for function in self.functions.values():
            for store in function.sizes.stores:
                found.setdefault(store.place, []).append(StoredValue(store, self.sizes.path, function))
        return found

    @cached_property
    def allocations(self) -> dict[Place, list[AllocatedMemory]]:
        """What it sets pointers to, and its arrays."""
        found: dict[Place, list[AllocatedMemory]] = {}
        for one in self.sizes.extents:
            found.setdefault(one.place, []).append(AllocatedMemory(one, self.sizes.path, None))
        for function in self.functions.values():
            for one in function.sizes.allocations:
                found.setdefault(one.place, []).append(AllocatedMemory(one, self.sizes.path, function))
        return found

    @cached_property
    def calls(self) -> dict[str, list[CallOf]]:
        """Its calls by the name that is called."""
        found: dict[str, list[CallOf]] = {}
        for caller in self.functions.values():
            for call in caller.sizes.calls:
                found.setdefault(call.function, []).append(CallOf(call, caller))
        return found

    @cached_property
    def targets(self) -> dict[Place, list[PassedTarget]]:
        """Its calls that pass the address of a place, of elements by that of any."""
        found: dict[Place, list[PassedTarget]] = {}
        for caller in self.functions.values():
            for call in caller.sizes.calls:
                for position, place in call.targets:
                    found.setdefault(any_element(place), []).append(PassedTarget(call, caller, position, place))
        return found

    @cached_property
    def shared_functions(self) -> frozenset[str]:
        """Functions that it defines for all files of a program."""
        return frozenset(name for name, one in self.functions.items() if not one.sizes.is_static)

    @cached_property
    def structures(self) -> dict[str, dict[str, TypeShape]]:
        """Members of its structures."""
        return {name: dict(members) for name, members in self.sizes.structures}

    @cached_property
    def globals(self) -> dict[str, TypeShape]:
        """Its variables of the file."""
        return dict(self.sizes.globals_)
