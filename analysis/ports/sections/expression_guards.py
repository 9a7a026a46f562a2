"""Conditions inside of expressions under which memory is read: `i > 0 ? a[i - 1] : 0`, `i < n && a[i]`."""

from __future__ import annotations

from warplens.analysis.dependence.subscripts.affine_condition import conjuncts
from warplens.analysis.ir.accesses import expressions_of
from warplens.analysis.ir.expression import Binary, Conditional, Expression, Load, children
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import LoopNest, walk_statements

Guard = tuple[Expression, bool]
"""A condition, and whether its opposite is meant."""


def expression_guards(nest: LoopNest) -> dict[NodeId, tuple[Guard, ...]]:
    """For each read that an expression may skip, by its access, the conditions that must hold for it."""
    found: dict[NodeId, tuple[Guard, ...]] = {}
    for statement in walk_statements((nest.root,)):
        todo: list[tuple[Expression, tuple[Guard, ...]]] = [(e, ()) for e in expressions_of(statement)]
        while todo:
            expression, guards = todo.pop()
            match expression:
                case Conditional(condition, then, otherwise):
                    todo += [(condition, guards), (then, (*guards, *conjuncts(condition)))]
                    todo.append((otherwise, (*guards, *conjuncts(condition, negated=True))))
                case Binary("&&" | "||" as operator, left, right):
                    todo += [(left, guards), (right, (*guards, *conjuncts(left, operator == "||")))]
                case _:
                    if isinstance(expression, Load) and guards:
                        found[expression.access.id] = guards
                    todo += [(child, guards) for child in children(expression)]
    return found
