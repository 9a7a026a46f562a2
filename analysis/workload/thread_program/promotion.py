"""Which array elements a loop accumulates into: the compiler keeps them in a register until the loop ends."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop
from warplens.analysis.workload.accesses.sites import AccessSite, sites_of
from warplens.analysis.workload.instructions.instruction_mix import size_bytes
from warplens.analysis.workload.thread_program.changed_in_body import Written
from warplens.analysis.workload.thread_program.told_apart import ON_A_CORE, ToldApart

MOST_COMPARED = 256
"""Accesses to one array that are compared with each other: more are more than a thread has registers for."""


@dataclass(frozen=True, slots=True)
class Promotion:
    """An element held in a register through a loop: `access` is loaded before it if read, `store` written after it.

    With `is_stored_each_time` it is written in each iteration, wherever the source does so: loads of the loop may read
    it (nvcc 13: `for i: mean[j] += a[i*m + j]` is LDG, FADD, STG in each iteration, without a load of `mean`).
    """

    access: Access
    store: Access
    statement: NodeId
    is_read: bool
    is_stored_each_time: bool = False


def promotions(
    loop: Loop, written: Written, apart: ToldApart = ON_A_CORE, atomics: Collection[NodeId] = ()
) -> tuple[Promotion, ...]:
    """Elements that the loop writes unconditionally, at an address it does not change, and no other store may change.

    Updates of the statements `atomics` are combined behind the loop, whatever else it reads.
    """
    if written.has_unknown_effects or not written.stores:
        return ()
    moving = written.iterators | written.scalars
    sites = sites_of(loop.body)
    by_array: dict[str, list[AccessSite]] = {}
    for site in sites:
        by_array.setdefault(site.access.array, []).append(site)
    read = tuple({(s.access.array, s.access.type): s.access for s in sites if s.is_read}.values())
    found: list[Promotion] = []
    done: set[object] = set()
    for site in sites:
        others = by_array[site.access.array]
        element = (site.access.array, site.access.member, site.access.indices)
        if not site.is_write or element in done or len(others) > MOST_COMPARED:
            continue
        if any(index is None or not moving.isdisjoint(index.symbols) for index in site.access.indices):
            continue
        done.add(element)
        same = [s for s in others if same_element(s.access, site.access)]
        rest = [s for s in others if not same_element(s.access, site.access) and overlaps(s.access, site.access)]
        is_read = any(s.is_read for s in same)
        if any(s.is_write and s.is_conditional for s in same):
            continue
        is_stored = False
        if site.statement in atomics:
            if rest:
                continue
        else:
            if any(s.is_write for s in rest) or _meets(site.access, written.plain, apart):
                continue
            is_stored = bool(rest) or _meets(site.access, read, apart)
        if is_stored and (apart.is_core or not is_read):
            continue
        found.append(Promotion(_first_read(same), site.access, site.statement, is_read, is_stored))
    return tuple(found)


def _meets(element: Access, others: Iterable[Access], apart: ToldApart) -> bool:
    """Whether one of the accesses to other arrays may be to the element."""
    return any(other.array != element.array and apart.may_meet(other, element) for other in others)


def same_element(a: Access, b: Access) -> bool:
    """Whether two accesses certainly name the same element and member."""
    return a.array == b.array and a.member == b.member and None not in a.indices and a.indices == b.indices


def overlaps(a: Access, b: Access) -> bool:
    """Whether two accesses may meet: same array, no subscript that differs by a constant, no disjoint members."""
    if a.array != b.array:
        return False
    if a.member and b.member:
        first, second = sorted(
            ((a.member_offset_bytes, size_bytes(a.type)), (b.member_offset_bytes, size_bytes(b.type)))
        )
        if first[0] + first[1] <= second[0]:
            return False
    for left, right in zip(a.indices, b.indices, strict=False):
        if left is not None and right is not None and left != right and left.without_constant == right.without_constant:
            return False
    return True


def _first_read(sites: list[AccessSite]) -> Access:
    return next((s.access for s in sites if s.is_read), sites[0].access)
