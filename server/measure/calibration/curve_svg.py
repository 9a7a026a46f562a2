"""Points of a series with the fits over them, as a small SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from warplens.server.render.visible_text import visible_html

_WIDTH, _HEIGHT = 360, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 10, 20, 38
_SPAN = 20
"""Axes over a wider range than this are logarithmic."""

_COLOURS = ("#3b6fb6", "#c0562f", "#3f8f57", "#8a5aa8", "#a07a1f", "#5b6770")


@dataclass(frozen=True, slots=True)
class Line:
    """Points with their quartiles (x, low, middle, high), or a fitted curve over them (low = middle = high)."""

    name: str
    points: tuple[tuple[float, float, float, float], ...]
    is_fit: bool = False


@dataclass(frozen=True, slots=True)
class _Axis:
    least: float
    most: float
    start: float
    end: float

    @property
    def is_log(self) -> bool:
        return self.least > 0 and self.most > _SPAN * self.least

    def at(self, value: float) -> float:
        low, high, here = self.least, self.most, value
        if self.is_log:
            low, high, here = log10(low), log10(high), log10(max(value, self.least))
        share = (here - low) / (high - low) if high > low else 0.5
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        if self.is_log:
            powers = range(floor(log10(self.least)), ceil(log10(self.most)) + 1)
            step = max(1, len(powers) // 5)
            return [10.0**power for power in powers[::step] if self.least <= 10.0**power <= self.most]
        return [self.least + (self.most - self.least) * part / 4 for part in range(5)]


def curve_svg(lines: Sequence[Line], x_name: str, unit: str) -> str:
    """The picture; colours of axes are the page's (currentColor), every text is escaped. No points: empty."""
    points = [point for line in lines for point in line.points]
    if not points:
        return ""
    x = _Axis(min(p[0] for p in points), max(p[0] for p in points), _LEFT, _WIDTH - _RIGHT)
    lowest = min(p[1] for p in points)
    wide = max(p[3] for p in points) > _SPAN * lowest > 0
    y = _Axis(lowest if wide else 0.0, max(p[3] for p in points), _HEIGHT - _BOTTOM, _TOP)
    shapes = [_axes(x, y, x_name, unit)]
    colours: dict[str, str] = {}
    for line in lines:
        if line.is_fit:
            shapes.append(_fit(line, x, y))
        else:
            colour = colours.setdefault(line.name, _COLOURS[len(colours) % len(_COLOURS)])
            shapes.append(_dots(line, x, y, colour))
    label = visible_html(f"{unit} against {x_name}")
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}" font-size="10">{"".join(shapes)}</svg>'
    )


def legend(lines: Sequence[Line]) -> list[tuple[str, str]]:
    """Names of the series with their colours, where there are several."""
    names = list(dict.fromkeys(line.name for line in lines if not line.is_fit))
    return [(name, _COLOURS[at % len(_COLOURS)]) for at, name in enumerate(names)] if len(names) > 1 else []


def _dots(line: Line, x: _Axis, y: _Axis, colour: str) -> str:
    shapes = []
    for place, low, middle, high in line.points:
        across, down = x.at(place), y.at(middle)
        shapes.append(f'<path d="M{across:.1f} {y.at(low):.1f}V{y.at(high):.1f}" stroke="{colour}"/>')
        shapes.append(f'<circle cx="{across:.1f}" cy="{down:.1f}" r="2.2" fill="{colour}"/>')
    return "".join(shapes)


def _fit(line: Line, x: _Axis, y: _Axis) -> str:
    path = "L".join(f"{x.at(place):.1f} {y.at(value):.1f}" for place, _, value, _ in sorted(line.points))
    return f'<path d="M{path}" fill="none" stroke="currentColor" stroke-dasharray="4 2" opacity="0.7"/>'


def _axes(x: _Axis, y: _Axis, x_name: str, unit: str) -> str:
    shapes = [f'<path d="M{_LEFT} {_TOP}V{_HEIGHT - _BOTTOM}H{_WIDTH - _RIGHT}" fill="none" stroke="currentColor"/>']
    shapes += [_text(x.at(tick), _HEIGHT - _BOTTOM + 13, "middle", _number(tick)) for tick in x.ticks()]
    shapes += [_text(_LEFT - 4, y.at(tick) + 3, "end", _number(tick)) for tick in y.ticks()]
    shapes.append(_text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 6, "middle", x_name))
    shapes.append(_text(2, 10, "start", unit))
    return "".join(shapes)


def _text(x: float, y: float, anchor: str, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="currentColor">{visible_html(text)}</text>'


def _number(value: float) -> str:
    for scale, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= scale:
            return f"{value / scale:.3g}{prefix}"
    return f"{value:.3g}"
