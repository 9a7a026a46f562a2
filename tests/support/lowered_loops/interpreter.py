"""Runs a lowered nest: what its IR says, statement by statement, to hold it against the C text that gcc compiled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from support.c_nests.parsed import only_nest
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
from warplens.analysis.ir.nest import Assign, Exit, If, Loop, LoopNest, Statement

LENGTH, MIDDLE = 4096, 1024
"""Elements of the arrays `a` and `b`, and where the function's pointers point."""


class NotRunError(Exception):
    """Something that only the C text says: the limits of a loop that is not counted, an address."""


@dataclass
class Machine:
    """State of the interpreter: scalars by the nest's names, memory by the arrays'."""

    scalars: dict[str, int]
    memory: dict[str, list[int]]


class LeaveError(Exception):
    """A `break`, by the loop that it ends."""


def value(expression: Expression, machine: Machine) -> int:
    match expression:
        case Constant(number):
            return int(number)
        case ScalarRef(name):
            if name not in machine.scalars:
                raise NotRunError(name)
            return machine.scalars[name]
        case Load(access):
            at = index(access, machine)
            return machine.memory[access.array][at]
        case Cast(operand):
            return value(operand, machine)
        case Unary(operator, operand):
            inner = value(operand, machine)
            return {"-": -inner, "!": int(not inner), "~": ~inner}[operator]
        case Conditional(condition, then, otherwise):
            return value(then if value(condition, machine) else otherwise, machine)
        case Binary(operator, left, right):
            return applied(operator, value(left, machine), value(right, machine))
        case _:
            raise NotRunError(expression)


def applied(operator: str, a: int, b: int) -> int:
    match operator:
        case "/" | "%":
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            return quotient if operator == "/" else a - quotient * b
        case "&&" | "||":
            return int(bool(a) and bool(b)) if operator == "&&" else int(bool(a) or bool(b))
        case _:
            operations = {
                "+": a + b, "-": a - b, "*": a * b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b,
                "==": a == b, "!=": a != b, "&": a & b, "|": a | b, "^": a ^ b,
            }  # fmt: skip
            if operator in {"<<", ">>"}:
                return a << b if operator == "<<" else a >> b
            return int(operations[operator])


def index(access: Access, machine: Machine) -> int:
    """By the polynomial where there is one, by the written subscript elsewhere: both must be right."""
    if access.array not in machine.memory:
        raise NotRunError(access.array)
    (subscript,), (polynomial,) = access.subscripts, access.indices
    if polynomial is None:
        return MIDDLE + value(subscript, machine)
    return MIDDLE + polynomial.evaluate(machine.scalars)


def run(body: tuple[Statement, ...], machine: Machine) -> None:
    for statement in body:
        match statement:
            case Assign(_, target, operator, expression):
                result = value(expression, machine)
                where = index(target, machine) if isinstance(target, Access) else 0
                if operator:
                    old = machine.memory[target.array][where] if isinstance(target, Access) else value(target, machine)
                    result = applied(operator, old, result)
                if isinstance(target, Access):
                    machine.memory[target.array][where] = result
                else:
                    machine.scalars[target.name] = result
            case If(_, condition, then, otherwise):
                run(then if value(condition, machine) else otherwise, machine)
            case Exit(_, "break", leaves):
                raise LeaveError(leaves)
            case Loop():
                run_loop(statement, machine)
            case _:
                raise NotRunError(statement)


def run_loop(loop: Loop, machine: Machine) -> None:
    """As its start, limits and step say."""
    if loop.start is None or not loop.limits or loop.bound_reads:
        raise NotRunError(loop.bound_reason)
    at = loop.start.evaluate(machine.scalars)
    limits = [limit.evaluate(machine.scalars) for limit in loop.limits]
    sign = 1 if loop.step > 0 else -1
    while all(at * sign < limit * sign for limit in limits):
        machine.scalars[loop.iterator] = at
        try:
            run(loop.body, machine)
        except LeaveError as left:
            if left.args[0] != loop.id:
                raise
            break
        at += loop.step


def interpreted(nest: LoopNest, sizes: Mapping[str, int]) -> list[int]:
    """Memory after the nest; raises NotRunError."""
    memory = {"a": initial(1), "b": initial(2)}
    machine = Machine(dict(sizes), memory)
    for symbol in nest.derived:
        if symbol.formula is None:
            raise NotRunError(symbol.name)
        machine.scalars[symbol.name] = int(symbol.formula.evaluate(machine.scalars))
    run((nest.root,), machine)
    return memory["a"] + memory["b"]


def initial(seed: int) -> list[int]:
    return [(k * 7 + seed * 3) % 11 for k in range(LENGTH)]


def lowered(text: str) -> LoopNest:
    source = f"void f(int n, int m, int s, int *a, int *b) {{ {text} }}"
    return only_nest(source)
