"""Expressions of a function's tree as numbers over places."""

from __future__ import annotations

from dataclasses import dataclass, field

from pycparser import c_ast
from warplens.analysis.c.arithmetic import literal
from warplens.analysis.c.c_types import TypeResolver, size_bytes
from warplens.analysis.c.math_calls import math_function
from warplens.analysis.frontend.expressions.expression_types import pointed_to
from warplens.analysis.frontend.scopes.scope import ConstantFolder, FileScope
from warplens.analysis.ir.types import ArrayOf, CType, PointerTo, Scalar, StructOf, UnknownType
from warplens.analysis.program.sizes.file_sizes import TypeShape
from warplens.analysis.program.sizes.places import Place, element_of
from warplens.analysis.program.sizes.size_expression import (
    NOT_FOLLOWED,
    Assumed,
    Called,
    CommandLine,
    Number,
    Operation,
    Read,
    SizeExpression,
    Unknown,
)

_DEEPEST = 24
"""Operators inside of each other in one expression; sizes have few."""
_OPERATORS = frozenset(
    ("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", ">", "<=", ">=", "==", "!=", "&&", "||")
)
_INTEGERS_OF_TEXT = frozenset(("atoi", "atol", "atoll", "strtol", "strtoul", "strtoll", "strtoull"))
_NUMBERS_OF_TEXT = _INTEGERS_OF_TEXT | {"atof", "strtod", "strtof"}
_KNOWN = frozenset(
    ("sqrt", "cbrt", "pow", "log", "log2", "log10", "exp", "exp2", "ceil", "floor", "round", "rint", "fabs", "abs",
     "labs", "fmax", "fmin", "trunc")
)  # fmt: skip
_ONE_THREAD = "one thread is assumed"
_OF_THREADS = {
    "omp_get_num_threads": Assumed(1, _ONE_THREAD),
    "omp_get_max_threads": Assumed(1, _ONE_THREAD),
    "omp_get_thread_num": Assumed(0, _ONE_THREAD),
}
_UNKNOWN_TYPE = UnknownType("not known")
_ANY_TEXT = frozenset(("optarg",))
"""The argument of an option that `getopt` found."""


def shape_of(ctype: CType) -> TypeShape:
    """What a way through a type meets."""
    steps = 0
    while isinstance(ctype, PointerTo | ArrayOf):
        ctype = ctype.target if isinstance(ctype, PointerTo) else ctype.element
        steps += 1
    if isinstance(ctype, StructOf):
        return TypeShape(ctype.name, steps)
    return TypeShape("", steps, isinstance(ctype, Scalar) and ctype.kind == "int")


class _Folder(ConstantFolder):
    """Folds what is constant, whatever the file means by names that the function has for variables."""

    def __init__(self, constants: dict[str, int], variables: dict[str, CType]) -> None:
        super().__init__(constants)
        self._variables = variables

    def fold(self, node: c_ast.Node | None) -> int | None:
        """As of the file, but for the function's own names."""
        return None if isinstance(node, c_ast.ID) and node.name in self._variables else super().fold(node)


