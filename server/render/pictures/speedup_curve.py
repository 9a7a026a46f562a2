"""Speedup against problem size as a sparkline, with the sizes from which the GPU wins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log

from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.sizes.break_even import BreakEven, Data
from warplens.analysis.models.sizes.size_curve import SizeCurve
from warplens.analysis.text.quantities import count_text
from warplens.analysis.text.rounded import size_text
from warplens.server.render.card import Picture
from warplens.server.render.launch_words import factor_text
from warplens.server.render.pictures.theme import HEIGHT, WIDTH, Theme, svg_uri
from warplens.server.render.visible_text import visible_html

_LEFT, _RIGHT, _TOP, _BOTTOM = 40, WIDTH - 62, 30, 86
_LEAST_POINTS = 3
_LEAST_SPEEDUP = 0.005
"""Sizes at which the GPU is slower than this are left out: what is gained later would be a flat line."""

_LABEL_HEIGHT = 11
_LABEL_WIDTH = 60


def speedup_curve(found: BreakEven, theme: Theme) -> Picture | None:
    """Both speedups against the best of the CPU over the size, logarithmic both ways; None where there is no curve."""
    points = [each for each in _points(found.curve) if min(each[1:]) >= _LEAST_SPEEDUP]
    if len(points) < _LEAST_POINTS:
        return None
    sizes, resident, cold = zip(*points, strict=True)
    every = (*resident, *cold, 1.0)
    across = _Scale(sizes[0], sizes[-1], _LEFT, _RIGHT)
    up = _Scale(min(every), max(every), _BOTTOM, _TOP)
    name = c_name(found.name)
    body = [
        f'<text x="8" y="16" class="faint">Speedup over {visible_html(name)}, against the best of the CPU</text>',
        *_axes(found.current, sizes, across, up, max(every), theme),
        _line([(across(size), up(each)) for size, each in zip(sizes, resident, strict=True)], theme.gain),
        _line([(across(size), up(each)) for size, each in zip(sizes, cold, strict=True)], theme.second, "5 3"),
        *_names(up(resident[-1]), up(cold[-1]), theme),
        *_wins(found, sizes[0], across, up(1.0), theme),
    ]
    text = _text(found, name)
    return Picture(svg_uri(theme, "".join(body), text), text)


def _points(curve: SizeCurve) -> Iterator[tuple[int, float, float]]:
    """Size, and both speedups against one core or all, whichever is faster."""
    for at, size in enumerate(curve.sizes):
        cpu_s = min(curve.one_core_s[at], curve.all_cores_s[at])
        yield size, cpu_s / curve.gpu_resident_s[at], cpu_s / curve.gpu_cold_s[at]


class _Scale:
    """Logarithmic, from the values' range onto pixels."""

    def __init__(self, least: float, most: float, start: int, end: int) -> None:
        self._least, self._span = log(least), (log(most) - log(least)) or 1.0
        self._start, self._length = start, end - start

    def __call__(self, value: float) -> float:
        return round(self._start + self._length * (log(value) - self._least) / self._span, 1)


def _axes(current: int, sizes: Sequence[int], across: _Scale, up: _Scale, most: float, theme: Theme) -> Iterator[str]:
    """The line at which nothing is gained, the ends of both axes, and the size that the numbers are for."""
    even, foot = up(1.0), HEIGHT - 5
    yield f'<path d="M{_LEFT} {even}H{_RIGHT}" stroke="{theme.faint}" stroke-dasharray="2 2"/>'
    yield f'<text x="{_LEFT - 5}" y="{even + 4}" class="end faint">1x</text>'
    if even - up(most) > _LABEL_HEIGHT:
        yield f'<text x="{_LEFT - 5}" y="{up(most) + 4}" class="end faint">{factor_text(most)}</text>'
    yield f'<text x="{_LEFT}" y="{foot}" class="faint">{count_text(sizes[0])}</text>'
    yield f'<text x="{_RIGHT}" y="{foot}" class="end faint">{count_text(sizes[-1])}</text>'
    if sizes[0] <= current <= sizes[-1]:
        at = across(current)
        yield f'<path d="M{at} {_TOP}V{_BOTTOM}" stroke="{theme.faint}"/>'
        if _LEFT + _LABEL_WIDTH < at < _RIGHT - 1.4 * _LABEL_WIDTH:
            yield f'<text x="{at}" y="{foot}" class="middle faint">now</text>'


def _line(points: Sequence[tuple[float, float]], colour: str, dashes: str = "none") -> str:
    path = " ".join(f"{x},{y}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"/>'


def _names(resident: float, cold: float, theme: Theme) -> Iterator[str]:
    """What the lines are, at their ends, which may be the same place."""
    x = _RIGHT + 5
    yield f'<text x="{x}" y="{resident + 4}" style="fill:{theme.gain}">data there</text>'
    yield f'<text x="{x}" y="{max(cold, resident + _LABEL_HEIGHT) + 4}" style="fill:{theme.second}">copies</text>'


def _wins(found: BreakEven, least: int, across: _Scale, even: float, theme: Theme) -> Iterator[str]:
    """A dot and the size where each line is won from; the curves rise, so there is room on either side of them."""
    sides: tuple[tuple[Data, str, int, str, int], ...] = (
        ("resident", theme.gain, -5, "end", -5),
        ("cold", theme.second, 5, "start", 13),
    )
    for data, colour, right, anchor, down in sides:
        wins = found.beats_cpu_from(data)
        if wins is not None and wins > least:
            at = across(wins)
            yield f'<circle cx="{at}" cy="{even}" r="3.5" fill="{colour}"/>'
            place = f'x="{at + right}" y="{even + down}"'
            yield f'<text {place} style="fill:{colour};text-anchor:{anchor}">{size_text(wins, found.current)}</text>'


def _text(found: BreakEven, name: str) -> str:
    said = []
    places: tuple[tuple[Data, str], ...] = (("resident", "with its data there"), ("cold", "with copies"))
    for data, where in places:
        wins = found.beats_cpu_from(data)
        said.append(f"{where} {f'from {name} = {size_text(wins, found.current)}' if wins is not None else 'never'}")
    return f"The GPU is faster than the CPU: {', '.join(said)}"
