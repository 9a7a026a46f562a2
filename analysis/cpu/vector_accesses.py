"""How a vectorised loop gets at its data: whole vectors, groups of elements that lie apart, elements one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log2, prod
from typing import Literal

from warplens.analysis.cpu.strides import Strides, access_bytes
from warplens.analysis.facts.nest_facts import AccessFacts
from warplens.analysis.ir.ids import NodeId

_INSERT = 0.5
"""Permutes that an element of a strided walk takes: gcc puts pairs together as they are loaded."""
LARGEST_GROUP = 8
"""Elements from one iteration's access to the next one's up to which gcc puts strided accesses together."""

Way = Literal["still", "vector", "group", "element"]


@dataclass(frozen=True, slots=True)
class VectorAccess:
    """One access in SIMD code, per iteration of the source's loop.

    `requests` are loads or stores of any width, `shuffles` instructions that bring elements to their lanes.
    """

    way: Way
    requests: float
    shuffles: float


def way_of(access: AccessFacts, loop: NodeId, strides: Strides | None) -> Way:
    """How an access moves along the loop that is vectorised."""
    if strides is None:
        return "element"
    stride, size = strides.get(loop, 0.0), float(access_bytes(access))
    if stride is None:
        return "element"
    if stride == 0.0:
        return "still"
    if abs(stride) == size:
        return "vector"
    is_near = abs(stride) <= LARGEST_GROUP * size and abs(stride) % size == 0
    return "group" if is_near else "element"


def vector_accesses(
    accesses: Sequence[AccessFacts],
    loop: NodeId,
    strides_of: Mapping[NodeId, Strides | None],
    split: Mapping[NodeId, bool],
    vector_bytes: int,
    line_bytes: int,
    copies: Mapping[NodeId, float],
) -> dict[NodeId, VectorAccess]:
    """Requests and shuffles of each access.

    A vector that does not start at its own size crosses into the next line as often as its place decides, which takes a
    second request; `split` says of which accesses that is. A group of accesses to neighbouring elements is loaded as
    whole vectors and taken apart in log2(elements per iteration) steps, each an instruction per vector of it. `copies`
    has the trip counts of loops that are unrolled into this one: lanes then go along their copies, after one step.
    Elements that lie anywhere are loaded one by one and put together.

    Source: gcc's vect_grouped_load_supported and vect_permute_load_chain (tree-vect-data-refs.cc).
    """
    members: dict[tuple[str, float], set[float]] = {}
    for access in accesses:
        strides = strides_of[access.access.id]
        if way_of(access, loop, strides) == "group" and strides is not None:
            members.setdefault((access.access.array, strides[loop] or 0.0), set()).add(_offset(access))
    found: dict[NodeId, VectorAccess] = {}
    for access in accesses:
        strides, size = strides_of[access.access.id], access_bytes(access)
        way = way_of(access, loop, strides)
        if way == "still":
            found[access.access.id] = VectorAccess(way, 0.0, 0.0)
        elif way == "vector":
            crossing = (vector_bytes - size) / line_bytes if split.get(access.access.id) else 0.0
            is_turned = (strides or {}).get(loop, 0.0) == -float(size)
            vectors = size / vector_bytes
            found[access.access.id] = VectorAccess(way, vectors * (1.0 + crossing), vectors * is_turned)
        elif way == "group" and strides is not None:
            stride = abs(strides[loop] or 0.0)
            together = len(members[access.access.array, strides[loop] or 0.0]) * times_side_by_side(strides, copies)
            is_copied = times_side_by_side(strides, copies) > 1
            steps = 1 if is_copied else ceil(log2(stride / size))
            requests = max(stride / together, size) / vector_bytes
            found[access.access.id] = VectorAccess(way, requests, steps * size / vector_bytes)
        else:
            found[access.access.id] = VectorAccess(way, 1.0, 1.0 if strides is None else _INSERT)
    return found


def times_side_by_side(strides: Strides, copies: Mapping[NodeId, float]) -> float:
    """Elements that copies of one access touch in an iteration."""
    return prod(trips for inner, trips in copies.items() if strides.get(inner, 0.0))


def _offset(access: AccessFacts) -> float:
    linear = access.address.linear_index
    constant = float(linear.constant_term) if linear is not None else 0.0
    return constant * access.access.element_bytes + access.access.member_offset_bytes
