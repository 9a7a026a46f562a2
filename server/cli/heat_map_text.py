"""A heat map in a terminal: factors where they fit, else the numbers of their bands; colour says nothing alone."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text
from warplens.server.cli.layout import print_indented
from warplens.server.render.heat_map import BANDS, IMPOSSIBLE, X_LABEL, Y_LABEL, Cell, HeatMap

_LABEL_WIDTH = 8
_FACTOR_WIDTH = 5
_BAND_WIDTHS = (2, 1)
_NONE = "-"


def print_heat_map(console: Console, heat_map: HeatMap, indent: int) -> None:
    """Print the map; columns that fit in no form into the terminal's width go below."""
    margin = " " * indent
    columns = len(heat_map.threads_per_block)
    room = console.width - indent - _LABEL_WIDTH if console.is_terminal else _FACTOR_WIDTH * columns
    width = next((each for each in (_FACTOR_WIDTH, *_BAND_WIDTHS) if columns * each <= room), _BAND_WIDTHS[-1])
    fitting = max(1, room // width)
    print_indented(console, Text(margin), Text(f"{Y_LABEL} (down), {X_LABEL} (across)", "dim"), indent)
    for first in range(0, columns, fitting):
        shown = slice(first, first + fitting)
        scale = _scale(heat_map.threads_per_block[shown], width)
        console.print(Text(f"{margin}{' ' * _LABEL_WIDTH}{scale}", "dim"))
        for outputs, row in zip(heat_map.outputs_per_thread, heat_map.rows, strict=True):
            label = f"{margin}{outputs:>{_LABEL_WIDTH - 2}}  "
            console.print(Text.assemble((label, "dim"), *(_cell(cell, width) for cell in row[shown])))
    print_indented(console, Text(margin), Text(_legend(width), "dim"), indent)


def _cell(cell: Cell | None, width: int) -> Text:
    if cell is None:
        return Text(_NONE.rjust(width), "dim")
    text = cell.text if width == _FACTOR_WIDTH else str(1 + BANDS.index(cell.band))
    return Text(text.rjust(width), f"{cell.band.text_colour} on {cell.band.colour}")


def _scale(threads: tuple[int, ...], width: int) -> str:
    """The block sizes above the ends of their columns, as many as there is room for."""
    step = -(-_FACTOR_WIDTH // width)
    line = ""
    for at in range(0, len(threads), step):
        end = (at + 1) * width
        if len(label := str(threads[at])) <= end - len(line):
            line += label.rjust(end - len(line))
    return line


def _legend(width: int) -> str:
    none = f"{_NONE} {IMPOSSIBLE}"
    if width == _FACTOR_WIDTH:
        return f"times the first; {none}"
    bands = ", ".join(f"{number} {band.label}" for number, band in enumerate(BANDS, 1))
    return f"times the first: {bands}; {none}"
