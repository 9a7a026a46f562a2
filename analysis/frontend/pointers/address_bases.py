"""What an address is made from: the paths of the variables and members in it."""

from __future__ import annotations

from abc import ABC, abstractmethod

from pycparser import c_ast
from warplens.analysis.frontend.pointers.address_kinds import AddressKinds
from warplens.analysis.frontend.pointers.pointer_path import ANYWHERE, PointerPath, Step
from warplens.analysis.ir.types import PointerTo


class AddressBases(ABC):
    """Paths in expressions of one function: `q`, `g.data` for `g->data`, `g[i].data` and `(*g).data`."""

    kinds: AddressKinds

    @abstractmethod
    def given(self, call: c_ast.FuncCall) -> set[PointerPath]:
        """What a call returns."""

    def bases(self, node: c_ast.Node) -> set[PointerPath]:
        """Paths that an address may be made from."""
        match node:
            case c_ast.Constant():
                return set()
            case c_ast.ID() | c_ast.ArrayRef() | c_ast.StructRef() | c_ast.UnaryOp(op="*"):
                return self._paths(node)
            case c_ast.UnaryOp(op="&" | "++" | "--" | "p++" | "p--") | c_ast.Cast():
                return self.bases(node.expr)
            case c_ast.Assignment():
                return self.bases(node.lvalue if node.op != "=" else node.rvalue)
            case c_ast.TernaryOp():
                return self.bases(node.iftrue) | self.bases(node.iffalse)
            case c_ast.ExprList():
                return self.bases(node.exprs[-1])
            case c_ast.Compound():
                return self.bases(node.block_items[-1]) if node.block_items else set()
            case c_ast.BinaryOp(op="+" | "-"):
                return self._bases_of_sum(node)
            case c_ast.BinaryOp():
                return set()
            case c_ast.FuncCall():
                return self.given(node)
            case c_ast.UnaryOp(op="sizeof" | "!" | "~" | "-" | "+"):
                return set()
            case _:
                return {ANYWHERE}

    def _bases_of_sum(self, node: c_ast.BinaryOp) -> set[PointerPath]:
        if node.op == "-" or self.kinds.is_address(node.left) or self.kinds.is_number(node.right):
            return self.bases(node.left)
        if self.kinds.is_address(node.right) or self.kinds.is_number(node.left):
            return self.bases(node.right)
        return self.bases(node.left) | self.bases(node.right)

    def _paths(self, node: c_ast.Node) -> set[PointerPath]:
        """Paths of an lvalue; a member that is an array lies in what holds it."""
        match node:
            case c_ast.ID():
                return {PointerPath(node.name)}
            case c_ast.ArrayRef():
                return self._paths(node.name)
            case c_ast.UnaryOp(op="*" | "&") | c_ast.Cast():
                return self._paths(node.expr)
            case c_ast.StructRef():
                holders = self._paths(node.name)
                types = self.kinds.members.of(node.field.name)
                found = {holder.then(Step(node.field.name)) for holder in holders}
                return found if types and all(isinstance(one, PointerTo) for one in types) else found | holders
            case _:
                return self.bases(node)

    def targets(self, lvalue: c_ast.Node) -> set[PointerPath]:
        """Paths that are set: members, not what holds them."""
        paths = self.bases(lvalue)
        return {path for path in paths if not any(other.is_below(path) for other in paths)}

    def bases_in(self, initialiser: c_ast.InitList) -> set[PointerPath]:
        """Paths that the addresses in an initialiser list may be made from."""
        found: set[PointerPath] = set()
        stack: list[c_ast.Node] = list(initialiser.exprs or [])
        while stack:
            item = stack.pop()
            if isinstance(item, c_ast.InitList):
                stack += item.exprs or []
            else:
                value = item.expr if isinstance(item, c_ast.NamedInitializer) else item
                found |= (
                    set() if isinstance(value, c_ast.InitList) or self.kinds.is_number(value) else self.bases(value)
                )
                stack += [value] if isinstance(value, c_ast.InitList) else []
        return found
