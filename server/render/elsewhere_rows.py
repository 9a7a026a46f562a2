"""Where functions of other files stand that a nest calls, for people: a row of a card."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from warplens.analysis.frontend.declarations.companions import DefinedElsewhere
    from warplens.server.render.loop_rows import Row

_MOST_NAMED = 8


def elsewhere_rows(elsewhere: tuple[DefinedElsewhere, ...]) -> tuple[Row, ...]:
    """The functions of other files that were looked into, each with file and line: reasons speak of them."""
    if not elsewhere:
        return ()
    places = [f"`{one.function}` at {_name(one.path)}:{one.line}" for one in elsewhere[:_MOST_NAMED]]
    more = len(elsewhere) - _MOST_NAMED
    return (("other files", ", ".join((*places, f"and {more} more") if more > 0 else places)),)


def _name(path: str) -> str:
    return re.split(r"[/\\]", path)[-1]
