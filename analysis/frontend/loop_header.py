"""A `for` header in any usual spelling: iterator, start, step, and the conditions that bound it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pycparser import c_ast
from warplens.analysis.frontend.places import UnsupportedError
from warplens.analysis.frontend.values import minimum_or_maximum
from warplens.analysis.ir.expression import Binary, Cast, Expression, ScalarRef
from warplens.analysis.ir.polynomial import Polynomial

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!=", "==": "=="}


@dataclass(frozen=True, slots=True)
class Header:
    """Parts of a header, still as syntax. `declaration` is set when the loop declares its iterator.

    `before` are other initialisations, `after` other steps; `steps_in_condition` marks `i-- > 0`.
    """

    iterator: str
    declaration: c_ast.Decl | None
    start: c_ast.Node | None
    conditions: tuple[c_ast.Node, ...]
    step: int
    before: tuple[c_ast.Node, ...]
    after: tuple[c_ast.Node, ...]
    steps_in_condition: bool = False


@dataclass(frozen=True, slots=True)
class Bounds:
    """Exclusive limits in the direction of the step; `reads` and `reason` tell what was not understood."""

    limits: tuple[Polynomial, ...]
    exact_end: bool
    reads: tuple[Expression, ...]
    reason: str


def read_header(node: c_ast.For, constant: Callable[[c_ast.Node], int | None]) -> Header:
    """Find the iterator and its step; raises UnsupportedError when there is none."""
    initialisers = _initialisers(node.init)
    steps = _parts(node.next)
    conditions = _conjuncts(node.cond)
    steps_in_condition = False
    candidates = [(name, step, index) for index, part in enumerate(steps) for name, step in _step(part, constant)]
    if not candidates:
        candidates, conditions = _step_in_condition(conditions)
        steps_in_condition = bool(candidates)
    if not candidates:
        raise UnsupportedError("a `for` that counts no variable" if steps else "a `for` without a step")
    names = {_initialised(part)[0] for part in initialisers}
    bounded = {n.name for c in conditions for n in (getattr(c, "left", None), getattr(c, "right", None), c)
               if isinstance(n, c_ast.ID)}  # fmt: skip
    candidates.sort(key=lambda c: (c[0] not in names, c[0] not in bounded))
    iterator, step, index = candidates[0]
    if step is None:
        raise UnsupportedError(f"the step of `{iterator}` is not a constant")
    if step == 0:
        raise UnsupportedError(f"the step of `{iterator}` is zero")
    declaration: c_ast.Decl | None = None
    start: c_ast.Node | None = None
    before: list[c_ast.Node] = []
    for part in initialisers:
        name, value = _initialised(part)
        if name == iterator and start is None:
            start = value
            declaration = part if isinstance(part, c_ast.Decl) else None
        else:
            before.append(part)
    after = tuple(part for at, part in enumerate(steps) if steps_in_condition or at != index)
    return Header(iterator, declaration, start, tuple(conditions), step, tuple(before), after, steps_in_condition)


def bounds(
    conditions: tuple[Expression, ...],
    iterator: str,
    step: int,
    polynomial: Callable[[Expression], Polynomial | None],
    offset: int = 0,
) -> Bounds:
    """Limits from lowered conditions; `offset` is what the condition sees beyond the iterator (`i-- > 0`)."""
    limits: list[Polynomial] = []
    reads: list[Expression] = []
    reasons: list[str] = []
    exact_end = False
    for condition in conditions:
        for operator, left, right in _comparisons(condition, iterator):
            distance_left, distance_right = polynomial(left), polynomial(right)
            if distance_left is None or distance_right is None:
                reads.append(left if distance_left is None else right)
                reasons.append("a bound is not a polynomial in iterators and constants")
                continue
            limit = _limit(distance_left - distance_right, operator, iterator, step)
            if limit is None:
                reasons.append("a condition does not bound the iterator")
                continue
            exact_end |= operator == "!=" and abs(step) > 1
            limits.append(limit - offset)
    if not conditions:
        reasons.append("there is no condition")
    return Bounds(tuple(dict.fromkeys(limits)), exact_end, tuple(reads), "; ".join(dict.fromkeys(reasons)))


def _limit(difference: Polynomial, operator: str, iterator: str, step: int) -> Polynomial | None:
    """Exclusive limit from `difference operator 0` solved for the iterator."""
    factor = difference.coefficient(iterator)
    if not factor.is_constant or abs(factor.constant_term) != 1:
        return None
    rest = difference.without((iterator,))
    if factor.constant_term == 1:
        limit = -rest
    else:
        limit, operator = rest, _MIRRORED[operator]
    match operator, step > 0:
        case ("<", True) | (">", False) | ("!=", _):
            return limit
        case ("<=", True):
            return limit + 1
        case (">=", False):
            return limit - 1
        case _:
            return None


def _comparisons(condition: Expression, iterator: str) -> list[tuple[str, Expression, Expression]]:
    """Comparisons that must all hold; `i < min(a, b)` is two of them."""
    while isinstance(condition, Cast):
        condition = condition.operand
    if isinstance(condition, Binary) and condition.operator in {"<", "<=", ">", ">=", "!="}:
        found: list[tuple[str, Expression, Expression]] = []
        operator = condition.operator
        pair = minimum_or_maximum(condition.right)
        if pair and pair[0] == ("min" if operator in {"<", "<="} else "max") and operator != "!=":
            return [(operator, condition.left, side) for side in pair[1:]]
        pair = minimum_or_maximum(condition.left)
        if pair and pair[0] == ("min" if operator in {">", ">="} else "max") and operator != "!=":
            return [(operator, side, condition.right) for side in pair[1:]]
        found.append((operator, condition.left, condition.right))
        return found
    if isinstance(condition, ScalarRef) and condition.name == iterator:
        return [("!=", condition, Binary("-", condition, condition, condition.type))]
    return [("==", condition, condition)]


def _initialisers(init: c_ast.Node | None) -> list[c_ast.Node]:
    if isinstance(init, c_ast.DeclList):
        return list(init.decls)
    return _parts(init)


def _initialised(part: c_ast.Node) -> tuple[str | None, c_ast.Node | None]:
    if isinstance(part, c_ast.Decl):
        return part.name, part.init
    if isinstance(part, c_ast.Assignment) and part.op == "=" and isinstance(part.lvalue, c_ast.ID):
        return part.lvalue.name, part.rvalue
    return None, None


def _parts(node: c_ast.Node | None) -> list[c_ast.Node]:
    if node is None:
        return []
    return list(node.exprs) if isinstance(node, c_ast.ExprList) else [node]


def _conjuncts(node: c_ast.Node | None) -> list[c_ast.Node]:
    found: list[c_ast.Node] = []
    stack = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, c_ast.BinaryOp) and item.op == "&&":
            stack += [item.right, item.left]
        elif item is not None:
            found.append(item)
    return found


def _step(part: c_ast.Node, constant: Callable[[c_ast.Node], int | None]) -> list[tuple[str, int | None]]:
    """`[(variable, step)]` of `i++`, `i += 2`, `i = i + 2`; the step is None when it is not constant."""
    match part:
        case c_ast.UnaryOp(op="++" | "p++", expr=c_ast.ID()):
            return [(part.expr.name, 1)]
        case c_ast.UnaryOp(op="--" | "p--", expr=c_ast.ID()):
            return [(part.expr.name, -1)]
        case c_ast.Assignment(lvalue=c_ast.ID()):
            name = part.lvalue.name
            if part.op in {"+=", "-="}:
                value = constant(part.rvalue)
                return [(name, value if value is None or part.op == "+=" else -value)]
            right = part.rvalue
            if part.op == "=" and isinstance(right, c_ast.BinaryOp) and right.op in {"+", "-"}:
                if isinstance(right.left, c_ast.ID) and right.left.name == name:
                    value = constant(right.right)
                    return [(name, value if value is None or right.op == "+" else -value)]
                if right.op == "+" and isinstance(right.right, c_ast.ID) and right.right.name == name:
                    return [(name, constant(right.left))]
            return [(name, None)]
    return []


def _step_in_condition(conditions: list[c_ast.Node]) -> tuple[list[tuple[str, int | None, int]], list[c_ast.Node]]:
    """`for (i = n; i-- > 0;)`: the body sees the value after the step."""
    if len(conditions) != 1:
        return [], conditions
    condition = conditions[0]
    part = condition.left if isinstance(condition, c_ast.BinaryOp) else condition
    if not isinstance(part, c_ast.UnaryOp) or part.op not in {"p--", "p++"} or not isinstance(part.expr, c_ast.ID):
        return [], conditions
    right = condition.right if isinstance(condition, c_ast.BinaryOp) else c_ast.Constant("int", "0")
    operator = condition.op if isinstance(condition, c_ast.BinaryOp) else "!="
    plain = c_ast.BinaryOp(operator, part.expr, right, condition.coord)
    return [(part.expr.name, -1 if part.op == "p--" else 1, 0)], [plain]
