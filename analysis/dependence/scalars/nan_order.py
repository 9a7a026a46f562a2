"""Minima and maxima by comparison: with a NaN among the values, their answer depends on the order of the comparisons.

Source: ISO C17 annex F.9.3 (each comparison with a NaN but `!=` is false); F.10.9.2 (`fmin` and `fmax` leave NaNs out).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from warplens.analysis.facts.verdict import Reduction
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.expression import Binary, Expression, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, If, Loop, walk_statements
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import Scalar

_EXTREMES = frozenset({"min", "max", "argmin", "argmax"})


def nan_assumptions(loop: Loop, reductions: Iterable[Reduction]) -> Iterator[Assumption]:
    """One per extreme that floating-point comparisons find."""
    found = {r.statement: r.variable for r in reductions if r.operator in _EXTREMES}
    for statement in walk_statements(loop.body) if found else ():
        compared: Expression | None = None
        chosen: tuple[NodeId, ...] = ()
        if isinstance(statement, If):
            compared = statement.condition
            chosen = tuple(s.id for s in (*statement.then, *statement.otherwise) if s.id in found)
        elif isinstance(statement, Assign) and statement.id in found:
            compared, chosen = statement.value, (statement.id,)
        if compared is not None and _compares_floats(compared):
            for node in chosen:
                text = (
                    f"`{c_name(found[node])}`: no value is assumed to be NaN (the order of comparisons would matter)."
                )
                yield Assumption("context", found[node], text)


def _compares_floats(expression: Expression) -> bool:
    return any(
        isinstance(node, Binary)
        and node.operator in {"<", "<=", ">", ">="}
        and any(isinstance(side.type, Scalar) and side.type.kind == "float" for side in (node.left, node.right))
        for node in walk(expression)
    )
