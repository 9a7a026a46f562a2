"""Expressions of the IR as CUDA C++ that computes the same, with the parentheses that it takes and no more.

Conversions between floating and integer types stand in the IR and are written where C++ would not do the same by
itself; those among integers are C's own in both languages. No product is contracted and no sum reordered in the text:
`nvcc -fmad=false` keeps the compiler from contracting them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from warplens.analysis.c.arithmetic import common_type, promoted
from warplens.analysis.ir.expression import (
    Access,
    Binary,
    BinaryOperator,
    Call,
    Cast,
    Conditional,
    Constant,
    Expression,
    Load,
    ScalarRef,
    Unary,
    Unknown,
    c_text,
)
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.symbol import has_added, kind_of
from warplens.analysis.ir.types import INT, CType, PointerTo, Scalar
from warplens.analysis.ports.cuda.constant_text import constant_text
from warplens.analysis.ports.cuda.math_text import CLASSIFICATIONS, COMPARISONS, CONSTANTS, device_function
from warplens.analysis.ports.cuda.plan import PortRefusedError
from warplens.analysis.ports.cuda.types_text import is_boolean, scalar_text

PRIMARY, UNARY, SUM, CONDITIONAL = 16, 14, 12, 3
PRODUCT = 13
PRECEDENCE = {
    "*": 13, "/": 13, "%": 13, "+": 12, "-": 12, "<<": 11, ">>": 11, "<": 10, "<=": 10, ">": 10, ">=": 10,
    "==": 9, "!=": 9, "&": 8, "^": 7, "|": 6, "&&": 5, "||": 4,
}  # fmt: skip
_ARITHMETIC = frozenset({"+", "-", "*", "/", "%"})
_OPPOSITE: dict[BinaryOperator, BinaryOperator] = {
    "<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "==",
}  # fmt: skip
_COMPARING = frozenset(_OPPOSITE)
_UNRELATED = frozenset({"<<", ">>", "&&", "||"})
"""Operators that bring their operands to no common type."""


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of an expression and how strongly it binds."""

    text: str
    precedence: int = PRIMARY

    def within(self, precedence: int) -> str:
        """The piece as an operand of what binds as strongly as this."""
        return self.text if self.precedence >= precedence else f"({self.text})"


@dataclass(frozen=True, slots=True)
class ExpressionText:
    """Prints expressions; `scalar` and `element` say how a variable and an element are called in the text."""

    scalar: Callable[[str], str]
    element: Callable[[Access], Text]

    def text(self, expression: Expression) -> str:
        """The whole expression; raises PortRefusedError for what can't be said on a GPU."""
        return self.piece(expression).text

    def assigned(self, value: Expression, target: CType) -> str:
        """What stands behind `=`: the conversion to the target's type happens by itself."""
        inner = value.operand if isinstance(value, Cast) and _same(value.type, target) else value
        return self.text(_as_unsigned(inner, target))

    def added(self, value: Expression, target: CType) -> str:
        """What stands behind `+=` and its like."""
        if (
            isinstance(value, Cast)
            and _same(value.type, target)
            and _same(common_type(value.operand.type, target), target)
        ):
            return self.text(_beside(value.operand, target))
        return self.text(_beside(value, target))

    def piece(self, expression: Expression) -> Text:
        """The expression with its precedence."""
        if isinstance(expression.type, Scalar):
            scalar_text(expression.type)  # refuses what a GPU has no type for
        match expression:
            case Constant():
                text = constant_text(expression)
                return Text(text, UNARY if text.startswith("-") else PRIMARY)
            case ScalarRef(name, ctype):
                scalar_or_refusal(ctype, name)
                return Text(self.scalar(name))
            case Load(access):
                return self.element(access)
            case Unary(operator, operand):
                inner = self.piece(operand).within(UNARY)
                return Text(f"{operator}({inner})" if inner.startswith(operator) else operator + inner, UNARY)
            case Cast(operand, ctype):
                return self._cast(operand, ctype)
            case Binary():
                return self._binary(expression)
            case Conditional():
                return self._conditional(expression)
            case Call():
                return self._call(expression)
            case Unknown(reason):
                raise PortRefusedError(f"{reason} is not understood")

    def negated(self, condition: Expression) -> str:
        """What holds where the condition doesn't: the opposite comparison of numbers without NaN."""
        if isinstance(condition, Binary) and condition.operator in _OPPOSITE and not _is_floating_comparison(condition):
            return self.text(replace(condition, operator=_OPPOSITE[condition.operator]))
        if isinstance(condition, Unary) and condition.operator == "!":
            return self.text(condition.operand)
        return f"!{self.piece(condition).within(UNARY)}"

    def _cast(self, operand: Expression, ctype: CType) -> Text:
        if isinstance(ctype, PointerTo) or isinstance(operand.type, PointerTo):
            raise PortRefusedError(f"`{c_text(operand)}` is converted from or to a pointer")
        if not isinstance(ctype, Scalar):
            raise PortRefusedError(f"`{c_text(operand)}` is converted to a type that has no counterpart in CUDA C++")
        return Text(f"({scalar_text(ctype)}){self.piece(operand).within(UNARY)}", UNARY)

    def _binary(self, expression: Binary) -> Text:
        operator, own = expression.operator, PRECEDENCE[expression.operator]
        left, right = expression.left, expression.right
        if any(isinstance(side.type, PointerTo) for side in (left, right)):
            raise PortRefusedError(f"`{c_text(expression)}` compares pointers, which differ on the device")
        if operator in _ARITHMETIC or operator in _COMPARING:
            right = _without_implied(right, left.type)
            left = left if right is not expression.right else _without_implied(left, right.type)
        if operator not in _UNRELATED:
            left, right = _beside(left, right.type), _beside(right, left.type)
        one, other = self.piece(left), self.piece(right)
        return Text(
            f"{one.within(_needed(operator, left, own))} {operator} {other.within(_needed(operator, right, own + 1))}",
            own,
        )

    def _conditional(self, expression: Conditional) -> Text:
        then, otherwise = expression.then, expression.otherwise
        if isinstance(expression.type, PointerTo):
            raise PortRefusedError(f"`{c_text(expression)}` chooses between pointers")
        otherwise = _without_implied(otherwise, then.type)
        if otherwise is expression.otherwise:
            then = _without_implied(then, otherwise.type)
        then, otherwise = _beside(then, otherwise.type), _beside(otherwise, then.type)
        condition = self.piece(expression.condition).within(CONDITIONAL + 1)
        sides = self.piece(then).within(CONDITIONAL + 1), self.piece(otherwise).within(CONDITIONAL)
        return Text(f"{condition} ? {sides[0]} : {sides[1]}", CONDITIONAL)

    def _call(self, call: Call) -> Text:
        if not call.is_math:
            raise PortRefusedError(_why_no_call(call))
        name = call.function
        stem = name if name in CONSTANTS else name[:-1]
        if isinstance(call.type, Scalar) and call.type.kind == "float" and call.type.size_bytes > 8:
            raise PortRefusedError(f"`{name}` computes in `long double`, which a GPU does not have")
        if stem in CONSTANTS:
            return Text(CONSTANTS[stem])
        if name in COMPARISONS and len(call.arguments) == 2:
            return self._binary(Binary(COMPARISONS[name], call.arguments[0], call.arguments[1], INT))
        if name in CLASSIFICATIONS and len(call.arguments) == 1:
            return Text(f"{name}({self.text(call.arguments[0])})")
        known = device_function(name)
        if known is None or len(known[1]) != len(call.arguments):
            raise PortRefusedError(f"CUDA's library has no `{name}`")
        pairs = zip(call.arguments, known[1], strict=True)
        return Text(f"{known[0]}({', '.join(self._argument(argument, ctype) for argument, ctype in pairs)})")

    def _argument(self, argument: Expression, ctype: CType) -> str:
        """An argument in the parameter's type: an overload of C++ must not see another one."""
        if _same(argument.type, ctype):
            return self.text(argument)
        if isinstance(argument, Constant) and isinstance(ctype, Scalar) and ctype.kind == "float":
            return constant_text(Constant(float(argument.value), ctype))
        return self._cast(argument, ctype).text


