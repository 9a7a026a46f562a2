"""Which values a nest's main parameter can have: from what the code makes sure of to what its memory and types hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.ir.nest import loops_of
from warplens.analysis.ir.types import INT, CType, Scalar
from warplens.analysis.workload.loops.derived_symbols import extend_sizes


@dataclass(frozen=True, slots=True)
class SizeRange:
    """Sizes from `least` to `most`, none where that is less; `ends_at` says what doesn't hold more, in few words."""

    least: int
    most: int
    ends_at: str

    def __contains__(self, size: int) -> bool:
        return self.least <= size <= self.most


def size_range(facts: NestFacts, sizes: Mapping[str, int], name: str, gpu: Gpu) -> SizeRange:
    """Range of a parameter while the others keep their `sizes`.

    It starts at 1 or what guards before the nest make sure of. It ends with the first of: these guards, the extents of
    arrays, the parameter's and the counters' types, the GPU's memory. What the size in force contradicts doesn't count.
    Assumes: more of the parameter never needs less memory. Not modelled: products of sizes that overflow.
    """
    current = sizes.get(name, 0)
    least, ends = 1, [(_largest_counted(facts, name), "its type")]
    for low, high in _guarded(facts, sizes, name):
        least = max(least, low)
        ends.append((high, "a check in the code"))
    hint = dict(facts.size_hints).get(name)
    if hint is not None:
        ends.append((hint, "the arrays' extents"))
    most, ends_at = min((end for end in ends if end[0] >= current), default=ends[0])

    def fits(size: int) -> bool:
        values = extend_sizes({**sizes, name: size}, facts.nest)
        try:
            return facts.footprint_bytes.evaluate(values) <= gpu.dram.size_bytes
        except (KeyError, ZeroDivisionError):
            return True

    if fits(most):
        return SizeRange(least, most, ends_at)
    return SizeRange(least, _last(fits, least, most), "device memory")


def _largest_counted(facts: NestFacts, name: str) -> int:
    """The largest value of the parameter's type, and of the counters' of loops that it bounds."""
    bounded = [loop for loop in loops_of(facts.nest) if any(name in limit.symbols for limit in loop.limits)]
    own = [scalar.type for scalar in facts.nest.scalars if scalar.name == name]
    return min(map(_largest, (*own, *(loop.iterator_type for loop in bounded))), default=_largest(INT))


def _largest(ctype: CType) -> int:
    if not isinstance(ctype, Scalar) or ctype.kind != "int":
        ctype = INT
    return int(2 ** (8 * ctype.size_bytes - int(ctype.signed))) - 1


def _guarded(facts: NestFacts, sizes: Mapping[str, int], name: str) -> list[tuple[int, int]]:
    """Least and largest value by each guard that is linear in the parameter and holds for the sizes in force."""
    found: list[tuple[int, int]] = []
    for each in facts.nest.known:
        value = each.value
        if value.degree_in((name,)) > 1 or not value.symbols <= sizes.keys() or value.evaluate(sizes) < 0:
            continue
        rest = value.evaluate({**sizes, name: 0})
        slope = value.evaluate({**sizes, name: 1}) - rest
        if slope:
            found.append((-(rest // slope), 2**64) if slope > 0 else (1, rest // -slope))
    return found


def _last(holds: Callable[[int], bool], least: int, most: int) -> int:
    """The last size for which something holds that doesn't hold for `most`; `least` - 1 where it never does."""
    low, high = least - 1, most
    while high - low > 1:
        # Halving the number of digits first: ranges of a type are far longer than what memory holds.
        middle = (low + high) // 2 if low < 1 or high < 4 * low else 2 ** ((low.bit_length() + high.bit_length()) // 2)
        middle = min(max(middle, low + 1), high - 1)
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
