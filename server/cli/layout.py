"""Lines whose continuation keeps an indent: wrapped to a terminal's width, left whole where output goes elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

_LEAST_WIDTH = 40


def print_indented(console: Console, first: Text, text: Text, rest_indent: int) -> None:
    """Print `first` and `text` after it; further lines of the text start at `rest_indent`."""
    if not console.is_terminal:
        console.print(first, text, sep="")
        return
    width = max(_LEAST_WIDTH, console.width)
    whole = Text.assemble(first, text)
    lines = whole.wrap(console, width - rest_indent) if whole.cell_len > width else [whole]
    for number, line in enumerate(lines):
        line.rstrip()
        console.print(Text(" " * rest_indent if number else ""), line, sep="")


def print_list(console: Console, title: str, items: Sequence[str], indent: int) -> None:
    """Print a title and its items, nothing if there are none."""
    if items:
        console.print(Text(f"{' ' * indent}{title}", "bold"))
        for item in items:
            print_indented(console, Text(f"{' ' * indent}  - "), Text(item), indent + 4)


def print_rows(console: Console, rows: Sequence[tuple[str, str]], indent: int) -> None:
    """Print names and values in two columns."""
    width = max((len(name) for name, _ in rows), default=0)
    for name, value in rows:
        print_indented(console, Text(f"{' ' * indent}{name:<{width}}  ", "dim"), Text(value), indent + width + 2)
