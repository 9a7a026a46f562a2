"""Subscripts that hang on iterators and sizes alone, as expressions that give numbers for any iterations.

What polynomials can't hold: quotients and remainders, clamps, choices, numbers that were floating-point ones.
"""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.ir.expression import Expression
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop


@dataclass(frozen=True, slots=True)
class ComputedIndex:
    """`subscripts` as expressions of the iterators of `loops`, of sizes and of `values`.

    `values` are computed in their order, each from those before it. `loops` are around the access, outer first, without
    their bodies. A load in it stands for data of which nothing is known but which element it is.
    """

    subscripts: tuple[Expression, ...]
    values: tuple[tuple[str, Expression], ...]
    loops: tuple[Loop, ...]
    reads_data: bool
    guards: tuple[Expression, ...] = ()
    """Conditions under which the access is made, but for those on data."""


@dataclass(frozen=True, slots=True)
class LanePart:
    """A symbol of a subscript that counts along a loop: `(n % until) * per // every` of its iteration n.

    `until` is 0 where nothing starts it anew.
    """

    symbol: str
    loop: NodeId
    every: int
    until: int = 0
    per: int = 1


@dataclass(frozen=True, slots=True)
class Level:
    """Along a loop an access moves by `stride_bytes` every so many iterations, until it goes on as the next level says.

    `until` is 0 for the last level.
    """

    stride_bytes: int
    every: int
    until: int = 0
