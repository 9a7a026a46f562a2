"""Lines whose continuation keeps an indent: wrapped to a terminal's width, left whole where output goes elsewhere."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rich.console import Console
from rich.text import Text
from warplens.server.render.card import Section
from warplens.server.render.columns import Table, aligned

_LEAST_WIDTH = 40


def print_indented(console: Console, first: Text, text: Text, rest_indent: int) -> None:
    """Print `first` and `text` after it; further lines of the text start at `rest_indent`."""
    if not console.is_terminal:
        console.print(first, text, sep="")
        return
    width = max(_LEAST_WIDTH, console.width)
    indent = min(rest_indent, width // 2)
    line, rest = _first_line(console, Text.assemble(first, text), width)
    console.print(line)
    while rest:
        line, rest = _first_line(console, rest, width - indent)
        console.print(Text(" " * indent), line, sep="")


def _first_line(console: Console, text: Text, width: int) -> tuple[Text, Text]:
    """The first line of a text that is wrapped, and what is left of it."""
    line = text.wrap(console, width)[0]
    rest = text[len(line) :] if len(line) < len(text) else Text()
    line.rstrip()
    return line, rest[len(rest.plain) - len(rest.plain.lstrip()) :] if rest.plain.strip() else Text()


def print_list(console: Console, title: str, items: Sequence[str], indent: int) -> None:
    """Print a title and its items, nothing if there are none."""
    if items:
        console.print(Text(f"{' ' * indent}{title}", "bold"))
        for item in items:
            print_item(console, item, indent)


def print_item(console: Console, item: str, indent: int) -> None:
    """Print an item of a list whose title stands at the indent."""
    print_indented(console, Text(f"{' ' * indent}  - "), Text(item), indent + 4)


def print_section(console: Console, section: Section, indent: int) -> None:
    """Print a section's title, its table and its items, nothing if it has neither."""
    if not section.table:
        print_list(console, section.title, section.items, indent)
        return
    console.print(Text(f"{' ' * indent}{section.title}", "bold"))
    print_table(console, section.table, indent + 4)
    for item in section.items:
        print_item(console, item, indent)


def print_table(console: Console, table: Table, indent: int, right: Collection[int] = ()) -> None:
    """Print a table with aligned columns; in a narrow terminal the last column goes on below itself."""
    if not console.is_terminal:
        # All at once: a whole ranking is tens of thousands of lines.
        console.out("\n".join(" " * indent + line for line in aligned(table, right)), highlight=False)
        return
    last = len(table[0]) - 1
    width = max(len(line) for line in aligned([row[:last] for row in table], right)) if last else 0
    for number, line in enumerate(aligned(table, right)):
        style = "" if number else "dim"
        start = Text(f"{' ' * indent}{line[:width]}", style)
        print_indented(console, start, Text(line[width:], style), indent + width + 2)


def print_rows(console: Console, rows: Sequence[tuple[str, str]], indent: int) -> None:
    """Print names and values in two columns."""
    width = max((len(name) for name, _ in rows), default=0)
    for name, value in rows:
        print_indented(console, Text(f"{' ' * indent}{name:<{width}}  ", "dim"), Text(value), indent + width + 2)
