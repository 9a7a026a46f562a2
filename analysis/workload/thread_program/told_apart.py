"""Which arrays of a kernel its compiler can tell apart: what may be kept, moved or in flight over a store.

On the device each array is behind a pointer parameter, one of the file too: nothing but what the source says tells two
of them apart. There are two that have to know it. The compiler that optimises (keeps elements in registers, moves loads
out of loops, shares them) knows `restrict` and C's types. The assembler that orders what is left knows neither: it
moves a load over a store to another array only if it goes through the read-only path. The compiler writes such loads
for arrays that the kernel does not store to, if a `restrict` keeps them apart from those that it does.

Source: SASS of nvcc 13 for sm_90, of clang 14 with ptxas 13. `for i: c[i*m + j] = 2*a[i*m + j]` has 16 loads in front
of 16 stores with one of the two pointers `restrict`, and else a load behind each store, also where `a` is of another
type; so it is of two `restrict` arrays that are both stored to.
Assumes: types tell arrays apart, as clang has it; nvcc 13 does not ask for types.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
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
        return types_may_alias(one.type, other.type) and not self._has_restrict(one.array, other.array)

    def waits(self, load: Access, store: Access) -> bool:
        """Whether the assembler leaves a load behind an earlier store to another array."""
        if not self.own.isdisjoint((load.array, store.array)):
            return False
        return load.array in self.stored or not (self.are_apart or self._has_restrict(load.array, store.array))

    def is_open(self, arrays: Collection[str]) -> bool:
        """Whether there are two of the arrays, one of them stored to, of which nothing is known."""
        if self.are_apart:
            return False
        pairs = ((one, other) for one in self.stored - self.own for other in arrays if other not in self.own)
        return any(one != other and not self._has_restrict(one, other) for one, other in pairs)

    def _has_restrict(self, one: str, other: str) -> bool:
        """Whether one of them is `restrict`, and the other was not set from it."""
        left, right = self.objects.get(one), self.objects.get(other)
        if left is None or right is None:
            return False
        is_met = right.name in left.may_point_into or left.name in right.may_point_into
        return (left.restrict or right.restrict) and not is_met


ON_A_CORE = ToldApart(are_apart=True, is_core=True)
