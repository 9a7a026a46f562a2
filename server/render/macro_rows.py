"""Where macros are defined, for people: rows of a card, and the words for a place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from warplens.analysis.ir.ids import NodeId

if TYPE_CHECKING:
    from warplens.analysis.frontend.comments.translation_unit import MacroUse
    from warplens.analysis.text.macro_definitions import MacroDefinition
    from warplens.server.render.loop_rows import Row

_NO_FILE = {
    "<command-line>": "by a compiler flag or setting",
    "<command line>": "by a compiler flag or setting",
    "<built-in>": "by the compiler",
}


def written_in(macros: tuple[MacroUse, ...], node: NodeId) -> MacroDefinition | None:
    """The macro whose expansion gave a node."""
    return next((use.definition for use in macros if node in use.written), None)


def macro_rows(macros: tuple[MacroUse, ...], node: NodeId, line_at: Callable[[int], int]) -> tuple[Row, ...]:
    """The macro that a node is written in, and those that a loop's header names; `line_at` counts from 0."""
    rows: list[Row] = []
    outer = written_in(macros, node)
    if outer is not None:
        rows.append(("written in", f"the macro `{outer.name}`, defined {_place(outer, line_at)}"))
    named = [use.definition for use in macros if node in use.named_by]
    if named:
        rows.append(("macros", ", ".join(f"`{d.name}` defined {_place(d, line_at)}" for d in named)))
    return tuple(rows)


def _place(definition: MacroDefinition, line_at: Callable[[int], int]) -> str:
    if definition.span is not None:
        return f"in line {line_at(definition.span.start) + 1}"
    if definition.file.startswith("<"):
        return _NO_FILE.get(definition.file, f"in `{definition.file}`")
    return f"at {Path(definition.file).name}:{definition.line}"
