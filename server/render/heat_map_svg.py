"""A heat map as SVG: hand-written, readable without colour, on light and on dark pages."""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.text.quantities import time_text
from warplens.server.render.heat_map import BANDS, IMPOSSIBLE, X_LABEL, Y_LABEL, Cell, HeatMap
from warplens.server.render.visible_text import visible_html

_CELL_WIDTH, _CELL_HEIGHT = 44, 28
_LEFT, _TOP, _RIGHT = 84, 64, 20
_LEGEND_STEP, _LEGEND_COLUMNS = 100, 8.3
_CHARACTER_WIDTH = 7.4
_STYLE = """
text { font: 12px system-ui, sans-serif; fill: #24292f; }
.title { font-size: 15px; font-weight: 600; }
.note { fill: #57606a; }
.value { font-size: 11.5px; text-anchor: middle; }
.middle { text-anchor: middle; }
.end { text-anchor: end; }
.best { fill: none; stroke: #24292f; stroke-width: 2.5; }
.current { fill: none; stroke: #24292f; stroke-width: 2; stroke-dasharray: 4 3; }
.none { fill: none; stroke: #8c959f; stroke-opacity: 0.5; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .note { fill: #9198a1; }
  .best, .current { stroke: #e6edf3; }
}
"""


def heat_map_svg(heat_map: HeatMap, title: str, note: str, current: str) -> str:
    """A document of its own. `note` says under the title what the numbers are, `current` what the marked cell is of."""
    across = len(heat_map.threads_per_block) * _CELL_WIDTH
    down = len(heat_map.outputs_per_thread) * _CELL_HEIGHT
    least = max(len(title) * 1.2, len(note), len(_marks(heat_map, current)) + 4) * _CHARACTER_WIDTH
    legend = _LEFT + _LEGEND_COLUMNS * _LEGEND_STEP
    width = round(max(_LEFT + across, legend, _LEFT + least)) + _RIGHT
    height = _TOP + down + 128
    body = (
        f'<text class="title" x="{_LEFT}" y="24">{visible_html(title)}</text>',
        f'<text class="note" x="{_LEFT}" y="44">{visible_html(note)}</text>',
        *_axes(heat_map, across, down),
        *_cells(heat_map),
        *_outlines(heat_map),
        *_legend(heat_map, current, _TOP + down + 66),
    )
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="map-title map-description">',
            f'<title id="map-title">{visible_html(title)}</title>',
            f'<desc id="map-description">{visible_html(_description(heat_map, note))}</desc>',
            f"<style>{_STYLE}</style>",
            *body,
            "</svg>\n",
        )
    )


def _description(heat_map: HeatMap, note: str) -> str:
    best = f" Best: {heat_map.best.sentence}." if heat_map.best else ""
    return f"{note}. Columns: {X_LABEL}; rows: {Y_LABEL}.{best}"


def _x(column: int) -> int:
    return _LEFT + column * _CELL_WIDTH


def _y(row: int) -> int:
    return _TOP + row * _CELL_HEIGHT


def _axes(heat_map: HeatMap, across: int, down: int) -> Iterator[str]:
    for row, outputs in enumerate(heat_map.outputs_per_thread):
        yield f'<text class="end" x="{_LEFT - 8}" y="{_y(row) + 18}">{outputs}</text>'
    for column, threads in enumerate(heat_map.threads_per_block):
        yield f'<text class="middle" x="{_x(column) + _CELL_WIDTH // 2}" y="{_TOP + down + 18}">{threads}</text>'
    middle = max(_TOP + down // 2, _TOP + 20)
    yield f'<text class="middle" x="{_LEFT + across // 2}" y="{_TOP + down + 40}">{X_LABEL}</text>'
    yield f'<text class="middle" transform="rotate(-90 26 {middle})" x="26" y="{middle}">{Y_LABEL}</text>'


def _cells(heat_map: HeatMap) -> Iterator[str]:
    for row, cells in enumerate(heat_map.rows):
        for column, cell in enumerate(cells):
            place = f'x="{_x(column) + 1}" y="{_y(row) + 1}" width="{_CELL_WIDTH - 2}" height="{_CELL_HEIGHT - 2}"'
            centre = f'x="{_x(column) + _CELL_WIDTH // 2}" y="{_y(row) + 18}"'
            if cell is None:
                yield f'<g><title>{IMPOSSIBLE}</title><rect class="none" {place}/></g>'
            else:
                yield (
                    f'<g><title>{visible_html(cell.sentence)}</title><rect {place} fill="{cell.band.colour}"/>'
                    f'<text class="value" {centre} style="fill:{cell.band.text_colour}">'
                    f"{visible_html(cell.text)}</text></g>"
                )


def _outlines(heat_map: HeatMap) -> Iterator[str]:
    for row, cells in enumerate(heat_map.rows):
        for column, cell in enumerate(cells):
            if cell is not None and (kind := _mark(heat_map, cell)):
                size = f'width="{_CELL_WIDTH - 1}" height="{_CELL_HEIGHT - 1}"'
                yield f'<rect class="{kind}" x="{_x(column) + 0.5}" y="{_y(row) + 0.5}" {size}/>'


def _mark(heat_map: HeatMap, cell: Cell) -> str:
    return "best" if cell == heat_map.best else "current" if cell == heat_map.current else ""


def _marks(heat_map: HeatMap, current: str) -> str:
    """What the two outlines mean."""
    best, now = heat_map.best, heat_map.current
    texts = [f"solid outline: {best.place}, the best: {time_text(best.time_s)}"] if best else []
    if now is not None and now != best:
        texts.append(f"dashed: {now.place}, of {current}")
    return "; ".join(texts)


def _legend(heat_map: HeatMap, current: str, top: int) -> Iterator[str]:
    entries = [(f'fill="{band.colour}"', band.label) for band in BANDS]
    if any(cell is None for row in heat_map.rows for cell in row):
        entries.append(('class="none"', IMPOSSIBLE))
    for at, (look, label) in enumerate(entries):
        x = _LEFT + at * _LEGEND_STEP
        yield f'<rect {look} x="{x + 0.5}" y="{top + 0.5}" width="15" height="15"/>'
        yield f'<text x="{x + 22}" y="{top + 12}">{label}</text>'
    yield f'<text class="note" x="{_LEFT}" y="{top + 42}">{visible_html(_marks(heat_map, current))}</text>'
