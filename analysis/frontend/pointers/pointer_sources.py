"""What each pointer of a function may be set from, whatever the order of its statements.

Source: Andersen, Program Analysis and Specialization for the C Programming Language, 1994, chapter 4, without the
constraints that loads and stores through pointers give: a member is told by its path (`g.data`).
Assumes: what calls of unseen functions give is memory that no pointer in sight leads to.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import cached_property

from pycparser import c_ast
from warplens.analysis.c.c_library import library_call
from warplens.analysis.c.c_types import TypeResolver
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.pointers.address_bases import AddressBases
from warplens.analysis.frontend.pointers.address_kinds import AddressKinds
from warplens.analysis.frontend.pointers.called_sources import CalledSources
from warplens.analysis.frontend.pointers.out_parameters import handed_on, plain_argument
from warplens.analysis.frontend.pointers.pointer_path import ANYWHERE, PointerPath
from warplens.analysis.frontend.pointers.pointer_syntax import pointer_syntax_of
from warplens.analysis.frontend.pointers.row_settings import RowSettings, parameter_names
from warplens.analysis.frontend.scopes.scope import FileScope
from warplens.analysis.frontend.syntax.initialisers import Store, element_initialisers
from warplens.analysis.ir.types import StructOf

_COPIES = frozenset(("memcpy", "memmove", "__builtin_memcpy", "__builtin_memmove"))
_ALLOCATES_THROUGH = frozenset(("posix_memalign",))
_OUTLIVING = frozenset(("static", "extern"))
_MOST_CALLS = 8
"""Calls in each other that are looked into for what they return."""


class PointerSources(AddressBases):
    """Variables and members are told by their paths (`AddressBases`)."""

    def __init__(
        self,
        function: c_ast.FuncDef,
        scope: FileScope,
        callers: frozenset[str] = frozenset(),
        calls: int = _MOST_CALLS,
    ) -> None:
        self._function = function
        self._scope = scope
        self._callers = callers | {function.decl.name}
        self._calls_below = calls
        self._from: dict[PointerPath, set[PointerPath]] = {}
        self._copied: dict[PointerPath, set[PointerPath]] = {}
        self._initial: dict[PointerPath, set[PointerPath]] = {}
        self._exchanged: dict[PointerPath, set[PointerPath]] = {}
        self._calls: dict[int, PointerPath] = {}
        self._returned: list[c_ast.Node] = []
        self._stores: list[Store] = []
        """What initialiser lists set."""
        self._syntax = pointer_syntax_of(function, scope.trees)
        self._scan()
        self._roots: dict[tuple[PointerPath, bool], frozenset[PointerPath]] = {}

    @cached_property
    def declared(self) -> frozenset[str]:
        """Parameters and local variables."""
        return frozenset(self.kinds.declared)

    def roots(self, path: PointerPath, *, own: bool = False) -> frozenset[PointerPath]:
        """Paths whose memory a pointer may lead to, itself among them; its `own` ones are without exchanges."""
        if (path, own) not in self._roots:
            self._roots[path, own] = self._all_roots(path, own=own)
        return self._roots[path, own]

    def _all_roots(self, path: PointerPath, *, own: bool) -> frozenset[PointerPath]:
        found: set[PointerPath] = set()
        stack = [path]
        while stack:
            one = stack.pop()
            if one in found:
                continue
            found.add(one)
            stack += self._from.get(one, ())
            if not own:
                stack += self._exchanged.get(one, ())
            for base, rest in one.splits():  # what holds a member may be set as a whole, or stand for another
                if not rest:
                    stack.append(base)
                    continue
                sources = self._from.get(base, set()) | self._copied.get(base, set())
                stack += [source.then(*rest) for source in sources if source != ANYWHERE]
                stack += self._initial.get(base, ())
                for holder in self._leading_to(base):
                    stack += self._from.get(holder.then(*rest), ())
                found |= {ANYWHERE} & sources
            if len(found) > 200:
                return frozenset((ANYWHERE,))
        return frozenset(found)

    def _leading_to(self, base: PointerPath) -> set[PointerPath]:
        """Other pointers through which a structure's members may be set."""
        found: set[PointerPath] = set()
        stack = [base]
        while stack:
            one = stack.pop()
            for holder in self._holders.get(one, ()):
                if holder not in found and holder != base:
                    found.add(holder)
                    stack.append(holder)
        return found

    @cached_property
    def _holders(self) -> dict[PointerPath, set[PointerPath]]:
        found: dict[PointerPath, set[PointerPath]] = {}
        for holder, sources in self._from.items():
            for source in sources if self.kinds.kind(c_ast.ID(str(holder))) != "struct" else ():
                found.setdefault(source, set()).add(holder)
        return found

    def set_from(self, variable: str) -> frozenset[str]:
        """Variables of the function that are set from the address of one, or from each other."""
        return self.declared.intersection(
            path.base for path in self._leading_to(PointerPath(variable)) if path.is_variable
        )

    def are_exchanged(self, left: PointerPath, right: PointerPath) -> bool:
        """Whether two pointers swap their values, so that they differ at any time if they differ at first."""
        found, stack = {left}, [left]
        while stack:
            for other in self._exchanged.get(stack.pop(), ()):
                if other not in found:
                    found.add(other)
                    stack.append(other)
        return right in found

    def of_call(self, call: c_ast.Node) -> PointerPath | None:
        """The path that stands for what a call of this function's text gives."""
        return self._calls.get(id(call))

    def overlapping_rows(self, path: PointerPath) -> str:
        """What rows of an array of pointers start in that certainly overlap, empty if none are known to."""
        return self._rows.overlapping(self.roots(path))

    @cached_property
    def _rows(self) -> RowSettings:
        return RowSettings(self._function, self._stores, self._set_pointers)

    def _set_pointers(self, lvalue: c_ast.Node) -> set[PointerPath]:
        return set() if self.kinds.is_number(lvalue) or self.kinds.kind(lvalue) else self._targets(lvalue)

    @cached_property
    def returned(self) -> frozenset[PointerPath]:
        """Where what the function returns may lead."""
        found: set[PointerPath] = set()
        for node in self._returned:
            for base in self.bases(node):
                found |= self.roots(base)
        return frozenset(found)

    @cached_property
    def members_set(self) -> list[tuple[PointerPath, bool]]:
        """Members that are set, and whether the function may return the variable with the member."""
        returned = {base for node in self._returned for base in self.bases(node)}
        return [(path, path.root in returned) for path in self._from if path.steps]

    # ---- reading the syntax

    def _scan(self) -> None:
        syntax = self._syntax
        for call in syntax.calls:
            self._calls[id(call)] = PointerPath(str(len(self._calls)), kind="call")
        self.kinds = AddressKinds(syntax.declarations, self._scope)
        for name, other in syntax.exchanged:
            self._exchanged.setdefault(name, set()).add(other)
            self._exchanged.setdefault(other, set()).add(name)
        started = syntax.names.variables & self._scope.initialised.keys() - syntax.declarations.keys()
        for variable in sorted(started):
            self._statement(self._scope.initialised[variable], frozenset(), frozenset())
        for node in syntax.statements:
            self._statement(node, syntax.skipped, syntax.handed)

    def _statement(self, node: c_ast.Node, skipped: AbstractSet[int], handed: AbstractSet[int]) -> None:
        match node:
            case c_ast.Decl() if node.name and node.init is not None:
                if isinstance(node.init, c_ast.InitList):
                    self._list(node)
                elif id(node) not in skipped:
                    self._set(c_ast.ID(node.name), node.init)
            case c_ast.Assignment(op="=") if id(node) not in skipped:
                self._set(node.lvalue, node.rvalue)
            case c_ast.UnaryOp(op="&", expr=c_ast.ID()) if (
                not self.kinds.is_number(node.expr) and id(node) not in handed
            ):
                if self.kinds.is_pointer(node.expr.name):
                    self._from.setdefault(PointerPath(node.expr.name), set()).add(ANYWHERE)
            case c_ast.FuncCall():
                if _is_copy(node):
                    self._copy(*_arguments(node)[:2])
                self._members_set_by(node)
                self._variables_set_by(node)
                for number, argument in enumerate(map(plain_argument, _arguments(node))):
                    if id(argument) in handed and not self.kinds.is_number(argument.expr):
                        is_struct = self.kinds.kind(argument.expr) == "struct"
                        given = self._set_through(node, number, is_struct)
                        edges = self._copied if is_struct else self._from
                        for path in self._targets(argument.expr):
                            edges.setdefault(path, set()).update(given - {path})
            case c_ast.Return() if node.expr is not None:
                self._returned.append(node.expr)
            case _:
                pass

    def _list(self, node: c_ast.Decl) -> None:
        """What each element or member of a list is set from; where that can't be told, all are from all."""
        types = TypeResolver(lambda _: None, lambda _: None, self._scope.typedefs, self._scope.tags)
        try:
            stores = element_initialisers(node, types.resolve(node.type))
        except UnsupportedError:
            for edges in (self._initial, self._from):
                edges.setdefault(PointerPath(node.name), set()).update(self.bases_in(node.init))
            return
        self._stores += stores
        for target, value in stores:
            self._set(target, value)

    def _set(self, lvalue: c_ast.Node, rvalue: c_ast.Node) -> None:
        if self.kinds.is_number(lvalue) or self.kinds.is_number(rvalue):
            return
        is_copy = "struct" in (self.kinds.kind(lvalue), self.kinds.kind(rvalue))
        edges = self._copied if is_copy else self._from
        for path in self._targets(lvalue):
            edges.setdefault(path, set()).update(self.bases(rvalue) - {path})

    def _members_set_by(self, call: c_ast.FuncCall) -> None:
        """Pointers in structures that a function of the file sets, in what it is handed and in what it returns."""
        name = call.name.name if isinstance(call.name, c_ast.ID) else ""
        definition = self._scope.definition(name) if name else None
        arguments = _arguments(call)
        is_set = any(self._leads_to_struct(argument) for argument in arguments)
        if definition is None or not (is_set or isinstance(self._scope.results.get(name), StructOf)):
            return
        inner = self._inside(name, definition)
        if inner is None:
            return
        given = {
            parameter: set() if self.kinds.is_number(argument) else self.bases(argument)
            for parameter, argument in zip(parameter_names(definition), arguments, strict=False)
        }
        for member, is_returned in inner.members_set:
            held = given.get(member.base, set()) if member.kind == "variable" else set()
            targets = held | ({self._calls[id(call)]} if is_returned else set())
            roots = inner.roots(member) if targets else ()
            sources = {source for root in roots for source in _outside(root, given, inner.declared)}
            for path in (target.then(*member.steps) for target in targets):
                self._from.setdefault(path, set()).update(sources - {path})

    def _set_through(self, call: c_ast.FuncCall, number: int, is_struct: bool) -> set[PointerPath]:
        """What a call may set a variable from whose address is one of its arguments, members of a structure left out.

        Of a function in sight that does no more with the address than look through it: what it sets there. Of any
        other one in sight: whatever it is handed, or memory of its own. Of one that is not: that memory alone.
        """
        known = self._found_through(call, number, is_struct)
        if known is not None:
            return known
        arguments = _arguments(call)
        others = {
            base
            for at, other in enumerate(arguments)
            if at != number and not self.kinds.is_number(other)
            for base in self.bases(other)
        }
        return {self._calls[id(call)], *(others if self._is_in_file(call) else ())}

    def _found_through(self, call: c_ast.FuncCall, number: int, is_struct: bool) -> set[PointerPath] | None:
        """What a function in sight sets through one of its parameters, in the caller's paths; None if that is open."""
        name = call.name.name if isinstance(call.name, c_ast.ID) else ""
        definition = self._scope.definition(name) if name else None
        arguments = _arguments(call)
        inner = None if definition is None else self._inside(name, definition)
        if definition is None or inner is None or len(parameter_names(definition)) != len(arguments):
            return None
        roots = inner.set_through(parameter_names(definition)[number], is_struct)
        if roots is None or ANYWHERE in roots:
            return None
        starts = [set() if self.kinds.is_number(a) else self.bases(a) for a in arguments]
        given = dict(zip(parameter_names(definition), starts, strict=True))
        memory = self._calls[id(call)].base
        return {path for root in roots for path in inner.seen_from(root, given, f"{memory}/{root}")}

    def seen_from(self, root: PointerPath, given: Mapping[str, set[PointerPath]], memory: str) -> set[PointerPath]:
        """A root of this function as its caller has it; memory that a call in it gave has the name `memory` there."""
        if root.kind == "call":
            return {PointerPath(memory, (), "call", self._function.decl.name)}
        if root.kind == "variable" and root.base not in given and root.base in self.declared:
            return {replace(root, function=self._function.decl.name)} if self._outlives(root.base) else set()
        return _outside(root, given, self.declared)

    def _outlives(self, variable: str) -> bool:
        """Whether a local variable, and what it holds, is the same in another call."""
        return any(not _OUTLIVING.isdisjoint(one.storage or ()) for one in self.kinds.declared.get(variable, ()))

    def set_through(self, parameter: str, is_struct: bool) -> frozenset[PointerPath] | None:
        """Where the pointer may lead that the function sets through a parameter; None if not all of that is seen.

        Of a structure, pointers that are set as members of it are left out.
        """
        handed = handed_on(self._function, parameter)
        if handed is None or not parameter:
            return None
        path = PointerPath(parameter)
        found = set() if is_struct else set(self.roots(path)) - {path}
        if is_struct and (self._copied.get(path) or self._from.get(path)):
            return None
        for call, number in handed:
            known = self._found_through(call, number, is_struct)
            if known is None:
                known = None if self._is_in_file(call) else _set_by_another(call, self._calls[id(call)])
            if known is None:
                return None
            found |= known
        return frozenset(found)

    def _variables_set_by(self, call: c_ast.FuncCall) -> None:
        """Pointers of the file that a function of it sets to what it is handed."""
        definition = self._scope.definition(call.name.name) if keeps_addresses(call, self._scope) else None
        inner = None if definition is None else self._inside(call.name.name, definition)
        if definition is None or inner is None:
            return
        given = {
            parameter: set() if self.kinds.is_number(argument) else self.bases(argument)
            for parameter, argument in zip(parameter_names(definition), _arguments(call), strict=False)
        }
        for path in inner.paths_set():
            if path.kind != "variable" or path.base not in inner.declared | self.declared:
                sources = {source for root in inner.roots(path) for source in _outside(root, given, inner.declared)}
                self._from.setdefault(path, set()).update(sources - {path})

    def paths_set(self) -> list[PointerPath]:
        """Pointers that the function sets."""
        return list(self._from)

    def _leads_to_struct(self, argument: c_ast.Node) -> bool:
        is_address = isinstance(argument, c_ast.UnaryOp) and argument.op == "&"
        held = argument.expr if is_address else argument
        if isinstance(held, c_ast.ID) and len(self.kinds.declared.get(held.name, ())) > 1:
            return True
        return self.kinds.kind(held if is_address else c_ast.UnaryOp("*", argument)) == "struct"

    def _inside(self, name: str, definition: c_ast.FuncDef) -> PointerSources | None:
        """What the pointers of a called function may be set from; None in recursion and behind many calls."""
        if name in self._callers or not self._calls_below:
            return None
        return _of_called(name, definition, self._scope, self._callers, self._calls_below - 1)

    def _copy(self, target: c_ast.Node, source: c_ast.Node) -> None:
        """Pointers and structures that `memcpy` copies as bytes; nothing is known of what a plain pointer leads to."""
        to, of = (
            node.expr if isinstance(node, c_ast.UnaryOp) and node.op == "&" else node for node in (target, source)
        )
        if self.kinds.is_number(to) or self.kinds.is_number(of):
            return
        is_table = to is target and not self.kinds.holds_pointers(to)
        for path in self._targets(to):
            edges = (self._copied,) if is_table else (self._copied, self._from)
            for edge in edges:
                edge.setdefault(path, set()).update(self.bases(of) - {path})

    def _targets(self, lvalue: c_ast.Node) -> set[PointerPath]:
        """Paths that are set: members, not what holds them."""
        paths = self.bases(lvalue)
        return {path for path in paths if not any(other.is_below(path) for other in paths)}

    def _is_in_file(self, call: c_ast.FuncCall) -> bool:
        return isinstance(call.name, c_ast.ID) and self._scope.definition(call.name.name) is not None

    def given(self, call: c_ast.FuncCall) -> set[PointerPath]:
        """What a call returns: memory of its own; of a function in sight, what that may return."""
        found = {self._calls.get(id(call), ANYWHERE)}
        name = call.name.name if isinstance(call.name, c_ast.ID) else ""
        starts = [set() if self.kinds.is_number(a) else self.bases(a) for a in _arguments(call)]
        definition = self._scope.definition(name) if name else None
        if definition is None:
            known = library_call(name) if name else None
            return found.union(*starts if known is not None and not known.allocates else ())
        inner = self._inside(name, definition)
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
        return found | led_to if gives_memory else (found | led_to) - {self._calls.get(id(call), ANYWHERE)}


