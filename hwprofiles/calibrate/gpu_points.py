"""The measured points of a GPU's series: each the median of its samples, by what it was measured at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from warplens.hwprofiles.calibrate.measurement import Measurement
from warplens.hwprofiles.calibrate.robust import Robust, robust


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a series, in the series' unit."""

    x: Mapping[str, float]
    value: Robust


@dataclass(frozen=True, slots=True)
class GpuPoints:
    """Points by quantity and series in the order of the program, and texts. A series that was not measured is empty."""

    points: Mapping[tuple[str, str], tuple[Point, ...]]
    texts: Mapping[tuple[str, str], str]
    units: Mapping[tuple[str, str], str]

    def series(self, quantity: str, series: str, **at: float) -> tuple[Point, ...]:
        """Points of a series, of those at which it has these values of x."""
        found = self.points.get((quantity, series), ())
        return tuple(each for each in found if all(each.x.get(name) == value for name, value in at.items()))

    def value(self, quantity: str, series: str) -> float | None:
        """The one number of a series without x; None where it was not measured."""
        found = self.series(quantity, series)
        return found[0].value.value if found else None

    def text(self, quantity: str, series: str) -> str:
        """A text, empty where there is none."""
        return self.texts.get((quantity, series), "")


def gpu_points(measurements: Iterable[Measurement]) -> GpuPoints:
    """Gather lines; of a point that was measured again all samples count."""
    samples: dict[tuple[str, str], dict[tuple[tuple[str, float], ...], list[float]]] = {}
    texts: dict[tuple[str, str], str] = {}
    units: dict[tuple[str, str], str] = {}
    for one in measurements:
        key = one.quantity, one.series
        units[key] = one.unit
        if one.text:
            texts[key] = one.text
        positive = [sample for sample in one.samples if sample > 0]
        if positive:
            samples.setdefault(key, {}).setdefault(tuple(sorted(one.x.items())), []).extend(positive)
    points = {
        key: tuple(Point(dict(x), robust(found)) for x, found in series.items()) for key, series in samples.items()
    }
    return GpuPoints(points, texts, units)
