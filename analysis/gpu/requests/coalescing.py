"""The address of a warp's request instantiated over its threads (Resios ch. 6), and what moves it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, log1p

import numpy as np
from warplens.analysis.facts.nest_facts import AccessFacts
from warplens.analysis.gpu.launch.numbers import Number, smaller
from warplens.analysis.gpu.placement.warp_lanes import Lanes, wrapped
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.polynomial import Polynomial

_LANES = 32
_MANY_GRANULES = 4096
"""Of an array that large a warp hardly ever picks the same granule twice."""


def lane_addresses(access: Access, values: Mapping[str, Lanes], sizes: Mapping[str, int]) -> Lanes | None:
    """Byte address, from the array's base, that each lane touches; None where a subscript is not polynomial.

    Units: bytes. Symbols that are neither lanes' iterators nor in `sizes` (counters of sequential loops) stand at 0;
    where they move the alignment, `warp_requests` averages over it.
    """
    linear = access.linear_index
    if linear is None:
        return None
    shape = next(iter(values.values())).shape if values else (1, 1)
    return evaluate_lanes(linear, values, sizes, shape) * access.element_bytes + access.member_offset_bytes


def evaluate_lanes(
    polynomial: Polynomial, values: Mapping[str, Lanes], sizes: Mapping[str, int], shape: tuple[int, ...]
) -> Lanes:
    """Value of a polynomial for each lane, modulo 2^64."""
    total: Lanes = np.zeros(shape, dtype=np.int64)
    still = {name: sizes.get(name, 0) for name in polynomial.symbols if name not in values}
    for monomial, coefficient in polynomial.partial(still).terms:
        lanes: Lanes | None = None
        for name in monomial:
            lanes = values[name] if lanes is None else lanes * values[name]
        total = total + (wrapped(coefficient) if lanes is None else wrapped(coefficient) * lanes)
    return total


def scattered_addresses(lanes: Lanes, strides: Sequence[int | None], line_bytes: int) -> Lanes:
    """Addresses of lanes that lie a known stride apart along some axes and in unrelated lines along the others.

    Shape: `lanes` (3, warps, lanes) as x, y, z; `strides` in bytes per axis, None where data decides (Resios ch. 6: an
    unknown stride is one transaction per thread).
    """
    total: Lanes = np.zeros(lanes.shape[1:], dtype=np.int64)
    for axis, stride in enumerate(strides):
        # Odd multiples of a line, far apart: no sum of coordinates up to 1024 and strides in use meets another.
        far = line_bytes * (2 ** (18 + 12 * axis) + 1)
        total = total + lanes[axis] * (far if stride is None else wrapped(stride))
    return total


def distinct_granules(picked: Number, array_bytes: float, granule_bytes: int) -> Number:
    """Distinct granules among so many that data picks in an array, each one as likely as any other: few in a table.

    Equation: n (1 - (1 - 1/n)^picked) of n granules, the expected number.

    >>> round(float(distinct_granules(32.0, 256.0, 32)), 2), distinct_granules(32.0, 20.0, 32)
    (7.89, 1.0)
    """
    if array_bytes > _MANY_GRANULES * granule_bytes:
        return picked
    granules = -(-array_bytes // granule_bytes)
    if granules <= 1:
        return smaller(picked, 1.0)
    distinct: Number = -granules * np.expm1(picked * log1p(-1.0 / granules))
    return smaller(picked, distinct)


@dataclass(frozen=True, slots=True)
class Move:
    """Something that shifts a warp's addresses: a loop, the blocks along an axis, the warps of a block.

    It takes `count` steps of `step_bytes`; None is a step that is not known.
    """

    step_bytes: int | None
    count: float


def level_moves(facts: AccessFacts, x: NodeId) -> tuple[Move, ...]:
    """What shifts a warp along loops with more than one stride: along x it goes on by 32 iterations.

    Assumes: a row of threads is whole warps.
    """
    moves: list[Move] = []
    for loop, levels in facts.levels:
        for level in levels:
            lanes = _LANES if loop == x else 1
            times = (level.until or inf) / max(lanes, level.every)
            if lanes % level.every == 0 and (not level.until or level.until % lanes == 0):
                moves.append(Move(level.stride_bytes * (lanes // level.every), times))
            elif level.every % lanes == 0:
                moves.append(Move(level.stride_bytes, times))
            elif not level.until or lanes % level.until:
                moves.append(Move(None, inf))
    return tuple(moves)
