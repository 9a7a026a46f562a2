"""The sheet of a measured GPU: one HTML page with every series, the fits over it, and the values that came of them."""

from __future__ import annotations

from collections.abc import Iterator

from warplens.hwprofiles.calibrate.gpu_points import Point
from warplens.hwprofiles.entry import value_text
from warplens.server.measure.calibration.curve_svg import Line, curve_svg, legend
from warplens.server.measure.calibration.gpu_profile import GpuCalibration
from warplens.server.render.visible_text import visible_html

_IN_FLIGHT = {"warps_per_sm", "bytes_per_thread"}
"""Together they are the bytes on their way."""

_STYLE = """
:root { color-scheme: light dark; font: 14px/1.45 system-ui, sans-serif; }
body { margin: 1.5rem auto; max-width: 82rem; padding: 0 1rem; }
main { display: grid; align-items: start; grid-template-columns: repeat(auto-fill, minmax(24rem, 1fr)); gap: 1rem; }
section { border: 1px solid color-mix(in srgb, currentColor 25%, transparent); padding: .6rem .8rem; }
h2 { font-size: 1rem; margin: 0 0 .3rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; } td { padding: .1rem .4rem .1rem 0; vertical-align: top; }
td:nth-child(2) { text-align: right; white-space: nowrap; } .key { margin-right: .8rem; } small { opacity: .8; }
"""


def gpu_sheet(made: GpuCalibration, refused: dict[str, str]) -> str:
    """The page; nothing in it is fetched or run, every text of the device is escaped."""
    title = visible_html(f"{made.name}: measured")
    sections = "\n".join(_sections(made, refused))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        f"<style>{_STYLE}</style></head>\n<body><h1>{title}</h1>\n"
        "<p>Dots are medians with the quartiles of the samples, dashed lines are fits. What was not measured is taken "
        f"from the profile <code>{visible_html(made.extends)}</code>.</p>\n<main>\n{sections}\n</main></body></html>\n"
    )


def _sections(made: GpuCalibration, refused: dict[str, str]) -> Iterator[str]:
    by_quantity: dict[str, list[str]] = {}
    for quantity, series in made.points.points:
        by_quantity.setdefault(quantity, []).append(series)
    for quantity, names in by_quantity.items():
        units: dict[tuple[str, str], list[str]] = {}
        for series in names:
            found = made.points.series(quantity, series)
            if len(found) > 1:
                units.setdefault((_axis(found), made.points.units[quantity, series]), []).append(series)
        figures = "".join(_figure(made, quantity, series, x, unit) for (x, unit), series in units.items())
        values = "".join((*_values(made, quantity), *_numbers(made, quantity, names)))
        why = f"<p>{visible_html(refused[quantity])}</p>" if quantity in refused else ""
        yield f"<section><h2>{visible_html(quantity)}</h2>{figures}{values}{why}</section>"
    for quantity in refused.keys() - by_quantity.keys():
        why = visible_html(refused[quantity])
        yield f"<section><h2>{visible_html(quantity)}</h2><p>Not measured: {why}</p></section>"


def _axis(points: tuple[Point, ...]) -> str:
    """The name of x that has most values."""
    names = points[0].x
    if names.keys() >= _IN_FLIGHT:
        return "bytes_in_flight_per_sm"
    return max(names, key=lambda name: len({point.x.get(name) for point in points}), default="")


def _figure(made: GpuCalibration, quantity: str, names: list[str], x: str, unit: str) -> str:
    lines = [line for series in names for line in _lines(made, quantity, series, x)]
    keys = "".join(
        f'<span class="key" style="color:{colour}">{visible_html(name)}</span>' for name, colour in legend(lines)
    )
    return f"{curve_svg(lines, x.replace('_', ' '), unit)}<div>{keys}</div>"


def _lines(made: GpuCalibration, quantity: str, series: str, x: str) -> Iterator[Line]:
    groups: dict[str, list[tuple[float, float, float, float]]] = {}
    for point in made.points.series(quantity, series):
        others = ", ".join(f"{name} {value:g}" for name, value in point.x.items() if name not in {x, "warps_per_sm"})
        name = f"{series} ({others})" if others else series
        value = point.value
        groups.setdefault(name, []).append((_place(point, x), value.low, value.value, value.high))
    yield from (Line(name, tuple(points)) for name, points in groups.items())
    for fit in made.made.fits.values():
        if (fit.quantity, fit.series) == (quantity, series) and len(fit.curve) > 1:
            yield Line("fit", tuple((place, value, value, value) for place, value in fit.curve), is_fit=True)


def _place(point: Point, x: str) -> float:
    if x == "bytes_in_flight_per_sm":
        return 32 * point.x["warps_per_sm"] * point.x["bytes_per_thread"]
    return point.x.get(x, 0.0)


def _numbers(made: GpuCalibration, quantity: str, names: list[str]) -> Iterator[str]:
    """Series of one number that no key of the profile has by itself."""
    if quantity in made.made.fits:
        return
    rows = []
    for series in names:
        found = made.points.series(quantity, series)
        if len(found) == 1:
            unit = visible_html(made.points.units[quantity, series])
            rows.append(f"<tr><td>{visible_html(series)}</td><td>{found[0].value.value:.6g} {unit}</td></tr>")
    if rows:
        yield f"<table>{''.join(rows)}</table>"


def _values(made: GpuCalibration, quantity: str) -> Iterator[str]:
    """A row for each key that came of this quantity, or should have."""
    rows = []
    for key, fit in made.made.fits.items():
        if quantity in (fit.quantity, key):
            entry = made.made.entries[key]
            note = f"<br><small>{visible_html(entry.note)}</small>" if entry.note else ""
            value = f"{value_text(entry.value)} {visible_html(entry.unit)}"
            rows.append(f"<tr><td>{visible_html(key)}{note}</td><td>{value}</td></tr>")
    for key, why in made.made.refused.items():
        if key == quantity or key.endswith(quantity.partition(".")[2]):
            small = f"<br><small>{visible_html(why)}</small>"
            rows.append(f"<tr><td>{visible_html(key)}{small}</td><td>no value</td></tr>")
    if rows:
        yield f"<table>{''.join(rows)}</table>"
