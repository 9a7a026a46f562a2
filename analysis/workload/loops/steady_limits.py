"""Limits of loops that are no formula and stay the same while a nest runs: sizes, called as the source spells them."""

from __future__ import annotations

from warplens.analysis.frontend.values.values import as_c, source_text
from warplens.analysis.ir.expression import (
    Access,
    Call,
    Constant,
    Expression,
    Load,
    ScalarRef,
    Unknown,
    children,
    reads_volatile,
)
from warplens.analysis.ir.nest import Assign, Loop, LoopNest, walk_statements
from warplens.analysis.ir.size_name import size_name
from warplens.analysis.ir.symbol import numbered

_DEEPEST = 20
_KEPT_BY = frozenset({"none", "assumed", "unseen"})
"""Effects of calls that give the same for the same arguments and memory, or may."""


class SteadyLimits:
    """Values that no statement of a nest changes: none sets what leads to them, or stores where they are.

    Assumes: calls leave them alone; who uses one says so.
    """

    def __init__(self, nest: LoopNest) -> None:
        self._set: set[str] = set()
        self._stored: dict[str, set[str]] = {}
        for statement in walk_statements((nest.root,)):
            if isinstance(statement, Loop):
                self._set.add(statement.iterator)
            elif isinstance(statement, Assign) and isinstance(statement.target, ScalarRef):
                self._set.add(statement.target.name)
            elif isinstance(statement, Assign) and isinstance(statement.target, Access):
                self._stored.setdefault(statement.target.array, set()).add(statement.target.member)
        self._moving = {array.name for array in nest.arrays if array.chosen_in is not None}
        self._names = {symbol.text: symbol.name for symbol in nest.derived}
        self._taken = {*nest.parameters, *self._names.values()}

    def name(self, expression: Expression, loop: Loop) -> str:
        """What the size is called that a load or a call in the header of `loop` gives; empty where it may change."""
        if isinstance(expression, Load):
            meant, said = source_text(expression.access), expression.access.text or as_c(expression.access)
        elif isinstance(expression, Call):
            said = dict(loop.said_calls).get(expression.function, "")
            meant = said
        else:
            return ""
        if not size_name(said) or reads_volatile(expression) or not self._stays(expression, 0):
            return ""
        if meant not in self._names:
            self._names[meant] = numbered(size_name(said), self._taken)
            self._taken.add(self._names[meant])
        return self._names[meant]

    def _stays(self, expression: Expression, depth: int) -> bool:
        match expression:
            case _ if depth > _DEEPEST:
                return False
            case Constant():
                return True
            case ScalarRef(name):
                return name not in self._set
            case Load(access) if self._may_change(access):
                return False
            case Call() if not expression.is_math and expression.effects not in _KEPT_BY:
                return False
            case Unknown(is_pure=False):
                return False
        return all(self._stays(part, depth + 1) for part in children(expression))

    def _may_change(self, access: Access) -> bool:
        if access.array in self._moving:
            return True
        members = self._stored.get(access.array, ())
        return any(not one or not access.member or _meet(one, access.member) for one in members)


def _meet(one: str, other: str) -> bool:
    """Whether one of two members is in the other, or they are one."""
    return f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}.")
