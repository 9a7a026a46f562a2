"""What a loop that carries a dependence computes, where it has a name and with it a parallel form.

Source: Blelloch, Prefix sums and their applications, CMU-CS-90-190, 1990 (scans, first-order recurrences); Lamport, The
parallel execution of DO loops, CACM 17(2), 1974 (the hyperplane method behind wavefronts).
"""

from __future__ import annotations

from collections.abc import Iterable

from warplens.analysis.dependence.integer_sets.isl_conflict import Conflict
from warplens.analysis.dependence.scalars.reduction import Accumulation
from warplens.analysis.dependence.subscripts.affine_condition import without_casts
from warplens.analysis.ir.expression import Access, Binary, Expression, Load, ScalarRef, Unary, walk
from warplens.analysis.ir.nest import Assign, Loop, walk_statements
from warplens.analysis.ir.polynomial import Polynomial

_NAMES = {"+": "sum", "*": "product", "min": "minimum", "max": "maximum"}
WAVEFRONT = "wavefront: parallel along the diagonals of the two loops after skewing"


def recurrence_pattern(loop: Loop, variable: str, folds: tuple[Accumulation, ...]) -> str:
    """Name of the recurrence over `variable`, the only one that the loop carries; empty where it has none."""
    writes = [s for s in walk_statements(loop.body) if isinstance(s, Assign) and _target(s) == variable]
    mine = [fold for fold in folds if fold.variable == variable and not fold.partners]
    if writes and {s.id for s in writes} == {f.statement for f in mine} and len({f.operator for f in mine}) == 1:
        if all(isinstance(s.target, ScalarRef) for s in writes):
            return _scan(_NAMES.get(mine[0].operator, mine[0].operator))
        if writes[0].operator != "+":
            return ""
    if len(writes) != 1 or writes[0] not in loop.body:
        return ""
    return _linear(writes[0], loop)


def chunk_pattern(conflicts: Iterable[Conflict], level: int) -> str:
    """How many iterations may run together where every dependence is longer than one; empty where one isn't."""
    distances = [conflict.distances[level] for conflict in conflicts]
    known = [distance for distance in distances if distance is not None]
    shortest = min(known, default=1)
    if shortest < 2 or len(known) != len(distances):
        return ""
    return f"distance {shortest}: chunks of {shortest} iterations are parallel"


def _scan(what: str) -> str:
    return f"prefix {what} (scan): parallel algorithms exist"


def _target(statement: Assign) -> str:
    return statement.target.name if isinstance(statement.target, ScalarRef) else statement.target.array


def _linear(statement: Assign, loop: Loop) -> str:
    """`x = a*x + b` over earlier elements of one array, or over the scalar itself."""
    orders: list[int] = []
    is_sum = True
    target = statement.target
    if statement.operator not in {"", "+", "-"}:
        return ""
    for term, is_negative in _terms(statement.value):
        own = [node for node in walk(term) if _order(node, target, loop) is not None]
        others = any(
            (isinstance(node, ScalarRef) and node.name == _target(statement))
            or (isinstance(node, Load) and node.access.array == _target(statement))
            for node in walk(term)
            if node not in own
        )
        if others or len(own) > 1:
            return ""
        if own:
            coefficient = _is_factor(term, own[0])
            if coefficient is None:
                return ""
            orders.append(_order(own[0], target, loop) or 1)
            is_sum = is_sum and not coefficient and not is_negative
    if not orders or (statement.operator and isinstance(target, ScalarRef)):
        return ""
    if statement.operator == "" and is_sum and orders == [1]:
        return _scan("sum")
    if statement.operator == "+" and is_sum and orders == [1] and isinstance(target, Access):
        return _scan("sum")
    if max(orders) == 1:
        return "first-order linear recurrence: a scan of affine maps, parallel algorithms exist"
    return f"linear recurrence of order {max(orders)}: a scan of matrices, parallel algorithms exist"


def _terms(value: Expression) -> list[tuple[Expression, bool]]:
    """Summands, each with whether it is subtracted."""
    found: list[tuple[Expression, bool]] = []
    stack = [(value, False)]
    while stack:
        node, is_negative = stack.pop()
        node = without_casts(node)
        if isinstance(node, Binary) and node.operator in {"+", "-"}:
            stack += [(node.right, is_negative != (node.operator == "-")), (node.left, is_negative)]
        else:
            found.append((node, is_negative))
    return found


def _is_factor(term: Expression, own: Expression) -> bool | None:
    """Whether the element has a coefficient; None where the term is not linear in it."""
    term = without_casts(term)
    if term == own:
        return False
    while term != own:
        if isinstance(term, Unary) and term.operator == "-":
            term = without_casts(term.operand)
        elif isinstance(term, Binary) and term.operator == "*":
            inside = [side for side in (term.left, term.right) if any(node == own for node in walk(side))]
            if len(inside) != 1:
                return None
            term = without_casts(inside[0])
        elif isinstance(term, Binary) and term.operator == "/" and any(node == own for node in walk(term.left)):
            term = without_casts(term.left)
        else:
            return None
    return True


def _order(node: Expression, target: ScalarRef | Access, loop: Loop) -> int | None:
    """How many iterations ago the value was set, None where it is not one that the target had."""
    if isinstance(target, ScalarRef):
        return 1 if isinstance(node, ScalarRef) and node.name == target.name else None
    if not isinstance(node, Load) or node.access.array != target.array or node.access.member != target.member:
        return None
    for back in range(1, 9):
        moved = {loop.iterator: Polynomial.symbol(loop.iterator) - back * loop.step}
        pairs = zip(target.indices, node.access.indices, strict=False)
        if all(p is not None and q is not None and p.substitute(moved) == q for p, q in pairs):
            return back
    return None
