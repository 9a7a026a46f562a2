"""Addresses that calls pass: in which object of the caller they are, and how far from its start."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

from pycparser import c_ast, c_generator
from warplens.analysis.frontend.effects.call_sites import PassedAddress, PassedObject, PointerSetting, Way
from warplens.analysis.frontend.pointers.address_functions import address_of_call
from warplens.analysis.frontend.pointers.pointer_exchanges import exchanges
from warplens.analysis.frontend.pointers.pointer_path import ANYWHERE, PointerPath
from warplens.analysis.frontend.pointers.pointer_sources import PointerSources
from warplens.analysis.frontend.pointers.set_once import set_once, values_of
from warplens.analysis.frontend.scopes.scope import FileScope
from warplens.analysis.frontend.syntax.syntax_index import nodes_of_kinds
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import PointerTo

_MOST_STEPS = 8
"""Variables that are followed from one to the next."""
_MOST_WAYS = 8
"""Addresses that conditions choose from."""

Value = Callable[[c_ast.Node], Polynomial | None]


class PassedAddresses:
    """The addresses that one function passes, and sets pointers of the file to."""

    def __init__(self, function: c_ast.FuncDef, sources: PointerSources, scope: FileScope) -> None:
        self._function, self._sources, self._scope = function, sources, scope

    @cached_property
    def variables(self) -> frozenset[str]:
        """Names of variables, which may be pointers to functions."""
        declared = (self._function.decl, *nodes_of_kinds(self._function.body, (c_ast.Decl,)))
        functions = {node.name for node in declared if isinstance(node.type, c_ast.FuncDecl)}
        return (self._sources.declared | frozenset(self._scope.variables)) - functions

    def settings_in(
        self, node: c_ast.Node | None, address: Callable[[c_ast.Node], PassedAddress | None]
    ) -> Iterator[PointerSetting]:
        """Pointers of the file and of structures that get another value than one of each other, in exchange.

        `address` is what an expression is there.
        """
        for one in nodes_of_kinds(node, (c_ast.Assignment,)):
            target = one.lvalue
            is_kept = isinstance(target, c_ast.StructRef) or (isinstance(target, c_ast.ID) and self._is_of_file(target))
            if one.op != "=" or not is_kept or id(one) in self._exchanging or self._is_number(target):
                continue
            if (passed := address(one.rvalue)) is None:
                continue
            if isinstance(target, c_ast.ID):
                yield PointerSetting(target.name, passed)
            else:
                target, member = self._direct(target), target.field.name
                yield PointerSetting(_text(target), passed, _text(target).removesuffix(member), member)

    def of(self, argument: c_ast.Node, value: Value) -> PassedAddress | None:
        """The address, None for what is none. `value` says what a number is at the call."""
        if self._sources.kinds.is_number(argument):
            return None
        bases = self._sources.bases(argument)
        if not bases:
            return None
        ways = self._ways(argument, Polynomial(()), frozenset(), value, _MOST_STEPS)
        found = [Way(conditions, self._passed(argument, base, offset)) for conditions, base, offset in ways]
        if len(found) == 1:
            return found[0].address
        return PassedAddress(_text(argument), _text(argument), None, False, self._objects(bases), ways=tuple(found))

    def _passed(self, argument: c_ast.Node, base: c_ast.Node, offset: Polynomial | None) -> PassedAddress:
        objects = self._objects(self._sources.bases(base))
        text, is_of_file = _text(base), isinstance(base, c_ast.ID) and self._is_of_file(base)
        call = self._sources.of_call(base) if isinstance(base, c_ast.FuncCall) else None
        # What a call gives may be other memory each time, or places in one object that nothing tells apart.
        text = text if call is None else f"{text} {call}"
        is_one = isinstance(base, c_ast.ID | c_ast.FuncCall) or _is_address_of_variable(base)
        is_one = is_one or (self._is_pointer_of_structure(base) and any(found.is_variable for found in objects))
        return PassedAddress(_text(argument), text, offset, not is_one, objects, is_of_file)

    def _objects(self, bases: set[PointerPath]) -> frozenset[PassedObject]:
        roots = {root for each in bases for root in self._sources.roots(each, own=True)}
        ends = [root for root in roots if self._sources.roots(root, own=True) == {root}]
        return frozenset() if ANYWHERE in roots else frozenset(map(_object, ends))

    def _ways(
        self,
        node: c_ast.Node,
        offset: Polynomial | None,
        conditions: frozenset[tuple[str, bool]],
        value: Value,
        steps: int,
    ) -> list[tuple[frozenset[tuple[str, bool]], c_ast.Node, Polynomial | None]]:
        """What an address may be counted from, and how far behind that it is, by the conditions that choose."""
        while steps > 0:
            steps -= 1
            moved: c_ast.Node | None = None
            match node:
                case c_ast.Cast():
                    node = node.expr
                    continue
                case c_ast.Assignment(op="="):
                    node = node.lvalue
                    continue
                case c_ast.UnaryOp(op="&", expr=c_ast.ArrayRef(name=name, subscript=moved)):
                    node, sign = name, 1
                case c_ast.BinaryOp(op="+" | "-" as operator, left=left, right=moved) if not self._is_number(left):
                    node, sign = left, 1 if operator == "+" else -1
                case c_ast.BinaryOp(op="+", left=moved, right=right) if not self._is_number(right):
                    node, sign = right, 1
                case c_ast.TernaryOp():
                    text, is_true = _condition(node.cond)
                    both = [
                        self._ways(branch, offset, conditions | {(text, holds)}, value, steps)
                        for branch, holds in ((node.iftrue, is_true), (node.iffalse, not is_true))
                        if (text, not holds) not in conditions
                    ]
                    found = [way for each in both for way in each]
                    return found if len(found) <= _MOST_WAYS else [(conditions, node, None)]
                case c_ast.FuncCall() if given := address_of_call(node, self._scope, self._sources.declared):
                    node = given
                    continue
                case c_ast.ID(name=name) if (only := self._only_values.get(name)) is not None:
                    node = only
                    offset = None if isinstance(only, c_ast.ID) and only.name in self._moving else offset
                    continue
                case _:
                    break
            step = value(moved)
            offset = None if offset is None or step is None else offset + step * sign
        base = self._direct(node)
        union = self._union_around(base)
        return [(conditions, base, offset) if union is None else (conditions, union, None)]

    def _union_around(self, node: c_ast.Node) -> c_ast.Node | None:
        """The outermost union, or structure that holds one without a name, that a member lies in."""
        found: c_ast.Node | None = None
        while isinstance(node, c_ast.StructRef):
            found = node.name if self._sources.kinds.shares_memory(node.field.name) else found
            node = node.name
        return found

    def _direct(self, node: c_ast.Node) -> c_ast.Node:
        """A member by the shortest way to it: `g.data` for `p->data` where `p` is `&g` all the time."""
        if not isinstance(node, c_ast.StructRef):
            return node
        holder = self._direct(node.name)
        for _ in range(_MOST_STEPS):
            only = self._only_values.get(holder.name) if isinstance(holder, c_ast.ID) else None
            if only is None:
                break
            holder = self._direct(only)
        if node.type == "->" and isinstance(holder, c_ast.UnaryOp) and holder.op == "&":
            return c_ast.StructRef(holder.expr, ".", node.field)
        if node.type == "." and isinstance(holder, c_ast.UnaryOp) and holder.op == "*":
            return c_ast.StructRef(holder.expr, "->", node.field)
        return c_ast.StructRef(holder, node.type, node.field)

    def _is_pointer_of_structure(self, node: c_ast.Node) -> bool:
        """Whether it is a member that holds an address, of a structure that is no element of an array."""
        types = self._sources.kinds.members.of(node.field.name) if isinstance(node, c_ast.StructRef) else []
        while isinstance(node, c_ast.StructRef):
            node = node.name
        return bool(types) and isinstance(node, c_ast.ID) and all(isinstance(one, PointerTo) for one in types)

    def _is_number(self, node: c_ast.Node) -> bool:
        return isinstance(node, c_ast.Constant) or self._sources.kinds.is_number(node)

    def _is_of_file(self, node: c_ast.ID) -> bool:
        return node.name in self._scope.variables and node.name not in self._sources.declared

    @cached_property
    def _only_values(self) -> dict[str, c_ast.Node]:
        return set_once(self._function)

    @cached_property
    def _moving(self) -> frozenset[str]:
        """Variables that hold one value here and another there."""
        kept = self._only_values.keys()
        return frozenset(name for name in values_of(self._function) if name not in kept)

    @cached_property
    def _exchanging(self) -> frozenset[int]:
        blocks = [node.block_items or [] for node in nodes_of_kinds(self._function.body, (c_ast.Compound,))]
        return frozenset(id(one) for block in blocks for settings, _ in exchanges(block) for one in settings)


def _object(path: PointerPath) -> PassedObject:
    is_variable = path.is_variable and not path.function
    return PassedObject(path.base if is_variable else f"{path.function} {path.kind} {path}", is_variable)


def _condition(node: c_ast.Node) -> tuple[str, bool]:
    """A condition's text without a `!` in front, and whether it is true where the whole is."""
    is_true = True
    while isinstance(node, c_ast.UnaryOp) and node.op == "!":
        node, is_true = node.expr, not is_true
    return _text(node), is_true


def _is_address_of_variable(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.UnaryOp) and node.op == "&" and isinstance(node.expr, c_ast.ID)


def _text(node: c_ast.Node) -> str:
    return " ".join(c_generator.CGenerator().visit(node).split())
