"""What loads of a line on each page say of the translation of addresses."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.hwprofiles.calibrate.cpu_samples import CpuSamples, undisturbed_time

PAGE_LINE_BYTES = 64
_QUANTITY = "translation"
_LEAST_WALK_NS = 1.0
"""Less is no walk: the system gave huge pages, or the measurement is too coarse."""
_WALKED = 0.25
"""Pages count as held while the loads take less than this share of what walks add to them."""


@dataclass(frozen=True, slots=True)
class Translation:
    """`entries` is how many pages are held, 0 where it lies below the fewest that were tried."""

    walk_ns: float
    walks_in_flight: float
    entries: int


def translation_of(samples: CpuSamples) -> Translation | None:
    """Read the walk off the most pages, and the entries off the growing number of them; None where there is no walk.

    Equation: walk = t_dependent(pages apart) - t_dependent(lines apart), both over as many lines; in flight = walk /
    t_independent(pages apart); entries = the most pages with t_independent <= lines apart + (pages - lines apart) / 4.
    Units: ns, except for the entries.
    """
    strides = samples.strides(_QUANTITY)
    if len(strides) != 2 or strides[0] != PAGE_LINE_BYTES:
        return None
    near, apart = strides
    most = max(samples.places(_QUANTITY, near))

    def time_ns(series: str, stride: int, places: int) -> float:
        return undisturbed_time(samples.of(_QUANTITY, series, places, stride))

    walk_ns = time_ns("dependent", apart, most) - time_ns("dependent", near, most)
    if walk_ns <= _LEAST_WALK_NS:
        return None
    held_ns, walked_ns = time_ns("independent", near, most), time_ns("independent", apart, most)
    limit_ns = held_ns + _WALKED * max(0.0, walked_ns - held_ns)
    entries = 0
    for places in samples.places(_QUANTITY, apart):
        if time_ns("independent", apart, places) > limit_ns:
            break
        entries = places
    return Translation(walk_ns, max(1.0, walk_ns / walked_ns), entries)
