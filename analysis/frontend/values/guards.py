"""What conditions before a nest say of its parameters: guards, assertions, early returns.

`if (n < 4) return;` leaves `n - 4 >= 0` for what follows, `assert(m >= n)` leaves `m - n >= 0`. What a branch assigns
counts too: `if (n > 10) n = 10;` and `n = n < 10 ? n : 10;` leave `10 - n >= 0`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pycparser import c_ast
from warplens.analysis.frontend.values.smaller_values import minimum_or_maximum
from warplens.analysis.ir.expression import Binary, Cast, Expression, Unary, c_text
from warplens.analysis.ir.nest import KnownRange
from warplens.analysis.ir.polynomial import Polynomial

Ends = Callable[[str], bool]
"""Whether a call of a function never comes back."""
_ASSUME = frozenset(("__builtin_assume", "__assume"))
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def implied(
    condition: Expression, holds: bool, polynomial: Callable[[Expression], Polynomial | None]
) -> tuple[KnownRange, ...]:
    """Ranges that follow from a condition (or its negation); what is no polynomial, or an alternative, says nothing."""
    found: list[KnownRange] = []
    stack = [(condition, holds)]
    while stack:
        node, true = stack.pop()
        match node:
            case Cast(operand):
                stack.append((operand, true))
            case Unary("!", operand):
                stack.append((operand, not true))
            case Binary("&&" | "||" as operator, left, right):
                if (operator == "&&") == true:
                    stack += [(right, true), (left, true)]
            case Binary("<" | "<=" | ">" | ">=" | "==" | "!=" as operator, left, right):
                values = polynomial(left), polynomial(right)
                if values[0] is not None and values[1] is not None:
                    shown = operator if true else _NEGATED[operator]
                    text = f"{c_text(left)} {shown} {c_text(right)}"
                    found += [KnownRange(v, text) for v in _at_least_zero(shown, values[0] - values[1])]
            case _:
                pass
    return tuple(found)


def made_true(
    ranges: Sequence[KnownRange], assigned: Mapping[str, Polynomial | None], given: Sequence[KnownRange]
) -> tuple[KnownRange, ...]:
    """Of the ranges that hold where a branch is not taken, those that the branch's own assignments make hold too.

    `assigned` is what the branch leaves in the variables that it writes, None where that is not known; `given` holds
    at the branch's end.
    """
    holds = (Polynomial(()), *(known.value for known in given))
    kept = []
    for known in ranges:
        held = {name: assigned[name] for name in known.value.symbols & assigned.keys()}
        values = {name: value for name, value in held.items() if value is not None}
        left = known.value.substitute(values)
        more = [left - least for least in holds]
        if len(values) == len(held) and any(m.is_constant and m.constant_term >= 0 for m in more):
            kept.append(known)
    return tuple(kept)


def equal(name: str, value: Polynomial) -> tuple[KnownRange, ...]:
    """The ranges of a variable whose value is known."""
    symbol = Polynomial.symbol(name)
    return KnownRange(value - symbol, f"{name} <= {value}"), KnownRange(symbol - value, f"{name} >= {value}")


def bounds_of(
    value: Expression, polynomial: Callable[[Expression], Polynomial | None]
) -> tuple[tuple[str, Polynomial, str], ...]:
    """For the smaller or larger of two values: how it compares with each, as operator, polynomial and text."""
    while isinstance(value, Cast):
        value = value.operand
    pair = minimum_or_maximum(value)
    if pair is None:
        return ()
    operator = "<=" if pair[0] == "min" else ">="
    return tuple((operator, bound, c_text(s)) for s in pair[1:] if (bound := polynomial(s)) is not None)


def bounded(name: str, value: Polynomial, bounds: Sequence[tuple[str, Polynomial, str]]) -> tuple[KnownRange, ...]:
    """What holds of a variable that was assigned a value with these bounds, itself in none of them."""
    return tuple(
        KnownRange(known, f"{name} {operator} {text}")
        for operator, bound, text in bounds
        if name not in bound.symbols
        for known in _at_least_zero(operator, value - bound)
    )


def asserted(node: c_ast.Node, ends: Ends) -> tuple[c_ast.Node, ...]:
    """Conditions that hold after a statement: `c ? (void)0 : abort()`, `__builtin_assume(c)`, `assert` as C has it."""
    found: list[c_ast.Node] = []
    stack = [node]
    while stack:
        item = stack.pop()
        match item:
            case c_ast.Cast():
                stack.append(item.expr)
            case c_ast.ExprList():
                stack += item.exprs or []
            case c_ast.Compound():
                stack += item.block_items or []
            case c_ast.FuncCall(name=c_ast.ID(name=name)) if name in _ASSUME and item.args is not None:
                found += item.args.exprs[:1]
            case c_ast.TernaryOp() if never_returns(item.iffalse, ends):
                found.append(item.cond)
            case c_ast.If() if item.iffalse is not None and never_returns(item.iffalse, ends):
                found.append(item.cond)
            case c_ast.BinaryOp(op="||") if never_returns(item.right, ends):
                found.append(item.left)
            case _:
                pass
    return tuple(found)


def never_returns(node: c_ast.Node | None, ends: Ends) -> bool:
    """Whether control does not come out at the end of the statement."""
    match node:
        case c_ast.Return() | c_ast.Goto() | c_ast.Break() | c_ast.Continue():
            return True
        case c_ast.Compound():
            return any(never_returns(item, ends) for item in node.block_items or [])
        case c_ast.ExprList():
            return any(never_returns(item, ends) for item in node.exprs or [])
        case c_ast.If():
            return node.iffalse is not None and never_returns(node.iftrue, ends) and never_returns(node.iffalse, ends)
        case c_ast.Cast():
            return never_returns(node.expr, ends)
        case c_ast.FuncCall():
            return isinstance(node.name, c_ast.ID) and ends(node.name.name)
        case _:
            return False


def _at_least_zero(operator: str, difference: Polynomial) -> tuple[Polynomial, ...]:
    """`difference operator 0` as polynomials that are not negative; `!=` is none."""
    match operator:
        case "<":
            return (-difference - 1,)
        case "<=":
            return (-difference,)
        case ">":
            return (difference - 1,)
        case ">=":
            return (difference,)
        case "==":
            return (difference, -difference)
        case _:
            return ()
