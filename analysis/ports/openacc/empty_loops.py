"""Loops that one directive makes one of, and that may have fewer iterations than none: `i = 1; i < n - 1` where n is 0.

gcc 12 takes the product of their numbers of iterations, which of two negative ones is positive (OpenACC 3.1, 2.9.1 and
2.9.8 ask for no iteration then). An `if` clause is no help: the host runs the same code.
"""

from __future__ import annotations

from collections.abc import Sequence

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, LoopNest, Statement, loops_of
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ports.directives.c_sizes import NotInScopeError, SizeText
from warplens.analysis.ports.sections.size_order import guarded_sizes, is_at_least, strongest


def guard_of_empty(nest: LoopNest, joined: Sequence[NodeId]) -> str | None:
    """C condition under which none of the joined loops is empty, where two may have less than no iteration.

    Empty where at most one may, given that sizes are not negative; None where it can't be said above the loops, where
    the iterators of the host's loops around them have values.
    """
    loops = [loop for loop in loops_of(nest) if loop.id in joined]
    least = dict.fromkeys(nest.parameters, 0) | guarded_sizes(nest)
    distances = [distance for loop in loops for distance in _distances(loop)]
    risky = [distance for distance in distances if not is_at_least(distance, 0, least)]
    if len(risky) < 2:
        return ""
    sizes = SizeText(nest, _iterators_around(nest.root, joined[0]) or ())
    try:
        return " && ".join(dict.fromkeys(sizes.condition(each) for each in strongest(one - 1 for one in risky)))
    except NotInScopeError:
        return None


def _distances(loop: Loop) -> list[Polynomial]:
    """How far each limit lies from the start, in the direction of the step."""
    if loop.start is None:
        return []
    return [limit - loop.start if loop.step > 0 else loop.start - limit for limit in loop.limits]


def _iterators_around(statement: Statement, loop: NodeId) -> tuple[str, ...] | None:
    """Iterators of the loops around a loop, the outermost first; None if it does not stand in the statement."""
    if not isinstance(statement, Loop) or statement.id == loop:
        return () if statement.id == loop else None
    inner = (_iterators_around(one, loop) for one in statement.body)
    found = next((each for each in inner if each is not None), None)
    return None if found is None else (statement.iterator, *found)
