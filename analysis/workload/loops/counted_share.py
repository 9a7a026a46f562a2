"""The share of a condition at the sizes in force: a border is a small part of a large grid and most of a small one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from warplens.analysis.ir.expression import Expression, ScalarRef, walk
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.nest import Loop
from warplens.analysis.workload.loops.condition_share import Share, condition_share

_REMEMBERED = 4096
"""Shares that are kept: every launch and every model asks at the same sizes."""


@dataclass(frozen=True, slots=True)
class CountedShare:
    """A condition in its loops, outer first; `large` is its share in a large problem.

    `sizes` are the names whose values decide: where one has none, the share is that of a large problem.
    """

    condition: Expression
    loops: tuple[Loop, ...]
    derived: tuple[tuple[str, Formula], ...]
    values: tuple[tuple[str, Expression], ...]
    changing: frozenset[str]
    sizes: frozenset[str]
    large: Fraction

    @staticmethod
    def of(
        condition: Expression,
        loops: Sequence[Loop],
        derived: Mapping[str, Formula],
        values: Mapping[str, Expression],
        changing: Collection[str],
        large: Fraction,
    ) -> CountedShare | None:
        """Return what counts the share anew at other sizes, None where no size has a part in it."""
        names: set[str] = set()
        todo = [condition]
        used: dict[str, Expression] = {}
        while todo:
            for part in walk(todo.pop()):
                if not isinstance(part, ScalarRef) or part.name in names:
                    continue
                names.add(part.name)
                if part.name in values:
                    used[part.name] = values[part.name]
                    todo.append(values[part.name])
        headers = tuple(replace(loop, body=(), pragmas=(), bound_reads=()) for loop in loops)
        bounds = (bound for loop in loops for bound in (loop.start, *loop.limits) if bound is not None)
        names = names.union(*(bound.symbols for bound in bounds)) - {loop.iterator for loop in loops}
        sizes: set[str] = set()
        for name in names - set(changing):
            sizes |= derived[name].parameters if name in derived else {name}
        if not sizes:
            return None
        formulas = tuple((name, derived[name]) for name in sorted(names & derived.keys()))
        kept = frozenset(changing) & (names | {loop.iterator for loop in loops})
        return CountedShare(condition, headers, formulas, tuple(used.items()), kept, frozenset(sizes), large)

    def at(self, sizes: Mapping[str, int]) -> Fraction:
        """Share at these sizes."""
        if not self.sizes <= sizes.keys():
            return self.large
        found = _share(self, tuple((name, sizes[name]) for name in sorted(self.sizes)))
        return self.large if found is None else found.share


@lru_cache(_REMEMBERED)
def _share(rule: CountedShare, sizes: tuple[tuple[str, int], ...]) -> Share | None:
    return condition_share(
        rule.condition, rule.loops, dict(rule.derived), dict(rule.values), rule.changing, dict(sizes)
    )