def scalar_or_refusal(ctype: CType, name: str) -> Scalar:
    """The type of a variable that a thread can hold; raises PortRefusedError otherwise."""
    if isinstance(ctype, Scalar):
        scalar_text(ctype)
        return ctype
    what = "points to memory" if isinstance(ctype, PointerTo) else "is no number"
    raise PortRefusedError(f"`{c_name(name)}` {what}, which is not carried to the device as a value")


def _same(one: CType, other: CType) -> bool:
    """Whether two types print alike, qualifiers left aside."""
    if not isinstance(one, Scalar) or not isinstance(other, Scalar):
        return one == other
    return (one.kind, one.size_bytes, one.signed, one.name == "_Bool") == (
        other.kind, other.size_bytes, other.signed, other.name == "_Bool"
    )  # fmt: skip


def _without_implied(operand: Expression, beside: CType) -> Expression:
    """The operand without a conversion that C++ does by itself next to an operand of the type `beside`."""
    if not isinstance(operand, Cast) or not isinstance(operand.operand.type, Scalar) or not isinstance(beside, Scalar):
        return operand
    is_implied = _same(common_type(operand.operand.type, beside), operand.type) and _same(
        promoted(beside), operand.type
    )
    return operand.operand if is_implied else operand


def _beside(operand: Expression, other: CType) -> Expression:
    """An operand next to one of another type."""
    if not isinstance(operand.type, Scalar) or not isinstance(other, Scalar):
        return operand
    return _as_unsigned(operand, common_type(operand.type, other))


def _as_unsigned(value: Expression, becomes: CType) -> Expression:
    """`(unsigned int)-1` for a negative constant that becomes unsigned: compilers warn where it does so by itself."""
    if not isinstance(value, Constant) or not isinstance(value.type, Scalar) or not isinstance(becomes, Scalar):
        return value
    if value.value >= 0 or value.type.kind != "int" or not value.type.signed:
        return value
    is_unsigned = becomes.kind == "int" and not becomes.signed and not is_boolean(becomes)
    return Cast(value, becomes) if is_unsigned else value


def _is_floating_comparison(comparison: Binary) -> bool:
    """Whether both `a < b` and `a >= b` may be false."""
    return any(
        isinstance(side.type, Scalar) and side.type.kind == "float" for side in (comparison.left, comparison.right)
    )


def _needed(operator: str, operand: Expression, own: int) -> int:
    """How strongly an operand must bind: more than C asks for where readers (and gcc) expect parentheses."""
    if not isinstance(operand, Binary) or operand.operator == operator:
        return own
    if operator in {"&", "|", "^", "<<", ">>"}:
        return UNARY
    if operator == "||" and operand.operator == "&&":
        return UNARY
    return UNARY if operator in _COMPARING and operand.operator in _COMPARING else own


def _why_no_call(call: Call) -> str:
    if call.effects == "prints":
        return f"`{call.function}` prints: take it out of these loops"
    if has_added(call.function) or kind_of(call.function) == "address":
        return "the loop reads bytes of a value as another type, lanes of a vector, or an address"
    return f"`{call.function}` is called: its code would have to be compiled for the device"
