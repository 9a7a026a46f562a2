"""What callers ask of a function about its pointers: where what it returns, and what it sets through them, may lead.

A function in sight is asked what its own pointers may be set from; of the C library it is known.
Assumes: what calls of unseen functions give is memory that no pointer in sight leads to.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import cached_property

from pycparser import c_ast
from warplens.analysis.c.c_library import library_call
from warplens.analysis.frontend.pointers.address_bases import AddressBases
from warplens.analysis.frontend.pointers.address_kinds import AddressKinds
from warplens.analysis.frontend.pointers.constraint_graph import ConstraintGraph
from warplens.analysis.frontend.pointers.out_parameters import handed_on
from warplens.analysis.frontend.pointers.pointer_path import ANYWHERE, PointerPath
from warplens.analysis.frontend.pointers.row_settings import parameter_names
from warplens.analysis.frontend.scopes.scope import FileScope

COPIES = frozenset(("memcpy", "memmove", "__builtin_memcpy", "__builtin_memmove"))
_ALLOCATES_THROUGH = frozenset(("posix_memalign",))
_OUTLIVING = frozenset(("static", "extern"))


class FunctionSummary(AddressBases, ABC):
    """Follows from all constraints of one function on its pointers (`graph`)."""

    def __init__(self, function: c_ast.FuncDef, scope: FileScope, kinds: AddressKinds) -> None:
        self.function = function
        self.scope = scope
        self.kinds = kinds
        self.graph = ConstraintGraph(kinds)
        self.calls: dict[int, PointerPath] = {}
        """Paths that stand for what calls give, by the calls' `id`."""
        self.returns: list[c_ast.Node] = []
        """What the function returns."""

    @abstractmethod
    def inside(self, name: str, definition: c_ast.FuncDef) -> FunctionSummary | None:
        """What the pointers of a called function may be set from; None in recursion and behind many calls."""

    @cached_property
    def declared(self) -> frozenset[str]:
        """Parameters and local variables."""
        return frozenset(self.kinds.declared)

    def roots(self, path: PointerPath, *, own: bool = False) -> frozenset[PointerPath]:
        """Paths whose memory a pointer may lead to, itself among them; its `own` ones are without exchanges."""
        return self.graph.roots(path, own=own)

    @cached_property
    def returned(self) -> frozenset[PointerPath]:
        """Where what the function returns may lead."""
        found: set[PointerPath] = set()
        for node in self.returns:
            for base in self.bases(node):
                found |= self.roots(base)
        return frozenset(found)

    @cached_property
    def members_set(self) -> list[tuple[PointerPath, bool]]:
        """Members that are set, and whether the function may return the variable with the member."""
        returned = {base for node in self.returns for base in self.bases(node)}
        return [(path, path.root in returned) for path in self.graph.settings if path.steps]

    def paths_set(self) -> list[PointerPath]:
        """Pointers that the function sets."""
        return list(self.graph.settings)

    def set_through(self, parameter: str, is_struct: bool) -> frozenset[PointerPath] | None:
        """Where the pointer may lead that the function sets through a parameter; None if not all of that is seen.

        Of a structure, pointers that are set as members of it are left out.
        """
        handed = handed_on(self.function, parameter)
        if handed is None or not parameter:
            return None
        path = PointerPath(parameter)
        found = set() if is_struct else set(self.roots(path)) - {path}
        if is_struct and (self.graph.copies.get(path) or self.graph.settings.get(path)):
            return None
        for call, number in handed:
            known = self.found_through(call, number, is_struct)
            if known is None:
                known = None if self.is_in_file(call) else _set_by_another(call, self.calls[id(call)])
            if known is None:
                return None
            found |= known
        return frozenset(found)

    def found_through(self, call: c_ast.FuncCall, number: int, is_struct: bool) -> set[PointerPath] | None:
        """What a function in sight sets through one of its parameters, in the caller's paths; None if that is open."""
        name = call.name.name if isinstance(call.name, c_ast.ID) else ""
        definition = self.scope.definition(name) if name else None
        arguments = arguments_of(call)
        inner = None if definition is None else self.inside(name, definition)
        if definition is None or inner is None or len(parameter_names(definition)) != len(arguments):
            return None
        roots = inner.set_through(parameter_names(definition)[number], is_struct)
        if roots is None or ANYWHERE in roots:
            return None
        starts = [set() if self.kinds.is_number(a) else self.bases(a) for a in arguments]
        given = dict(zip(parameter_names(definition), starts, strict=True))
        memory = self.calls[id(call)].base
        return {path for root in roots for path in inner.seen_from(root, given, f"{memory}/{root}")}

    def seen_from(self, root: PointerPath, given: Mapping[str, set[PointerPath]], memory: str) -> set[PointerPath]:
        """A root of this function as its caller has it; memory that a call in it gave has the name `memory` there."""
        if root.kind == "call":
            return {PointerPath(memory, (), "call", self.function.decl.name)}
        if root.kind == "variable" and root.base not in given and root.base in self.declared:
            return {replace(root, function=self.function.decl.name)} if self._outlives(root.base) else set()
        return outside(root, given, self.declared)

    def _outlives(self, variable: str) -> bool:
        """Whether a local variable, and what it holds, is the same in another call."""
        return any(not _OUTLIVING.isdisjoint(one.storage or ()) for one in self.kinds.declared.get(variable, ()))

    def given(self, call: c_ast.FuncCall) -> set[PointerPath]:
        """What a call returns: memory of its own; of a function in sight, what that may return."""
        found = {self.calls.get(id(call), ANYWHERE)}
        name = call.name.name if isinstance(call.name, c_ast.ID) else ""
        starts = [set() if self.kinds.is_number(a) else self.bases(a) for a in arguments_of(call)]
        definition = self.scope.definition(name) if name else None
        if definition is None:
            known = library_call(name) if name else None
            return found.union(*starts if known is not None and not known.allocates else ())
        inner = self.inside(name, definition)
        if inner is None:
            return {ANYWHERE}
        returned = inner.returned
        if ANYWHERE in returned:
            return {ANYWHERE}
        parameters = parameter_names(definition)
        given = dict(zip(parameters, starts, strict=False))
        if len(parameters) != len(starts):
            given, found = {}, found.union(*starts)
        led_to = set[PointerPath]().union(
            *(inner.seen_from(root, given, "") for root in returned if root.kind != "call")
        )
        gives_memory = not led_to or any(root.kind == "call" for root in returned)
        return found | led_to if gives_memory else (found | led_to) - {self.calls.get(id(call), ANYWHERE)}

    def is_in_file(self, call: c_ast.FuncCall) -> bool:
        """Whether a call by name is of a function in sight."""
        return isinstance(call.name, c_ast.ID) and self.scope.definition(call.name.name) is not None


def _set_by_another(call: c_ast.FuncCall, memory: PointerPath) -> set[PointerPath] | None:
    """What a function that is not in sight sets through an argument: memory of its own; None if it may copy addresses.

    The C library sets pointers where it allocates or copies; what else it does without a doubt leaves them alone.
    """
    name = _name(call)
    known = library_call(name)
    if known is None or name in _ALLOCATES_THROUGH:
        return {memory}
    return None if known.unknown or name in COPIES else set()


def _name(call: c_ast.FuncCall) -> str:
    return str(call.name.name) if isinstance(call.name, c_ast.ID) else ""


def arguments_of(call: c_ast.FuncCall) -> list[c_ast.Node]:
    """What a call passes."""
    return list(call.args.exprs) if isinstance(call.args, c_ast.ExprList) else []


def outside(root: PointerPath, given: Mapping[str, set[PointerPath]], own: AbstractSet[str]) -> set[PointerPath]:
    """A called function's root as the caller has it; memory of the function's own is none of it."""
    if root.kind == "variable" and root.base in given:
        return {path.then(*root.steps) for path in given[root.base]}
    return set() if root.kind == "call" or (root.kind == "variable" and root.base in own) else {root}
