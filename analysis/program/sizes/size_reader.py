"""Expressions of a function's tree as numbers over places."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pycparser import c_ast
from warplens.analysis.c.arithmetic import literal
from warplens.analysis.c.c_types import size_bytes
from warplens.analysis.c.math_calls import math_function
from warplens.analysis.ir.types import CType, Scalar
from warplens.analysis.program.sizes.place_reader import PlaceReader
from warplens.analysis.program.sizes.places import any_element
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

_ESCAPE = re.compile(r"\\(?:[0-7]{1,3}|x[0-9a-fA-F]+|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)")
_DEEPEST = 24
"""Operators inside of each other in one expression; sizes have few."""
_OPERATORS = frozenset(
    ("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", ">", "<=", ">=", "==", "!=", "&&", "||")
)
_NUMBERS_OF_TEXT = frozenset(
    ("atoi", "atol", "atoll", "strtol", "strtoul", "strtoll", "strtoull", "atof", "strtod", "strtof")
)
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
_ANY_TEXT = frozenset(("optarg",))
"""The argument of an option that `getopt` found."""


@dataclass(slots=True)
class SizeReader(PlaceReader):
    """Reads numbers of a function."""

    arguments: frozenset[str] = frozenset()
    """Names that the function has for the program's arguments: `argv`."""
    options: tuple[str, ...] = ()
    """Spellings of the option of the program that what is read stands under."""

    def number(self, node: c_ast.Node | None, depth: int = 0) -> SizeExpression:
        """The value of an expression."""
        if node is None or depth > _DEEPEST:
            return NOT_FOLLOWED
        folded = self.constant(node)
        if folded is not None:
            return Number(folded)
        match node:
            case c_ast.Constant():
                found = literal(node.value) if node.type != "string" else None
                return NOT_FOLLOWED if found is None else Number(found.value)
            case c_ast.ID() | c_ast.StructRef() | c_ast.ArrayRef():
                return self._kept(node)
            case c_ast.Cast():
                return self.converted(self.number(node.expr, depth + 1), self.types.resolve(node.to_type))
            case c_ast.UnaryOp():
                return self._unary(node, depth)
            case c_ast.BinaryOp(op="-") if self.is_pointer(node.left) and self.is_pointer(node.right):
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

    def moved(self, node: c_ast.Node) -> SizeExpression | None:
        """A place that holds a pointer and how many elements further it is: `x + n`, `&x[n]`; None for no such."""
        match node:
            case c_ast.BinaryOp(op="+", left=base, right=step) if self.is_pointer(base):
                pass
            case c_ast.UnaryOp(op="&", expr=c_ast.ArrayRef(name=base, subscript=step)):
                pass
            case _:
                return None
        place = self.place(base)
        return None if place is None else Operation("+", (Read(place), self.number(step)))

    def _kept(self, node: c_ast.Node) -> SizeExpression:
        """What a place holds; of memory behind a pointer not whichever element."""
        place = self.place(node)
        is_any = place is not None and place.kind == "target" and place == any_element(place)
        return NOT_FOLLOWED if place is None or is_any else Read(place)

    def _unary(self, node: c_ast.UnaryOp, depth: int) -> SizeExpression:
        if node.op == "*":
            return self._kept(node)
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
            return Number(_characters(given[0].value))
        plain = name if name in _KNOWN else name[:-1]
        if not is_own and plain in _KNOWN and (name in _KNOWN or math_function(name)):
            return _operation(plain, tuple(self.number(each, depth + 1) for each in given))
        return Called(name, tuple(self.number(each, depth + 1) for each in given))

    def of_text(self, name: str, text: c_ast.Node) -> SizeExpression:
        """The number that a function of the C library finds in a text."""
        while isinstance(text, c_ast.Cast):
            text = text.expr
        if isinstance(text, c_ast.ArrayRef) and isinstance(text.name, c_ast.ID) and text.name.name in self.arguments:
            return CommandLine(self.constant(text.subscript), self.options)
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


def _characters(literal_: str) -> int:
    r"""How many characters a string literal has.

    >>> _characters('"a.dat"'), _characters(r'"a\n\x41"'), _characters('L"ab"')
    (5, 3, 2)
    """
    return len(_ESCAPE.sub("?", literal_[literal_.index('"') + 1 : -1]))


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
