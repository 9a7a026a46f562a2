"""A size by its name in a loop nest, as an expression of the program: `p->dim`, `sizes[0]`, `n`."""

from __future__ import annotations

from functools import lru_cache

from pycparser import c_ast, c_parser
from warplens.analysis.c.arithmetic import literal
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.program.sizes.file_sizes import TypeShape
from warplens.analysis.program.sizes.file_table import DefinedFunction
from warplens.analysis.program.sizes.linked_sizes import LinkedSizes
from warplens.analysis.program.sizes.places import Place, element_of, led_to
from warplens.analysis.program.sizes.size_expression import (
    NOT_FOLLOWED,
    Called,
    Number,
    Operation,
    Read,
    SizeExpression,
    Unknown,
)

_ANY = "any"
_LONGEST = 300
_MOST_PARSED = 4096
_UNKNOWN_SHAPE = TypeShape("", 0)


def named_number(name: str, function: DefinedFunction, program: LinkedSizes) -> SizeExpression:
    """What a name of a nest in that function stands for; `NOT_FOLLOWED` for one that is no expression of C."""
    text = c_name(name).replace("[]", f"[{_ANY}]")
    if len(text) > _LONGEST:
        return NOT_FOLLOWED
    tree = _parsed(text)
    return NOT_FOLLOWED if tree is None else _Named(function, program).number(tree)


@lru_cache(maxsize=_MOST_PARSED)
def _parsed(text: str) -> c_ast.Node | None:
    """The expression that a text is; with each edit the names of all nests are asked for again."""
    try:
        tree = c_parser.CParser().parse(f"int x = {text};", "")
    except (c_parser.ParseError, AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError):
        return None
    is_one = len(tree.ext) == 1 and isinstance(tree.ext[0], c_ast.Decl)
    return tree.ext[0].init if is_one else None


class _Named:
    def __init__(self, function: DefinedFunction, program: LinkedSizes) -> None:
        self._function = function
        self._program = program

    def number(self, node: c_ast.Node | None) -> SizeExpression:
        """The value of an expression."""
        match node:
            case c_ast.Constant():
                found = literal(node.value) if node.type != "string" else None
                return NOT_FOLLOWED if found is None else Number(found.value)
            case c_ast.ID() | c_ast.StructRef() | c_ast.ArrayRef() | c_ast.UnaryOp(op="*"):
                place = self._place(node)
                return NOT_FOLLOWED if place is None else Read(place)
            case c_ast.BinaryOp(op="-") if self._shape(node.left).steps and self._shape(node.right).steps:
                return self._operation("apart", (node.left, node.right))
            case c_ast.BinaryOp():
                return self._operation(node.op, (node.left, node.right))
            case c_ast.TernaryOp():  # a condition that is not followed leaves both
                then, otherwise = self.number(node.iftrue), self.number(node.iffalse)
                is_open = isinstance(then, Unknown) or isinstance(otherwise, Unknown)
                return NOT_FOLLOWED if is_open else Operation("?", (self.number(node.cond), then, otherwise))
            case c_ast.UnaryOp(op="-" | "~" | "!"):
                return self._operation(f"unary {node.op}", (node.expr,))
            case c_ast.FuncCall(name=c_ast.ID(name=name)):
                return Called(name, tuple(map(self.number, node.args.exprs if node.args else ())))
            case _:
                return NOT_FOLLOWED

    def _operation(self, name: str, parts: tuple[c_ast.Node, ...]) -> SizeExpression:
        operands = tuple(map(self.number, parts))
        return NOT_FOLLOWED if any(isinstance(one, Unknown) for one in operands) else Operation(name, operands)

    def _shape(self, node: c_ast.Node) -> TypeShape:
        match node:
            case c_ast.ID():
                return self._program.shape(self._function, node.name) or _UNKNOWN_SHAPE
            case c_ast.StructRef():
                members = self._program.members(self._function.path, self._shape(node.name).structure)
                return members.get(node.field.name, _UNKNOWN_SHAPE)
            case c_ast.ArrayRef():
                return _stepped(self._shape(node.name))
            case c_ast.UnaryOp(op="*"):
                return _stepped(self._shape(node.expr))
            case _:
                return _UNKNOWN_SHAPE

    def _place(self, node: c_ast.Node) -> Place | None:
        match node:
            case c_ast.ID():
                function = self._function.sizes
                if any(name == node.name for name, _ in function.variables):
                    return Place("variable", function.name, node.name)
                known = self._program.shape(self._function, node.name) is not None
                return Place("global", "", node.name) if known else None
            case c_ast.StructRef():
                structure = self._shape(node.name).structure
                return Place("member", structure, node.field.name) if structure else None
            case c_ast.ArrayRef():
                at = _constant(node.subscript)
                return self._element(node.name, at)
            case c_ast.UnaryOp():
                return self._element(node.expr, 0)
            case _:
                return None

    def _element(self, node: c_ast.Node, at: int | None) -> Place | None:
        holder = self._place(node)
        if holder is None:
            return None
        is_parameter = holder.kind == "variable" and holder.name in self._function.sizes.parameters
        if is_parameter and at is not None:
            return led_to(holder.owner, holder.name, at)
        return element_of(holder, at)


def _stepped(shape: TypeShape) -> TypeShape:
    return TypeShape(shape.structure, max(shape.steps - 1, 0), shape.is_integer)


def _constant(node: c_ast.Node) -> int | None:
    value = literal(node.value) if isinstance(node, c_ast.Constant) else None
    return value.value if value is not None and isinstance(value.value, int) else None
