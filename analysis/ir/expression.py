"""Frozen expression nodes: what a statement computes, without positions.

Reads of scalars are `ScalarRef`, reads of memory are `Load`; side effects inside expressions have been lowered to
statements before, so an expression only reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.single_precision import shortest_text
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.symbol import has_added, kind_of, told, told_address
from warplens.analysis.ir.too_complex import TooLargeError
from warplens.analysis.ir.types import CType, Scalar, is_volatile

UnaryOperator = Literal["-", "~", "!"]
BinaryOperator = Literal[
    "+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||"
]


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal after macros, enums and `sizeof` have been folded."""

    value: int | float
    type: CType


@dataclass(frozen=True, slots=True)
class ScalarRef:
    """A scalar variable; names are unique in the nest (a shadowing `i` becomes `i'2`)."""

    name: str
    type: CType


@dataclass(frozen=True, slots=True)
class Load:
    """A read of memory."""

    access: Access

    @property
    def type(self) -> CType:
        """Type of the element read."""
        return self.access.type


@dataclass(frozen=True, slots=True)
class Unary:
    """One operand."""

    operator: UnaryOperator
    operand: Expression
    type: CType


@dataclass(frozen=True, slots=True)
class Binary:
    """Two operands; `type` is that of the result after the usual arithmetic conversions."""

    operator: BinaryOperator
    left: Expression
    right: Expression
    type: CType


@dataclass(frozen=True, slots=True)
class Conditional:
    """`condition ? then : otherwise`."""

    condition: Expression
    then: Expression
    otherwise: Expression
    type: CType


@dataclass(frozen=True, slots=True)
class Cast:
    """A conversion, written or implied, that costs an instruction or changes the value."""

    operand: Expression
    type: CType


@dataclass(frozen=True, slots=True)
class Handed:
    """Memory whose address a call gets: an object or a variable, and the symbols that say where in it that is."""

    name: str
    symbols: frozenset[str]


@dataclass(frozen=True, slots=True)
class Call:
    """A call that stays one; functions of `math.h` and their builtin spellings are operations (`is_math`).

    `effects` says what else is known to be pure: nothing is written and no state but the arguments, and memory whose
    reads stand beside the call, is read. "assumed" is the same without proof, `note` then says what is assumed; "ends":
    it never comes back and is assumed not to be called, as `note` says.
    "unseen": the code which decides is not in the file, so that somebody may vouch for it; "unknown": nobody can;
    "prints": as "none" (what it may write stands beside the call), but for the order of its output; "leaves": the
    program goes on elsewhere, in the loop or not. Of these four the note says why, and `handed` has the memory that an
    unseen one may write, where its address is known.
    """

    function: str
    arguments: tuple[Expression, ...]
    type: CType
    is_math: bool
    effects: Literal["unknown", "unseen", "none", "assumed", "ends", "prints", "leaves"] = "unknown"
    note: str = ""
    handed: tuple[Handed, ...] = ()


@dataclass(frozen=True, slots=True)
class Unknown:
    """An expression that was not understood; `reads` are the parts that were, `reason` says why.

    `is_pure` marks a number, or an address, that is made of `reads` alone: no more is unknown than which one it is.
    """

    reason: str
    reads: tuple[Expression, ...]
    type: CType
    is_pure: bool = False


Expression = Constant | ScalarRef | Load | Unary | Binary | Conditional | Cast | Call | Unknown


@dataclass(frozen=True, slots=True)
class Access:
    """One reference to memory: `array[subscripts]`, perhaps a member of it.

    `subscripts` are as written, outer dimension first; `indices` are the same as polynomials over iterators and
    parameters, None where a subscript is not polynomial (`idx[i]`, `i % n`). `extents[d]` is the size of dimension d in
    elements, None where unknown (always for the outermost of a pointer). The byte address is
    `base + element_bytes * sum(indices[d] * prod(extents[d+1:])) + member_offset_bytes`, `type` is what is read there.
    `conditions` lists what must hold for these dimensions to be right (set by delinearisation), in C syntax;
    `row_conditions` what must hold for the subscripts to stay in the rows that the type declares, as C demands. `text`
    is how the user wrote it, for messages only; empty for an access from a macro.
    """

    id: NodeId
    array: str
    type: CType
    subscripts: tuple[Expression, ...]
    indices: tuple[Polynomial | None, ...]
    extents: tuple[Polynomial | None, ...]
    element_bytes: int
    member: str = ""
    member_offset_bytes: int = 0
    conditions: tuple[str, ...] = ()
    text: str = ""
    row_conditions: tuple[str, ...] = ()

    @property
    def linear_index(self) -> Polynomial | None:
        """Index in elements from the base, None when a subscript or an inner extent is not known."""
        return row_major(self.indices, self.extents)

    @property
    def written(self) -> str:
        """The access in C syntax, for messages: in the source's words where they are known."""
        return self.text or told(self._as_element(open_calls=True))

    @property
    def element(self) -> str:
        """The element in C syntax, alike for equal subscripts however they were written."""
        return self._as_element()

    def _as_element(self, *, open_calls: bool = False) -> str:
        """With `open_calls` it is not said which element a call touches that is known to touch some."""
        text = self.array
        for subscript, index in zip(self.subscripts, self.indices, strict=True):
            is_open = open_calls and is_somewhere(subscript)
            text += f"[{'…' if is_open else c_text(subscript) if index is None else index}]"
        return text + (f".{self.member}" if self.member else "")


