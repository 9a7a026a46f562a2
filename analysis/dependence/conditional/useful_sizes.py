"""Whether sizes that somebody could promise leave a loop anything to share out: `n == 2` keeps two iterations apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from warplens.analysis.ir.nest import Loop, walk_statements
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.size_relation import SizeRelation

_FEWEST_TRIPS = 8
"""Iterations of a loop below which nobody asks for threads."""


def are_useful(loop: Loop, relations: Iterable[SizeRelation]) -> bool:
    """Whether a loop has many iterations, and those inside of it more than one, for some sizes with these relations."""
    most = _largest(relations)
    if _is_below(loop, most, _FEWEST_TRIPS):
        return False
    inside = (statement for statement in walk_statements(loop.body) if isinstance(statement, Loop))
    return not any(_is_below(one, most, 2) for one in inside)


def _largest(relations: Iterable[SizeRelation]) -> Mapping[str, int]:
    """The largest value of each size that a relation of it alone bounds: of `n == 2`, of `n <= 3`."""
    found: dict[str, int] = {}
    for relation in relations:
        for value in (relation.value, -relation.value) if relation.sign == "==" else (relation.value,):
            names = value.symbols
            name = next(iter(names)) if len(names) == 1 else ""
            slope = value.coefficient(name) if name else Polynomial(())
            if name and relation.sign != "!=" and value.is_affine_in(names) and slope.constant_term < 0:
                found[name] = min(found.get(name, value.constant_term), value.constant_term // -slope.constant_term)
    return found


def _is_below(loop: Loop, most: Mapping[str, int], trips: int) -> bool:
    """Whether a loop has fewer iterations than so many for these largest values, and would have more for others."""
    if loop.start is None or not loop.step:
        return False
    for limit in loop.limits:
        span = (limit - loop.start) * (1 if loop.step > 0 else -1)
        names = span.symbols
        if not names or not names <= most.keys() or not span.is_affine_in(names):
            continue
        if all(span.coefficient(name).constant_term > 0 for name in names):
            largest = span.evaluate({name: most[name] for name in names})
            if -(-largest // abs(loop.step)) < trips:
                return True
    return False
