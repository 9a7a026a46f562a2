"""What a caller hears of an analysis while it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from warplens.analysis.engine.report import Report
from warplens.analysis.ir.ids import LoopId


@dataclass(frozen=True, slots=True)
class Progress:
    """Called around each nest, whether it was remembered or not.

    `nest_begins` may raise to end the run: what was worked out until then stays in the memo. `nest_ended` gets what
    makes the report of what is known by then, in which the nests to come are hidden as "pending".
    """

    nest_begins: Callable[[LoopId], None] = lambda _nest: None
    nest_ended: Callable[[Callable[[], Report]], None] = lambda _report: None
