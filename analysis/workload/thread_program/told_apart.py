"""Which arrays of a kernel its compiler can tell apart: what may be kept, moved or in flight over a store.

On the device each array is behind a pointer parameter, one of the file too: nothing but the source's words says that two
of them don't overlap. There are two that have to know it. The compiler that optimises (keeps elements in registers,
moves loads out of loops, shares them) knows `restrict` and C's types. The assembler that orders what is left knows
neither: it moves a load over a store only where that is a load through the read-only path, which the compiler writes for
arrays that nothing in the kernel is stored to, if a `restrict` keeps them apart from what is.

Source: SASS of nvcc 13 for sm_90, of clang 14 with ptxas 13. `for i: c[i*m + j] = 2*a[i*m + j]` has 16 loads in front of
16 stores with one of the two pointers `restrict`, and else a load behind each store, also where `a` is of another type;
so it is of two `restrict` arrays that are both stored to.
Assumes: types tell arrays apart, as clang has it; nvcc 13 does not ask for types.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.nest import ArrayObject
from warplens.analysis.ir.type_aliasing import types_may_alias


@dataclass(frozen=True, slots=True)
class ToldApart:
    """What a compiler knows of the arrays of a kernel, `objects` by name.

    `stored` are those that it stores to, `own` those that a thread has itself: in registers, or in a memory of its own.
    With `are_apart` it takes none for another: a core, or a port that declares every pointer `restrict`. A core's
    elements that are stored in each iteration are loaded in each as well (`is_core`).
    """

    objects: Mapping[str, ArrayObject] = field(default_factory=dict)
    stored: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    are_apart: bool = False
    is_core: bool = False

    def may_meet(self, one: Access, other: Access) -> bool:
        """Whether the compiler has to expect accesses to two arrays at one address; not asked of one array."""
        if self.are_apart or not self.own.isdisjoint((one.array, other.array)):
            return False
        return types_may_alias(one.type, other.type) and not self._has_restrict(one, other)

    def waits(self, load: Access, store: Access) -> bool:
        """Whether the assembler leaves a load behind an earlier store to another array."""
        if not self.own.isdisjoint((load.array, store.array)):
            return False
        return load.array in self.stored or not (self.are_apart or self._has_restrict(load, store))

    def _has_restrict(self, one: Access, other: Access) -> bool:
        """Whether one of them is `restrict`, and the other was not set from it."""
        left, right = self.objects.get(one.array), self.objects.get(other.array)
        if left is None or right is None:
            return False
        is_met = right.name in left.may_point_into or left.name in right.may_point_into
        return (left.restrict or right.restrict) and not is_met


ON_A_CORE = ToldApart(are_apart=True, is_core=True)
