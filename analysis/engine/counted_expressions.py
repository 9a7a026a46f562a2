"""How often loops run whose bounds may change, as expressions of C for what the program gives: `I->n - 0`.

A bound that is read anew in every iteration decides no trip count; its value in the program is still the likeliest.
"""

from __future__ import annotations

from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.ir.expression import (
    Access,
    Binary,
    Cast,
    Conditional,
    Constant,
    Expression,
    Load,
    ScalarRef,
    Unary,
)
from warplens.analysis.ir.nest import Loop, loops_of
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.symbol import kind_of

_ANY = "[]"
_LONGEST = 200
_OPEN = "__condition"
"""A condition that says nothing: the value is one or the other."""


def counted_expressions(facts: NestFacts) -> dict[str, str]:
    """By the name of a count the expression that it is likely to be, where the loop's bounds are such."""
    loops = {loop.id: loop for loop in loops_of(facts.nest)}
    found: dict[str, str] = {}
    for count in facts.trip_counts:
        names = count.average.parameters
        if count.exact or len(names) != 1:
            continue
        (name,) = names
        text = _count(loops[count.loop]) if kind_of(name) == "phrase" and count.loop in loops else ""
        if text and len(text) <= _LONGEST:
            found[name] = text
    return found


def _count(loop: Loop) -> str:
    if len(loop.limit_reads) + len(loop.limits) != 1:
        return ""
    start = _text(loop.start_read) if loop.start_read is not None else _number(loop.start)
    if loop.limit_reads:
        expression, added = loop.limit_reads[0]
        limit, more = _text(expression), _number(added)
        limit = f"({limit} + {more})" if limit and more else ""
    else:
        limit = _number(loop.limits[0])
    if not start or not limit:
        return ""
    distance = f"({limit} - {start})" if loop.step > 0 else f"({start} - {limit})"
    step = abs(loop.step)
    return distance if step == 1 else f"({distance} + {step - 1}) / {step}"


def _number(value: Polynomial | None) -> str:
    return str(value.constant_term) if value is not None and value.is_constant else ""


def _text(expression: Expression | None) -> str:
    """An expression of variables, members and constants; empty for any other."""
    match expression:
        case Constant(value):
            return str(value) if isinstance(value, int) else ""
        case ScalarRef(name):
            return c_name(name) if c_name(name).isidentifier() else ""
        case Load(access):
            return _place(access)
        case Cast(operand):
            return _text(operand)
        case Unary("-", operand):
            inner = _text(operand)
            return f"(-{inner})" if inner else ""
        case Binary(operator, left, right):
            first, second = _text(left), _text(right)
            return f"({first} {operator} {second})" if first and second else ""
        case Conditional(condition, then, otherwise):
            first, second = _text(then), _text(otherwise)
            return f"({_text(condition) or _OPEN} ? {first} : {second})" if first and second else ""
        case _:
            return ""


def _place(access: Access) -> str:
    subscripts = "".join(
        f"[{one.value}]" if isinstance(one, Constant) and isinstance(one.value, int) else _ANY
        for one in access.subscripts
    )
    member = f".{access.member}" if access.member else ""
    return f"{c_name(access.array)}{subscripts}{member}"