def sources_of_called(name: str, definition: c_ast.FuncDef, scope: FileScope) -> PointerSources:
    """Those of a called function alone, whoever calls it."""
    return _of_called(name, definition, scope, frozenset(), _MOST_CALLS)


def _of_called(
    name: str, definition: c_ast.FuncDef, scope: FileScope, callers: frozenset[str], calls: int
) -> PointerSources:
    def find(callers: frozenset[str], calls: int) -> PointerSources:
        return PointerSources(definition, scope, callers, calls)

    return scope.found.of(CalledSources).of(name, definition, scope, callers, calls, find)


def keeps_addresses(call: c_ast.FuncCall, scope: FileScope) -> bool:
    """Whether a function of the file keeps an address that it is handed."""
    return isinstance(call.name, c_ast.ID) and bool(scope.effects.kept(call.name.name))


def _set_by_another(call: c_ast.FuncCall, memory: PointerPath) -> set[PointerPath] | None:
    """What a function that is not in sight sets through an argument: memory of its own; None if it may copy addresses.

    The C library sets pointers where it allocates or copies; what else it does without a doubt leaves them alone.
    """
    name = _name(call)
    known = library_call(name)
    if known is None or name in _ALLOCATES_THROUGH:
        return {memory}
    return None if known.unknown or name in _COPIES else set()


def _name(call: c_ast.FuncCall) -> str:
    return str(call.name.name) if isinstance(call.name, c_ast.ID) else ""


def _arguments(call: c_ast.FuncCall) -> list[c_ast.Node]:
    return list(call.args.exprs) if isinstance(call.args, c_ast.ExprList) else []


def _outside(root: PointerPath, given: Mapping[str, set[PointerPath]], own: AbstractSet[str]) -> set[PointerPath]:
    """A called function's root as the caller has it; memory of the function's own is none of it."""
    if root.kind == "variable" and root.base in given:
        return {path.then(*root.steps) for path in given[root.base]}
    return set() if root.kind == "call" or (root.kind == "variable" and root.base in own) else {root}


def _is_copy(call: c_ast.FuncCall) -> bool:
    return isinstance(call.name, c_ast.ID) and call.name.name in _COPIES and len(_arguments(call)) > 1
