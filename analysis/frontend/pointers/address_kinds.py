"""Which expressions of a function are certainly numbers, structures or addresses, told from declarations alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from pycparser import c_ast
from warplens.analysis.c.c_types import TypeResolver
from warplens.analysis.frontend.scopes.scope import FileScope
from warplens.analysis.frontend.syntax.member_types import MembersOfStructures, MemberTypes, members_over_others
from warplens.analysis.ir.types import ArrayOf, CType, PointerTo, Scalar, StructOf

_NUMBERS = frozenset(
    (
        "char",
        "short",
        "int",
        "long",
        "signed",
        "unsigned",
        "float",
        "double",
        "_Bool",
        "_Complex",
        "size_t",
        "ptrdiff_t",
    )
)


class AddressKinds:
    """`declared` are a function's declarations by name; a name that stands twice has what is true of both."""

    def __init__(self, declared: Mapping[str, Sequence[c_ast.Decl]], scope: FileScope) -> None:
        self.declared = declared
        self._scope = scope
        self._is_number = {
            name: all(self._is_number_type(node.type) for node in nodes) for name, nodes in declared.items()
        }

    def _is_number_type(self, node: c_ast.Node) -> bool:
        if isinstance(node, c_ast.Typename):
            node = node.type
        if not isinstance(node, c_ast.TypeDecl):
            return False
        if isinstance(node.type, c_ast.Enum):
            return True
        if not isinstance(node.type, c_ast.IdentifierType):
            return False
        names: Sequence[str] = node.type.names
        return set(names) <= _NUMBERS or isinstance(self._scope.typedefs.get(names[-1]), Scalar)

    def is_pointer(self, name: str) -> bool:
        """Whether a variable of the function holds an address."""
        return any(self._is_pointer_type(node.type) for node in self.declared.get(name, ()))

    def _is_pointer_type(self, node: c_ast.Node) -> bool:
        if isinstance(node, c_ast.TypeDecl) and isinstance(node.type, c_ast.IdentifierType):
            return isinstance(self._scope.typedefs.get(node.type.names[-1]), PointerTo)
        return isinstance(node, c_ast.PtrDecl)

    def is_number(self, node: c_ast.Node) -> bool:
        """Whether an expression is certainly no address."""
        match node:
            case c_ast.Constant():
                return bool(node.type != "string")
            case c_ast.ID():
                if node.name in self._is_number:
                    return self._is_number[node.name]
                symbol = self._scope.symbols.get(node.name)
                return symbol is not None and isinstance(symbol.type, Scalar)
            case c_ast.Cast():
                return self._is_number_type(node.to_type)
            case c_ast.UnaryOp(op="sizeof" | "!" | "~" | "-" | "_Alignof"):
                return True
            case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--"):
                return self.is_number(node.expr)
            case c_ast.BinaryOp(op="+" | "-"):
                return self.is_number(node.left) and self.is_number(node.right)
            case c_ast.BinaryOp():
                return True
            case c_ast.TernaryOp():
                return self.is_number(node.iftrue) and self.is_number(node.iffalse)
            case c_ast.FuncCall(name=c_ast.ID()):
                return isinstance(self._scope.results.get(node.name.name), Scalar)
            case c_ast.ArrayRef() | c_ast.UnaryOp(op="*") | c_ast.StructRef():
                return self.kind(node) == "number"
            case _:
                return False

    def kind(self, node: c_ast.Node) -> str:
        """`number` or `struct` for an lvalue that is certainly one, empty for any other."""
        levels = 0
        while not isinstance(node, c_ast.ID | c_ast.StructRef):
            match node:
                case c_ast.ArrayRef():
                    levels, node = levels + 1, node.name
                case c_ast.UnaryOp(op="*"):
                    levels, node = levels + 1, node.expr
                case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--"):
                    node = node.expr
                case c_ast.BinaryOp(op="+" | "-") if self.is_number(node.right):
                    node = node.left
                case _:
                    return ""
        if isinstance(node, c_ast.StructRef):
            types = self.members.of(node.field.name)
        elif node.name in self.declared:
            found = {self._kind_of_type(one.type, levels) for one in self.declared[node.name]}
            return found.pop() if len(found) == 1 else ""
        else:
            symbol = self._scope.symbols.get(node.name)
            types = [] if symbol is None else [symbol.type]
        kinds = {_kind_below(ctype, levels) for ctype in types}
        return kinds.pop() if len(kinds) == 1 else ""

    def _kind_of_type(self, node: c_ast.Node, levels: int) -> str:
        while levels and isinstance(node, c_ast.PtrDecl | c_ast.ArrayDecl):
            node, levels = node.type, levels - 1
        if not levels and self._is_number_type(node):
            return "number"
        if not isinstance(node, c_ast.TypeDecl):
            return ""
        if isinstance(node.type, c_ast.IdentifierType):
            return _kind_below(self._scope.typedefs.get(node.type.names[-1]), levels)
        if levels:
            return ""
        return "struct" if isinstance(node.type, c_ast.Struct | c_ast.Union) else ""

    @cached_property
    def members(self) -> MemberTypes:
        """Types of all members of a name."""
        scope = self._scope
        types = TypeResolver(lambda _: None, lambda _: None, scope.typedefs, scope.tags)
        own = [types.resolve(node.type) for nodes in self.declared.values() for node in nodes]
        own += [ctype for name, ctype in types.tags.items() if scope.tags.get(name) is not ctype]
        return MemberTypes(own, MembersOfStructures(), scope.members)

    def shares_memory(self, member: str) -> bool:
        """Whether a member of a name lies over others, as those of a union do."""
        return member in self._members_over_others or self.members.shares_memory(member)

    @cached_property
    def _members_over_others(self) -> frozenset[str]:
        return frozenset[str]().union(*(members_over_others(one.type) for one in self._scope.symbols.values()))

    def holds_pointers(self, node: c_ast.Node) -> bool:
        """Whether an expression is certainly an array of pointers, or leads to pointers."""
        if not isinstance(node, c_ast.ID):
            return False
        declared = self.declared.get(node.name, [])
        if declared:
            return all(self._is_pointer_type(_below(one.type, 1)) for one in declared)
        symbol = self._scope.symbols.get(node.name)
        ctype = None if symbol is None else symbol.type
        target = ctype.element if isinstance(ctype, ArrayOf) else ctype.target if isinstance(ctype, PointerTo) else None
        return isinstance(target, PointerTo)

    def is_address(self, node: c_ast.Node) -> bool:
        """Whether an expression is certainly an address."""
        match node:
            case c_ast.ID():
                declared = self.declared.get(node.name, [])
                if not declared:
                    symbol = self._scope.symbols.get(node.name)
                    return symbol is not None and isinstance(symbol.type, PointerTo | ArrayOf)
                return all(isinstance(one.type, c_ast.PtrDecl | c_ast.ArrayDecl) for one in declared)
            case c_ast.UnaryOp(op="&"):
                return True
            case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--"):
                return self.is_address(node.expr)
            case c_ast.BinaryOp(op="+" | "-"):
                return self.is_address(node.left) or (node.op == "+" and self.is_address(node.right))
            case c_ast.Cast():
                return isinstance(getattr(node.to_type, "type", None), c_ast.PtrDecl)
            case _:
                return False


def _kind_below(ctype: CType | None, levels: int) -> str:
    while levels and isinstance(ctype, ArrayOf | PointerTo):
        ctype = ctype.element if isinstance(ctype, ArrayOf) else ctype.target
        levels -= 1
    if levels:
        return ""
    return "number" if isinstance(ctype, Scalar) else "struct" if isinstance(ctype, StructOf) else ""


def _below(node: c_ast.Node, levels: int) -> c_ast.Node:
    while levels and isinstance(node, c_ast.PtrDecl | c_ast.ArrayDecl):
        node = node.type
        levels -= 1
    return node if not levels else c_ast.EmptyStatement()
