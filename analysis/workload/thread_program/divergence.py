"""Which share of its executions a branch takes."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.expression import Call, Cast, condition_text
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.nest import Assign, Evaluate, Exit, If, Loop, Statement
from warplens.analysis.workload.accesses.known_part import ChangedValues
from warplens.analysis.workload.loops.condition_share import condition_share

_LARGEST_DENOMINATOR = 10_000


def then_share(
    statement: If, loops: tuple[Loop, ...], derived: Mapping[str, Formula], changed: ChangedValues
) -> tuple[Fraction, Assumption | None]:
    """Share of the iterations in which the condition holds, and the assumption where data decides (a part of) it.

    Conditions on iterators are counted over their ranges for large parameters (all of them 2**20). A side that leaves
    the loop is not taken (the trip count says so), nor one that ends the program (which the loop's assumptions say).
    What data decides holds half the time.
    """
    if any(map(_leaves, statement.then)):
        return Fraction(0), None
    if any(map(_leaves, statement.otherwise)):
        return Fraction(1), None
    found = condition_share(statement.condition, loops, derived, changed.values, changed.inside.keys())
    if found is not None and not found.unknown:
        return _rounded(found.share), None
    whole = condition_text(statement.condition)
    if found is not None:
        parts = " and ".join(f"`{condition_text(part)}`" for part in dict.fromkeys(found.unknown))
        text = f"Of `if ({whole})`, {parts} {'are' if len(found.unknown) > 1 else 'is'} assumed to hold half the time."
        return _rounded(found.share), Assumption("average", "branch", text, 0.5)
    changing = _called_to_change(statement)
    text = f"`if ({whole})` is assumed to hold half the time."
    if changing:
        text = f"`{changing}` is assumed to change half the time what it may change."
    return Fraction(1, 2), Assumption("average", "branch", text, 0.5)


def _leaves(statement: Statement) -> bool:
    called = statement.expression if isinstance(statement, Evaluate) else None
    return isinstance(statement, Exit) or (isinstance(called, Call) and called.effects == "ends")


def _rounded(share: Fraction) -> Fraction:
    """The guard of a boundary of a large problem is 0 or 1."""
    return share.limit_denominator(_LARGEST_DENOMINATOR)


def _called_to_change(statement: If) -> str:
    """The function whose call stands for a condition of the source's: what it may set gets a value that it gives."""
    condition = statement.condition
    if not isinstance(condition, Call) or condition.is_math:
        return ""
    for inner in statement.then:
        value = inner.value if isinstance(inner, Assign) else None
        while isinstance(value, Cast):
            value = value.operand
        if not isinstance(value, Call) or value.function != condition.function or value.arguments:
            return ""
    return condition.function
