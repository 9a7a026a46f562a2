"""How many lines of a strided walk a set-associative cache can hold at once."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, gcd

from warplens.analysis.cpu.cpu import CacheLevel
from warplens.analysis.cpu.footprint import Footprint


@dataclass(frozen=True, slots=True)
class CacheSets:
    """The sets of a cache: `sets_by_offset` told apart by the place in a page, each `colours` times.

    A cache no larger than a page per way has one colour.
    """

    sets_by_offset: int
    colours: int
    ways: int

    def reached(self, footprint: Footprint, line_bytes: int) -> int | None:
        """Sets that a footprint falls into; None when it is all of them.

        Equation: (window / gcd(window, strides)) * lines per stretch * colours, window = sets_by_offset lines: a stride
        walks through the multiples of its greatest common divisor with the window.
        Source: the critical stride of Fog, "Optimizing software in C++" (section 9.2, cache organization), with the
        self-interference of Lam, Rothberg and Wolf, "The cache performance and optimizations of blocked algorithms"
        (ASPLOS 1991).
        Assumes: pages lie anywhere in physical memory, so that index bits above the place in a page take all values.
        Not modelled: arrays that fall into each other's sets.
        """
        if not footprint.steps:
            return None
        window_bytes = self.sets_by_offset * line_bytes
        apart_bytes = gcd(window_bytes, *(int(stride) for stride, _ in footprint.steps))
        places = window_bytes // max(apart_bytes, line_bytes) * ceil(footprint.stretch_lines)
        places *= footprint.copies
        return None if places >= self.sets_by_offset else places * self.colours


def cache_sets(cache: CacheLevel, line_bytes: int, page_bytes: int) -> CacheSets | None:
    """Sets of a level; None when lines are hashed over them."""
    if cache.ways <= 0:
        return None
    sets = max(int(cache.size_bytes) // (cache.ways * line_bytes), 1)
    by_offset = min(sets, max(page_bytes // line_bytes, 1))
    return CacheSets(by_offset, max(sets // by_offset, 1), cache.ways)
