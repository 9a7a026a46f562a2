"""Accesses that together use all bytes between neighbouring threads: the bytes of a pixel, all members of a struct.

Each request alone leaves bytes of its sectors out, the others take those from the cache: no byte is moved for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product

from warplens.analysis.cpu.strides import access_bytes
from warplens.analysis.facts.nest_facts import AccessFacts, Kernel
from warplens.analysis.gpu.placement.walk import thread_loop_trips
from warplens.analysis.ir.polynomial import Polynomial

_MOST_OFFSETS = 256
"""Elements of a window that are looked at: those of larger ones are not all in the cache when they are wanted."""


def fills_window(kernel: Kernel, array: str, stride_bytes: int, window_bytes: int, sizes: Mapping[str, int]) -> bool:
    """Whether the accesses to an array `stride_bytes` apart along x touch every byte of a thread's part of it.

    Only parts of at most `window_bytes`. Units: bytes. `sizes` has the values of what strides are made of.
    """
    stride = abs(stride_bytes)
    if not 0 < stride <= window_bytes:
        return False
    along = kernel.thread_order[0]
    grid = {loop.loop for loop in kernel.grid}
    alike = [
        each
        for each in kernel.accesses
        if each.access.array == array and _value(dict(each.stride_bytes).get(along), sizes) in {stride, -stride}
    ]
    if not alike or (base := _address(alike[0])) is None:
        return False
    used: set[int] = set()
    for each in alike:
        address = _address(each)
        offset = None if address is None else _value(address - base, sizes)
        if offset is None:
            continue
        width = access_bytes(each)
        for place in _places(each, kernel, grid, sizes):
            used.update(byte % stride for byte in range(offset + place, offset + place + width))
    return len(used) == stride


def _address(facts: AccessFacts) -> Polynomial | None:
    linear = facts.access.linear_index
    return None if linear is None else linear * facts.access.element_bytes + facts.access.member_offset_bytes


def _value(polynomial: Polynomial | None, sizes: Mapping[str, int]) -> int | None:
    """Number that a polynomial is at these sizes, None where it moves."""
    found = None if polynomial is None else polynomial.partial(sizes)
    return found.constant_term if found is not None and found.is_constant else None


def _places(facts: AccessFacts, kernel: Kernel, grid: Iterable[object], sizes: Mapping[str, int]) -> Iterable[int]:
    """Where the loops of a thread lead an access, from where it begins."""
    outside = set(grid)
    trips = {loop: round(count) for loop, count in thread_loop_trips(kernel, sizes).items() if loop not in outside}
    steps: list[range] = []
    total = 1
    for loop, stride in facts.stride_bytes:
        step = _value(stride, sizes)
        if loop not in trips or not step:
            continue
        count = trips[loop]
        total *= count
        if total > _MOST_OFFSETS:
            return (0,)
        steps.append(range(0, step * count, step))
    return tuple(sum(at) for at in product(*steps))