def is_somewhere(subscript: Expression) -> bool:
    """Whether it stands for the places that a call touches."""
    return isinstance(subscript, Call) and not subscript.arguments and subscript.effects == "none"


def row_major(indices: Sequence[Polynomial | None], extents: Sequence[Polynomial | None]) -> Polynomial | None:
    """Index in elements of what lies at `indices` in rows of `extents`, outer first.

    None where a subscript or an inner extent is not known, or the whole is too long to compute with.
    """
    total = Polynomial(())
    try:
        for index, extent in zip(indices, extents, strict=True):
            if index is None or (total.terms and extent is None):
                return None
            total = (total * extent if total.terms and extent is not None else total) + index
    except TooLargeError:
        return None
    return total


def children(expression: Expression) -> tuple[Expression, ...]:
    """Direct operands, in evaluation order; a load's subscripts are its operands."""
    if isinstance(expression, Constant | ScalarRef):
        return ()
    if isinstance(expression, Binary):
        return (expression.left, expression.right)
    if isinstance(expression, Unary | Cast):
        return (expression.operand,)
    if isinstance(expression, Load):
        return expression.access.subscripts
    if isinstance(expression, Conditional):
        return (expression.condition, expression.then, expression.otherwise)
    return expression.arguments if isinstance(expression, Call) else expression.reads


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and all below it, operands first; iterative, so that depth is no limit."""
    if isinstance(expression, Constant | ScalarRef):
        return iter((expression,))
    todo: list[Expression] = [expression]
    found: list[Expression] = []
    while todo:  # backwards: the last operand first, then what is below it
        node = todo.pop()
        found.append(node)
        if not isinstance(node, Constant | ScalarRef):
            todo += children(node)
    return reversed(found)


def loads(expression: Expression) -> Iterator[Access]:
    """Accesses read by the expression, subscripts' own reads first."""
    for node in walk(expression):
        if isinstance(node, Load):
            yield node.access


def reads_volatile(expression: Expression) -> bool:
    """Whether the expression reads a `volatile` object."""
    return any(isinstance(node, ScalarRef | Load) and is_volatile(node.type) for node in walk(expression))


def c_text(expression: Expression, limit: int = 60) -> str:
    """C syntax of a (short) expression for messages; longer than `limit` characters ends in an ellipsis."""
    return _at_most(limit, _c_text(expression, 8))


def number_text(constant: Constant) -> str:
    """A constant without the suffix of its type; a `float` with as few digits as tell it from others."""
    value, ctype = constant.value, constant.type
    if isinstance(value, float) and isinstance(ctype, Scalar) and ctype.size_bytes == 4:
        return shortest_text(value)
    return str(value)


def condition_text(condition: Expression, limit: int = 60) -> str:
    """The same of what stands in the parentheses of `if (...)`."""
    inner = condition
    while isinstance(inner, Cast):
        inner = inner.operand
    text = _c_text(inner, 8)
    return _at_most(limit, text[1:-1] if isinstance(inner, Binary | Conditional) else text)


def _at_most(limit: int, text: str) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _c_text(expression: Expression, depth: int) -> str:
    if depth == 0:
        return "…"
    match expression:
        case Constant():
            return number_text(expression)
        case ScalarRef(name):
            return told(name)
        case Load(access) if access.text:
            return access.text
        case Load(access):
            inner = "".join(f"[{'…' if is_somewhere(s) else _c_text(s, depth - 1)}]" for s in access.subscripts)
            return c_name(access.array) + inner + (f".{access.member}" if access.member else "")
        case Unary(operator, operand):
            return f"{operator}{_c_text(operand, depth - 1)}"
        case Cast(operand):
            return _c_text(operand, depth - 1)
        case Binary(operator, left, right):
            return f"({_c_text(left, depth - 1)} {operator} {_c_text(right, depth - 1)})"
        case Conditional(condition, then, otherwise):
            parts = (_c_text(part, depth - 1) for part in (condition, then, otherwise))
            return "({} ? {} : {})".format(*parts)
        case Call(function) if kind_of(function) == "address":
            return c_name(told_address(function))
        case Call(function, arguments=(operand, *_)) if has_added(function):  # of bytes or lanes
            return _c_text(operand, depth - 1)
        case Call(function, is_math=False, arguments=(_, *_)):  # beside what is written there stands what it may read
            return f"{function}(…)"
        case Call(function, arguments):
            return f"{function}({', '.join(_c_text(a, depth - 1) for a in arguments)})"
        case Unknown(reason):
            return f"/* {reason} */"
