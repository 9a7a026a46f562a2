"""What calls in a function set its pointers to: what they are handed the address of, members, variables of the file."""

from __future__ import annotations

from abc import ABC
from collections.abc import Set as AbstractSet

from pycparser import c_ast
from warplens.analysis.frontend.pointers.function_summary import COPIES, FunctionSummary, arguments_of, outside
from warplens.analysis.frontend.pointers.out_parameters import plain_argument
from warplens.analysis.frontend.pointers.pointer_path import PointerPath
from warplens.analysis.frontend.pointers.row_settings import parameter_names
from warplens.analysis.frontend.scopes.scope import FileScope
from warplens.analysis.ir.types import StructOf


class CallConstraints(FunctionSummary, ABC):
    """Adds the constraints that calls give."""

    def add_call(self, call: c_ast.FuncCall, handed: AbstractSet[int]) -> None:
        """All that a call sets; `handed` are addresses that are arguments, by their `id`."""
        if _is_copy(call):
            self._copy(*arguments_of(call)[:2])
        self._members_set_by(call)
        self._variables_set_by(call)
        for number, argument in enumerate(map(plain_argument, arguments_of(call))):
            if id(argument) in handed and not self.kinds.is_number(argument.expr):
                is_struct = self.kinds.kind(argument.expr) == "struct"
                given = self._set_through(call, number, is_struct)
                edges = self.graph.copies if is_struct else self.graph.settings
                for path in self.targets(argument.expr):
                    edges.setdefault(path, set()).update(given - {path})

    def _copy(self, target: c_ast.Node, source: c_ast.Node) -> None:
        """Pointers and structures that `memcpy` copies as bytes; nothing is known of what a plain pointer leads to."""
        to, of = (
            node.expr if isinstance(node, c_ast.UnaryOp) and node.op == "&" else node for node in (target, source)
        )
        if self.kinds.is_number(to) or self.kinds.is_number(of):
            return
        is_table = to is target and not self.kinds.holds_pointers(to)
        for path in self.targets(to):
            edges = (self.graph.copies,) if is_table else (self.graph.copies, self.graph.settings)
            for edge in edges:
                edge.setdefault(path, set()).update(self.bases(of) - {path})

    def _members_set_by(self, call: c_ast.FuncCall) -> None:
        """Pointers in structures that a function of the file sets, in what it is handed and in what it returns."""
        name = call.name.name if isinstance(call.name, c_ast.ID) else ""
        definition = self.scope.definition(name) if name else None
        arguments = arguments_of(call)
        is_set = any(self._leads_to_struct(argument) for argument in arguments)
        if definition is None or not (is_set or isinstance(self.scope.results.get(name), StructOf)):
            return
        inner = self.inside(name, definition)
        if inner is None:
            return
        given = {
            parameter: set() if self.kinds.is_number(argument) else self.bases(argument)
            for parameter, argument in zip(parameter_names(definition), arguments, strict=False)
        }
        for member, is_returned in inner.members_set:
            held = given.get(member.base, set()) if member.kind == "variable" else set()
            targets = held | ({self.calls[id(call)]} if is_returned else set())
            roots = inner.roots(member) if targets else ()
            sources = {source for root in roots for source in outside(root, given, inner.declared)}
            for path in (target.then(*member.steps) for target in targets):
                self.graph.settings.setdefault(path, set()).update(sources - {path})

    def _variables_set_by(self, call: c_ast.FuncCall) -> None:
        """Pointers of the file that a function of it sets to what it is handed."""
        definition = self.scope.definition(call.name.name) if keeps_addresses(call, self.scope) else None
        inner = None if definition is None else self.inside(call.name.name, definition)
        if definition is None or inner is None:
            return
        given = {
            parameter: set() if self.kinds.is_number(argument) else self.bases(argument)
            for parameter, argument in zip(parameter_names(definition), arguments_of(call), strict=False)
        }
        for path in inner.paths_set():
            if path.kind != "variable" or path.base not in inner.declared | self.declared:
                sources = {source for root in inner.roots(path) for source in outside(root, given, inner.declared)}
                self.graph.settings.setdefault(path, set()).update(sources - {path})

    def _leads_to_struct(self, argument: c_ast.Node) -> bool:
        is_address = isinstance(argument, c_ast.UnaryOp) and argument.op == "&"
        held = argument.expr if is_address else argument
        if isinstance(held, c_ast.ID) and len(self.kinds.declared.get(held.name, ())) > 1:
            return True
        return self.kinds.kind(held if is_address else c_ast.UnaryOp("*", argument)) == "struct"

    def _set_through(self, call: c_ast.FuncCall, number: int, is_struct: bool) -> set[PointerPath]:
        """What a call may set a variable from whose address is one of its arguments, members of a structure left out.

        Of a function in sight that does no more with the address than look through it: what it sets there. Of any
        other one in sight: whatever it is handed, or memory of its own. Of one that is not: that memory alone.
        """
        known = self.found_through(call, number, is_struct)
        if known is not None:
            return known
        arguments = arguments_of(call)
        others = {
            base
            for at, other in enumerate(arguments)
            if at != number and not self.kinds.is_number(other)
            for base in self.bases(other)
        }
        return {self.calls[id(call)], *(others if self.is_in_file(call) else ())}


def keeps_addresses(call: c_ast.FuncCall, scope: FileScope) -> bool:
    """Whether a function of the file keeps an address that it is handed."""
    return isinstance(call.name, c_ast.ID) and bool(scope.effects.kept(call.name.name))


def _is_copy(call: c_ast.FuncCall) -> bool:
    return isinstance(call.name, c_ast.ID) and call.name.name in COPIES and len(arguments_of(call)) > 1
