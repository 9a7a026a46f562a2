"""Subscripts whose own arithmetic may wrap: then two iterations name one element where the numbers are two.

Said only where it takes no huge array to happen: an `unsigned int` times a constant of 2^16 or more (or shifted as
far), and a cast from 8 bytes to 4. Sums, and products of two variables, of `unsigned int` would have to pass 2^32
elements; they are in nearly every program that counts with `unsigned`, and there nothing is said. Signed overflow is
undefined in C, so that no program has it.

Source: ISO C17 6.2.5 paragraph 9 (unsigned arithmetic wraps), 6.3.1.3 (conversions to a narrower type).

Quotients, remainders and comparisons of such products have no value at all (unsigned_values.py): there they are hashes.

Not modelled: what a variable holds that the subscript names and a conversion before it has cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from warplens.analysis.ir.accesses import accesses_of
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.expression import (
    Access,
    Binary,
    Cast,
    Constant,
    Expression,
    ScalarRef,
    c_text,
    children,
    walk,
)
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Loop, Statement, walk_statements
from warplens.analysis.ir.types import LEAST_HASH_FACTOR, Scalar

_Ranges = dict[str, tuple[int, int] | None]
"""Least and greatest value of each iterator, None where the source does not say."""


@dataclass(frozen=True, slots=True)
class WrappingSubscript:
    """Arithmetic in a subscript of an array that the loop writes; `is_certain` says that it wraps in the loop."""

    array: str
    text: str
    statement: NodeId
    is_certain: bool


def wrapping_subscripts(root: Loop) -> tuple[WrappingSubscript, ...]:
    """Subscripts in a loop that may wrap, and those that do; `root` is the outermost loop of what is looked at."""
    loops = [root, *(s for s in walk_statements(root.body) if isinstance(s, Loop))]
    ranges: _Ranges = {loop.iterator: _range(loop) for loop in loops}
    statements = tuple(walk_statements((root,)))
    written = {s.target.array for s in statements if isinstance(s, Assign) and isinstance(s.target, Access)}
    values = _scalar_values(statements)
    found = []
    for statement in statements:
        for access in accesses_of(statement):
            for part, ctype, factor, operand in _narrow(access, values) if access.array in written else ():
                if not any(isinstance(node, ScalarRef) and node.name in ranges for node in walk(operand)):
                    continue
                inner = _uncast(operand)
                only = ranges.get(inner.name) if isinstance(inner, ScalarRef) else None
                most = (1 << (8 * ctype.size_bytes - ctype.signed)) - 1
                if only is None or only[0] < 0 or only[1] * factor > most:
                    is_certain = only is not None and only[1] * factor > most
                    found.append(WrappingSubscript(access.array, _text(part), statement.id, is_certain))
    return tuple(dict.fromkeys(found))


def wrapping_assumptions(root: Loop) -> tuple[Assumption, ...]:
    """One assumption per subscript that may wrap and is taken not to."""
    text = "`{}`, a subscript of `{}`, is assumed not to wrap."
    found = [w for w in wrapping_subscripts(root) if not w.is_certain]
    return tuple(
        dict.fromkeys(Assumption("bounds", w.array, text.format(w.text, w.array), origin="inferred") for w in found)
    )


def _scalar_values(statements: Iterable[Statement]) -> dict[str, Expression]:
    """What the loop gives those of its scalars that it sets once."""
    found: dict[str, list[Expression]] = {}
    for statement in statements:
        if isinstance(statement, Assign) and isinstance(statement.target, ScalarRef):
            own, value = statement.target, statement.value
            full = Binary(statement.operator, own, value, own.type) if statement.operator else value
            found.setdefault(own.name, []).append(full)
    return {name: values[0] for name, values in found.items() if len(values) == 1}


def _counted(expression: Expression, values: Mapping[str, Expression]) -> Iterator[Expression]:
    """The parts of which every bit counts: not what is masked, shifted to the right or divided."""
    left = [(expression, values)]
    while left:
        part, known = left.pop()
        if isinstance(part, ScalarRef) and part.name in known:
            left.append((known[part.name], {}))
        yield part
        if not (isinstance(part, Binary) and part.operator in {"&", "|", "^", ">>", "/", "%"}):
            left += [(child, known) for child in reversed(children(part))]


def _narrow(access: Access, values: Mapping[str, Expression]) -> Iterator[tuple[Expression, Scalar, int, Expression]]:
    """Parts of the subscripts that may wrap, with their type, the constant factor and what it multiplies."""
    for part in (node for subscript in access.subscripts for node in _counted(subscript, values)):
        match part:
            case Binary("*", operand, Constant(int(factor)), Scalar(_, "int", 4, False) as ctype):
                pass
            case Binary("*", Constant(int(factor)), operand, Scalar(_, "int", 4, False) as ctype):
                pass
            case Binary("<<", operand, Constant(int(shift)), Scalar(_, "int", 4, False) as ctype) if 0 <= shift < 32:
                factor = 1 << shift
            case Cast(operand, Scalar(_, "int", 4) as ctype) if isinstance(operand.type, Scalar) and (
                operand.type.kind,
                operand.type.size_bytes,
            ) == ("int", 8):
                yield part, ctype, 1, operand
                continue
            case _:
                continue
        if factor >= LEAST_HASH_FACTOR:
            yield part, ctype, factor, operand


def _text(part: Expression) -> str:
    if isinstance(part, Cast) and isinstance(part.type, Scalar):
        return f"({part.type.name}){c_text(part.operand)}"
    text = c_text(part)
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text


def _uncast(expression: Expression) -> Expression:
    while isinstance(expression, Cast):
        expression = expression.operand
    return expression


def _range(loop: Loop) -> tuple[int, int] | None:
    constants = [limit.constant_term for limit in loop.limits if limit.is_constant]
    if loop.start is None or not loop.start.is_constant or not constants or len(constants) < len(loop.limits):
        return None
    start, limit = loop.start.constant_term, min(constants) if loop.step > 0 else max(constants)
    trips = -((start - limit) // loop.step) if loop.step else 0
    last = start + (trips - 1) * loop.step
    return None if trips <= 0 or loop.bound_reads else (min(start, last), max(start, last))