@dataclass(slots=True)
class SizeReader:
    """Reads expressions of the function `function`; `variables` are those of it that are declared so far."""

    function: str
    scope: FileScope
    variables: dict[str, CType] = field(default_factory=dict)
    arguments: frozenset[str] = frozenset()
    """Names that the function has for the program's arguments: `argv`."""
    options: tuple[str, ...] = ()
    """Spellings of the option of the program that what is read stands under."""
    types: TypeResolver = field(init=False)
    _folder: ConstantFolder = field(init=False)

    def __post_init__(self) -> None:
        constants = {name: one.value for name, one in self.scope.symbols.items() if one.value is not None}
        self._folder = _Folder(constants, self.variables)
        self.types = TypeResolver(self._folder.extent, self._folder.fold, self.scope.typedefs, self.scope.tags)
        self._folder.resolver = self.types

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
                if isinstance(self.type_of(node.name), PointerTo) and holder.kind == "variable":
                    at = self._folder.fold(node.subscript)
                    return Place("target", self.function, holder.name) if at == 0 else None
                return element_of(holder, self._folder.fold(node.subscript))
            case c_ast.UnaryOp(op="*"):
                holder = self.place(node.expr)
                is_variable = holder is not None and holder.kind == "variable"
                return Place("target", self.function, holder.name) if holder is not None and is_variable else None
            case c_ast.Cast():
                return self.place(node.expr)
            case _:
                return None

    def addressed(self, node: c_ast.Node | None) -> Place | None:
        """The place whose address an expression is."""
        while isinstance(node, c_ast.Cast):
            node = node.expr
        if isinstance(node, c_ast.UnaryOp) and node.op == "&":
            return self.place(node.expr)
        return None

    # ---- numbers

    def constant(self, node: c_ast.Node | None) -> int | None:
        """The value of an expression that is constant."""
        return self._folder.fold(node)

    def number(self, node: c_ast.Node | None, depth: int = 0) -> SizeExpression:
        """The value of an expression."""
        if node is None or depth > _DEEPEST:
            return NOT_FOLLOWED
        folded = self._folder.fold(node)
        if folded is not None:
            return Number(folded)
        match node:
            case c_ast.Constant():
                found = literal(node.value) if node.type != "string" else None
                return NOT_FOLLOWED if found is None else Number(found.value)
            case c_ast.ID() | c_ast.StructRef() | c_ast.ArrayRef():
                place = self.place(node)
                return NOT_FOLLOWED if place is None else Read(place)
            case c_ast.Cast():
                return self.converted(self.number(node.expr, depth + 1), self.types.resolve(node.to_type))
            case c_ast.UnaryOp():
                return self._unary(node, depth)
            case c_ast.BinaryOp(op="-") if self._is_pointer(node.left) and self._is_pointer(node.right):
                return _operation("apart", (self.number(node.left, depth + 1), self.number(node.right, depth + 1)))
            case c_ast.BinaryOp() if node.op in _OPERATORS:
                operands = self.number(node.left, depth + 1), self.number(node.right, depth + 1)
                return _operation(node.op, operands)
            case c_ast.TernaryOp():
                parts = (node.cond, node.iftrue, node.iffalse)
                return Operation("?", tuple(self.number(part, depth + 1) for part in parts))
            case c_ast.Assignment(op="="):
                return self.number(node.rvalue, depth + 1)
            case c_ast.FuncCall():
                return self._call(node, depth)
            case _:
                return NOT_FOLLOWED

    def _is_pointer(self, node: c_ast.Node) -> bool:
        return isinstance(self.type_of(node), PointerTo | ArrayOf)

    def moved(self, node: c_ast.Node) -> SizeExpression | None:
        """A place that holds a pointer and how many elements further it is: `x + n`, `&x[n]`; None for no such."""
        match node:
            case c_ast.BinaryOp(op="+", left=base, right=step) if self._is_pointer(base):
                pass
            case c_ast.UnaryOp(op="&", expr=c_ast.ArrayRef(name=base, subscript=step)):
                pass
            case _:
                return None
        place = self.place(base)
        return None if place is None else Operation("+", (Read(place), self.number(step)))

    def _unary(self, node: c_ast.UnaryOp, depth: int) -> SizeExpression:
        if node.op == "*":
            place = self.place(node)
            return NOT_FOLLOWED if place is None else Read(place)
        if node.op == "sizeof":
            size = size_bytes(self.types.completed(self.type_of(node.expr)))
            return NOT_FOLLOWED if size is None else Number(size)
        if node.op in {"-", "~", "!"}:
            return _operation(f"unary {node.op}", (self.number(node.expr, depth + 1),))
        return self.number(node.expr, depth + 1) if node.op == "+" else NOT_FOLLOWED

    def _call(self, node: c_ast.FuncCall, depth: int) -> SizeExpression:
        if not isinstance(node.name, c_ast.ID):
            return NOT_FOLLOWED
        name = node.name.name.removeprefix("__builtin_")
        given = node.args.exprs if node.args else []
        is_own = name in self.scope.own_functions
        if name in _NUMBERS_OF_TEXT and not is_own and given:
            return self.of_text(name, given[0])
        if name in _OF_THREADS and not is_own:
            return _OF_THREADS[name]
        if name == "strlen" and given and isinstance(given[0], c_ast.Constant):
            return Number(max(len(given[0].value) - 2, 0))
        plain = name if name in _KNOWN else name[:-1]
        if not is_own and plain in _KNOWN and (name in _KNOWN or math_function(name)):
            return _operation(plain, tuple(self.number(each, depth + 1) for each in given))
        return Called(name, tuple(self.number(each, depth + 1) for each in given))

    def of_text(self, name: str, text: c_ast.Node) -> SizeExpression:
        """The number that a function of the C library finds in a text."""
        while isinstance(text, c_ast.Cast):
            text = text.expr
        if isinstance(text, c_ast.ArrayRef) and isinstance(text.name, c_ast.ID) and text.name.name in self.arguments:
            return CommandLine(self._folder.fold(text.subscript), self.options)
        if isinstance(text, c_ast.ID) and text.name in _ANY_TEXT:
            return CommandLine(None, self.options)
        return Unknown(f"`{name}` reads it from a text")

    def converted(self, value: SizeExpression, ctype: CType) -> SizeExpression:
        """A value as a variable of that type holds it."""
        if isinstance(ctype, Scalar) and ctype.kind == "float":
            return Number(float(value.value)) if isinstance(value, Number) else _operation("float", (value,))
        if isinstance(ctype, Scalar) and ctype.kind == "int" and not _is_whole(value):
            return _operation("trunc", (value,))
        return value


def pointed_place(node: c_ast.Node, reader: SizeReader) -> Place | None:
    """The place that an argument leads to: `&n`, or what a pointer of the function leads to."""
    while isinstance(node, c_ast.Cast):
        node = node.expr
    return reader.place(c_ast.UnaryOp("*", node)) if isinstance(node, c_ast.ID) else reader.addressed(node)


def _operation(name: str, operands: tuple[SizeExpression, ...]) -> SizeExpression:
    unknown = next((one for one in operands if isinstance(one, Unknown)), None)
    return unknown or Operation(name, operands)


def _is_whole(value: SizeExpression) -> bool:
    """Whether a value is an integer for sure."""
    match value:
        case Number():
            return isinstance(value.value, int)
        case Operation(name, operands):
            return name == "trunc" or (name in _OPERATORS and all(map(_is_whole, operands)))
        case _:
            return False
