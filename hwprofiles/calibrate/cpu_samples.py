"""The samples of a CPU's quantities, of all rounds together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from warplens.hwprofiles.calibrate.measurement import Measurement
from warplens.hwprofiles.calibrate.robust import robust

Samples = tuple[float, ...]


def undisturbed_time(samples: Samples) -> float:
    """The lower quartile: what others do on the machine only makes times longer."""
    return robust(samples).low


@dataclass(frozen=True, slots=True)
class CpuSamples:
    """Positive samples by quantity, series, number of places and their stride in bytes (0 where there are none)."""

    by_series: dict[tuple[str, str, int, int], Samples]

    def of(self, quantity: str, series: str, places: int = 0, stride_bytes: int = 0) -> Samples:
        """Samples of a series, none where it was not measured."""
        return self.by_series.get((quantity, series, places, stride_bytes), ())

    def of_quantity(self, quantity: str) -> list[Samples]:
        """Samples of every series of a quantity."""
        return [found for key, found in self.by_series.items() if key[0] == quantity]

    def of_all_places(self, quantity: str, series: str) -> Samples:
        """Samples of a series that is measured over one set of places, whichever it is."""
        return next((found for key, found in self.by_series.items() if key[:2] == (quantity, series)), ())

    def strides(self, quantity: str) -> list[int]:
        """Strides of a quantity, least first."""
        return sorted({stride for known, _, _, stride in self.by_series if known == quantity})

    def places(self, quantity: str, stride_bytes: int) -> list[int]:
        """Over how many places a quantity was measured at a stride, fewest first."""
        return sorted({at for known, _, at, stride in self.by_series if (known, stride) == (quantity, stride_bytes)})

    def unsteady(self, most_spread: float) -> tuple[str, ...]:
        """Quantities with quartiles of a series further apart than this share of its median."""
        return tuple(
            dict.fromkeys(key[0] for key, found in self.by_series.items() if robust(found).spread > most_spread)
        )


def pooled(measurements: Iterable[Measurement]) -> CpuSamples:
    """Put the rounds together.

    Samples that are not positive are left out: a clock that is too coarse for a loop gives them.
    """
    by_series: dict[tuple[str, str, int, int], Samples] = {}
    for one in measurements:
        samples = tuple(sample for sample in one.samples if sample > 0)
        if samples:
            key = (one.quantity, one.series, int(one.x.get("places", 0)), int(one.x.get("stride_bytes", 0)))
            by_series[key] = by_series.get(key, ()) + samples
    return CpuSamples(by_series)
