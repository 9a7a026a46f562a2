"""How far each access of a nest moves along the loops around it, at one problem size."""

from __future__ import annotations

from collections.abc import Mapping

from warplens.analysis.cpu.loop_tree import CoreLoop, evaluated
from warplens.analysis.facts.nest_facts import AccessFacts, NestFacts
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, loops_of
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import Scalar

Strides = dict[NodeId, float | None]
"""Bytes by loop that moves an access, outer loops first; None where an iteration leads to another part of the array."""

_Shifts = Mapping[NodeId, Mapping[NodeId, float]]


def strides_by_access(
    facts: NestFacts, loops: Mapping[NodeId | None, CoreLoop], symbols: Mapping[str, int]
) -> dict[NodeId, Strides | None]:
    """Strides of each access; None for a gather: nobody knows where the innermost loop that moves it leads it next.

    A loop over tiles moves what the loops in a tile walk through, from tile to tile. Where the ranges of an inner loop
    overlap (a triangle) it is the inner iterator alone that says where the access is.
    """
    shifts = _shifts(facts, loops, symbols)
    return {access.access.id: _strides(access, shifts, symbols) for access in facts.sequential_accesses}


def access_bytes(access: AccessFacts) -> int:
    """Bytes that one execution reads or writes."""
    kind = access.access.type
    return kind.size_bytes if isinstance(kind, Scalar) else access.access.element_bytes


def symbols_of(facts: NestFacts, sizes: Mapping[str, int]) -> dict[str, int]:
    """Values of the parameters and of the symbols derived from them."""
    symbols = dict(sizes)
    for symbol in facts.nest.derived:
        if symbol.formula is not None and symbol.formula.parameters <= symbols.keys():
            symbols.setdefault(symbol.name, int(evaluated(symbol.formula, symbols)))
    return symbols


def _shifts(facts: NestFacts, loops: Mapping[NodeId | None, CoreLoop], symbols: Mapping[str, int]) -> _Shifts:
    """By inner loop: the outer loops that move its start beyond its range, and by how many of its iterations."""
    by_id = {loop.id: loop for loop in loops_of(facts.nest)}
    shifts: dict[NodeId, dict[NodeId, float]] = {}
    for path in {access.loops for access in facts.sequential_accesses}:
        around: dict[str, Loop] = {}
        for loop in (by_id[one] for one in path if one in loops):
            trips = loops[loop.id].trips
            start = loop.start or Polynomial(())
            for name in around.keys() & start.symbols:
                slope = _value(start.coefficient(name), symbols) or 0.0
                iterations = slope * around[name].step / (loop.step or 1)
                if abs(iterations) >= trips > 0.0:
                    shifts.setdefault(loop.id, {})[around[name].id] = iterations
            around[loop.iterator] = loop
    return shifts


def _strides(access: AccessFacts, shifts: _Shifts, symbols: Mapping[str, int]) -> Strides | None:
    moved = {loop: _value(polynomial, symbols) for loop, polynomial in access.stride_bytes}
    for inner in reversed(access.loops):
        for outer, iterations in shifts.get(inner, {}).items():
            along, own = moved.get(inner, 0.0), moved.get(outer, 0.0)
            moved[outer] = None if along is None or own is None else own + along * iterations
    strides: Strides = {loop: moved[loop] for loop in access.loops if moved.get(loop, 0.0) != 0.0}
    innermost = next(reversed(strides), None)
    return None if innermost is not None and strides[innermost] is None else strides


def _value(polynomial: Polynomial | None, symbols: Mapping[str, int]) -> float | None:
    if polynomial is None or not polynomial.symbols <= symbols.keys():
        return None
    return float(polynomial.evaluate(symbols))
