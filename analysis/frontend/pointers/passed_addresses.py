"""Addresses that calls pass: in which object of the caller they are, and how far from its start."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from pycparser import c_ast, c_generator
from warplens.analysis.frontend.effects.call_sites import PassedAddress, PassedObject
from warplens.analysis.frontend.pointers.pointer_path import ANYWHERE, PointerPath
from warplens.analysis.frontend.pointers.pointer_sources import PointerSources
from warplens.analysis.frontend.syntax.syntax_index import nodes_of_kinds
from warplens.analysis.ir.polynomial import Polynomial

_STEPS = frozenset(("++", "--", "p++", "p--", "&"))
_PLAIN = (c_ast.ID, c_ast.FuncCall)
"""What names one address, not one of many."""
_MOST_STEPS = 8
"""Variables that are followed from one to the next."""

Value = Callable[[c_ast.Node], Polynomial | None]


class PassedAddresses:
    """The addresses that one function passes."""

    def __init__(self, function: c_ast.FuncDef, sources: PointerSources) -> None:
        self._function, self._sources = function, sources

    def of(self, argument: c_ast.Node, value: Value) -> PassedAddress | None:
        """The address, None for what is none. `value` says what a number is at the call."""
        if self._sources.kinds.is_number(argument):
            return None
        bases = self._sources.bases(argument)
        if not bases:
            return None
        base, offset = self._place(argument, value)
        roots = {root for each in bases for root in self._sources.roots(each, own=True)}
        ends = [root for root in roots if self._sources.roots(root, own=True) == {root}]
        objects = frozenset() if ANYWHERE in roots else frozenset(map(_object, ends))
        return PassedAddress(_text(argument), _text(base), offset, not isinstance(base, _PLAIN), objects)

    def _place(self, node: c_ast.Node, value: Value) -> tuple[c_ast.Node, Polynomial | None]:
        offset: Polynomial | None = Polynomial(())
        for _ in range(_MOST_STEPS):
            moved: c_ast.Node | None = None
            match node:
                case c_ast.Cast():
                    node = node.expr
                    continue
                case c_ast.UnaryOp(op="&", expr=c_ast.ArrayRef(name=name, subscript=moved)):
                    node, sign = name, 1
                case c_ast.BinaryOp(op="+" | "-" as operator, left=left, right=moved) if not self._is_number(left):
                    node, sign = left, 1 if operator == "+" else -1
                case c_ast.BinaryOp(op="+", left=moved, right=right) if not self._is_number(right):
                    node, sign = right, 1
                case c_ast.ID(name=name) if (only := self._only_values.get(name)) is not None:
                    node = only
                    continue
                case _:
                    break
            step = value(moved)
            offset = None if offset is None or step is None else offset + step * sign
        return node, offset

    def _is_number(self, node: c_ast.Node) -> bool:
        return isinstance(node, c_ast.Constant) or self._sources.kinds.is_number(node)

    @cached_property
    def _only_values(self) -> dict[str, c_ast.Node]:
        """What pointers of the function are set to that are set once, to an address in something else."""
        values: dict[str, list[c_ast.Node | None]] = {}
        for node in nodes_of_kinds(self._function.body, (c_ast.Decl, c_ast.Assignment, c_ast.UnaryOp)):
            match node:
                case c_ast.Decl(name=str(name), type=c_ast.PtrDecl()):
                    values.setdefault(name, []).extend([] if node.init is None else [node.init])
                case c_ast.Assignment(lvalue=c_ast.ID(name=name)):
                    values.setdefault(name, []).append(node.rvalue if node.op == "=" else None)
                case c_ast.UnaryOp(expr=c_ast.ID(name=name)) if node.op in _STEPS:
                    values.setdefault(name, []).append(None)
                case _:
                    pass
        declared = {node.name for node in nodes_of_kinds(self._function.body, (c_ast.Decl,))}
        once = {n: found[0] for n, found in values.items() if n in declared and len(found) == 1}
        return {name: node for name, node in once.items() if node is not None and _is_address(node)}


def _object(path: PointerPath) -> PassedObject:
    is_variable = path.is_variable and not path.function
    return PassedObject(path.base if is_variable else f"{path.function} {path.kind} {path}", is_variable)


def _is_address(node: c_ast.Node) -> bool:
    """Whether it is made from another address, not given by a call nor chosen."""
    while isinstance(node, c_ast.Cast):
        node = node.expr
    is_element = isinstance(node, c_ast.UnaryOp) and node.op == "&" and isinstance(node.expr, c_ast.ArrayRef)
    return is_element or isinstance(node, c_ast.ID | c_ast.BinaryOp)


def _text(node: c_ast.Node) -> str:
    return " ".join(c_generator.CGenerator().visit(node).split())
