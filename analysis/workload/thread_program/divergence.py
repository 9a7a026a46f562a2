"""Which share of its executions a branch takes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction

from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.expression import Call, Cast, condition_text
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.nest import Assign, Evaluate, Exit, If, Loop, Statement
from warplens.analysis.workload.accesses.computed_condition import ComputedCondition
from warplens.analysis.workload.accesses.known_part import ChangedValues
from warplens.analysis.workload.loops.condition_share import LARGE_PARAMETER, condition_share
from warplens.analysis.workload.loops.counted_share import CountedShare

_LARGEST_DENOMINATOR = 10_000


@dataclass(frozen=True, slots=True)
class ThenShare:
    """Share of the iterations in which a condition holds, for large sizes and at others.

    `assumption` is there where data decides it, or a part of it.
    """

    large: Fraction
    counted: CountedShare | ComputedCondition | None = None
    assumption: Assumption | None = None


def then_share(
    statement: If,
    loops: tuple[Loop, ...],
    derived: Mapping[str, Formula],
    changed: ChangedValues,
    sizes: Collection[str] = (),
    computed: ComputedCondition | None = None,
) -> ThenShare:
    """Share of the iterations in which the condition holds; `sizes` are names that have a value whenever it is asked.

    Conditions on iterators are counted over their ranges, those on sizes hold or don't. A side that leaves the loop is
    not taken (the trip count says so), nor one that ends the program (which the loop's assumptions say). What data
    decides holds half the time, what is `computed` from iterators in another way as often as in some of them.
    """
    if any(map(_leaves, statement.then)):
        return ThenShare(Fraction(0))
    if any(map(_leaves, statement.otherwise)):
        return ThenShare(Fraction(1))
    values, changing = changed.values, changed.inside.keys()
    known = dict.fromkeys(sizes, LARGE_PARAMETER)
    found = condition_share(statement.condition, loops, derived, values, changing, known)
    large = Fraction(1, 2) if found is None else _rounded(found.share)
    counted = CountedShare.of(statement.condition, loops, derived, values, changing, large)
    if found is not None and not found.unknown:
        return ThenShare(large, counted)
    if computed is not None:
        return ThenShare(Fraction(1, 2), computed)
    whole = condition_text(statement.condition)
    if found is not None:
        parts = " and ".join(f"`{condition_text(part)}`" for part in dict.fromkeys(found.unknown))
        text = f"Of `if ({whole})`, {parts} {'are' if len(found.unknown) > 1 else 'is'} assumed to hold half the time."
        return ThenShare(large, counted, Assumption("average", "branch", text, 0.5))
    called = _called_to_change(statement)
    text = f"`if ({whole})` is assumed to hold half the time."
    if called:
        text = f"`{called}` is assumed to change half the time what it may change."
    return ThenShare(large, None, Assumption("average", "branch", text, 0.5))


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
