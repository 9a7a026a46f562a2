"""The address of a warp's request instantiated over its threads (Resios ch. 6), and what moves it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from warplens.analysis.gpu.placement.warp_lanes import Lanes, wrapped
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.polynomial import Polynomial


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


@dataclass(frozen=True, slots=True)
class Move:
    """Something that shifts a warp's addresses: a loop, the blocks along an axis, the warps of a block.

    It takes `count` steps of `step_bytes`; None is a step that is not known.
    """

    step_bytes: int | None
    count: float
