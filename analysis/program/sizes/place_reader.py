"""Expressions of a function's tree as places: their types, and where what they name is kept."""

from __future__ import annotations

from dataclasses import dataclass, field

from pycparser import c_ast
from warplens.analysis.c.c_types import TypeResolver, size_bytes
from warplens.analysis.frontend.expressions.expression_types import pointed_to
from warplens.analysis.frontend.scopes.scope import ConstantFolder, FileScope
from warplens.analysis.ir.types import ArrayOf, CType, PointerTo, Scalar, StructOf, UnknownType
from warplens.analysis.program.sizes.file_sizes import TypeShape
from warplens.analysis.program.sizes.places import Place, element_of, led_to

_UNKNOWN_TYPE = UnknownType("not known")
_FIRST = c_ast.Constant("int", "0")


def shape_of(ctype: CType) -> TypeShape:
    """What a way through a type meets."""
    steps = 0
    while isinstance(ctype, PointerTo | ArrayOf):
        ctype = ctype.target if isinstance(ctype, PointerTo) else ctype.element
        steps += 1
    if isinstance(ctype, StructOf):
        return TypeShape(ctype.name, steps)
    return TypeShape("", steps, isinstance(ctype, Scalar) and ctype.kind == "int")


def is_of_numbers(ctype: CType) -> bool:
    """Whether elements of an array may be sizes: integers, but no text."""
    return isinstance(ctype, Scalar) and ctype.kind == "int" and ctype.name != "char"


class _Folder(ConstantFolder):
    """Folds what is constant, whatever the file means by names that the function has for variables."""

    def __init__(self, constants: dict[str, int], variables: dict[str, CType]) -> None:
        super().__init__(constants)
        self._variables = variables

    def fold(self, node: c_ast.Node | None) -> int | None:
        """As of the file, but for the function's own names."""
        return None if isinstance(node, c_ast.ID) and node.name in self._variables else super().fold(node)


@dataclass(slots=True)
class PlaceReader:
    """Reads expressions of the function `function`; `variables` are those of it that are declared so far."""

    function: str
    scope: FileScope
    variables: dict[str, CType] = field(default_factory=dict)
    types: TypeResolver = field(init=False)
    _folder: ConstantFolder = field(init=False)

    def __post_init__(self) -> None:
        constants = {name: one.value for name, one in self.scope.symbols.items() if one.value is not None}
        self._folder = _Folder(constants, self.variables)
        self.types = TypeResolver(self._folder.extent, self._folder.fold, self.scope.typedefs, self.scope.tags)
        self._folder.resolver = self.types

    def constant(self, node: c_ast.Node | None) -> int | None:
        """The value of an expression that is constant."""
        return self._folder.fold(node)

    # ---- types

    def type_of(self, node: c_ast.Node | None) -> CType:
        """Type of an expression, as far as its places need it."""
        match node:
            case c_ast.ID():
                if node.name in self.variables:
                    return self.variables[node.name]
                symbol = self.scope.symbols.get(node.name)
                return _UNKNOWN_TYPE if symbol is None else symbol.type
            case c_ast.ArrayRef():
                return pointed_to(self.type_of(node.name))
            case c_ast.StructRef():
                base = self.type_of(node.name)
                base = pointed_to(base) if node.type == "->" else base
                found = self.types.completed(base)
                for member in found.fields if isinstance(found, StructOf) else ():
                    if member.name == node.field.name:
                        return self.types.completed(member.type)
                return _UNKNOWN_TYPE
            case c_ast.UnaryOp(op="*"):
                return pointed_to(self.type_of(node.expr))
            case c_ast.UnaryOp(op="&"):
                return PointerTo(self.type_of(node.expr))
            case c_ast.BinaryOp():
                left = self.type_of(node.left)
                return left if isinstance(left, PointerTo | ArrayOf) else self.type_of(node.right)
            case c_ast.Cast() | c_ast.CompoundLiteral():
                return self.types.resolve(node.to_type if isinstance(node, c_ast.Cast) else node.type)
            case c_ast.FuncCall(name=c_ast.ID(name=name)):
                return self.scope.results.get(name, _UNKNOWN_TYPE)
            case c_ast.TernaryOp():
                return self.type_of(node.iftrue)
            case c_ast.Assignment():
                return self.type_of(node.lvalue)
            case _:
                return _UNKNOWN_TYPE

    def is_pointer(self, node: c_ast.Node) -> bool:
        """Whether it is a pointer, or an array, which is one to its first element."""
        return isinstance(self.type_of(node), PointerTo | ArrayOf)

    def element_bytes(self, array: ArrayOf) -> int:
        """Bytes of an element, 1 where that is not known."""
        return size_bytes(self.types.completed(array.element)) or 1

    # ---- places

    def place(self, node: c_ast.Node | None) -> Place | None:
        """The place that an expression names, None where it is none that is followed."""
        match node:
            case c_ast.ID():
                if node.name in self.variables:
                    return Place("variable", self.function, node.name)
                is_variable = node.name in self.scope.symbols and node.name not in self.scope.prototypes
                return Place("global", "", node.name) if is_variable else None
            case c_ast.StructRef():
                base = self.type_of(node.name)
                base = pointed_to(base) if node.type == "->" else base
                return Place("member", base.name, node.field.name) if isinstance(base, StructOf) else None
            case c_ast.ArrayRef():
                holder = self.place(node.name)
                if holder is None:
                    return None
                at = self._folder.fold(node.subscript)
                if isinstance(self.type_of(node.name), PointerTo) and holder.kind in {"variable", "target"}:
                    return led_to(self.function, holder.name, at) if holder.kind == "variable" else None
                return element_of(holder, at)
            case c_ast.UnaryOp(op="*"):
                return self.place(self._first(node.expr))
            case c_ast.Cast():
                return self.place(node.expr)
            case _:
                return None

    def _first(self, pointer: c_ast.Node) -> c_ast.ArrayRef:
        """The element that a pointer leads to: `p[0]`, `p[n]` for `p + n`."""
        while isinstance(pointer, c_ast.Cast):
            pointer = pointer.expr
        if isinstance(pointer, c_ast.BinaryOp) and pointer.op == "+" and self.is_pointer(pointer.left):
            return c_ast.ArrayRef(pointer.left, pointer.right)
        return c_ast.ArrayRef(pointer, _FIRST)

    def addressed(self, node: c_ast.Node) -> Place | None:
        """The place whose address an expression is: `n` of `&n`, of integers also the first that it leads to."""
        while isinstance(node, c_ast.Cast):
            node = node.expr
        is_address = isinstance(node, c_ast.UnaryOp) and node.op == "&"
        pointed = node.expr if is_address else self._first(node) if self.is_pointer(node) else None
        place = self.place(pointed)
        is_followed = is_of_numbers(self.type_of(pointed)) or (
            is_address and place is not None and place.kind != "target"
        )
        return place if is_followed else None

    def pointed(self, node: c_ast.Node) -> Place | None:
        """The place that an argument leads to: `&n`, or what a pointer of the function leads to, whatever its type."""
        while isinstance(node, c_ast.Cast):
            node = node.expr
        return self.place(self._first(node)) if isinstance(node, c_ast.ID) else self.addressed(node)
