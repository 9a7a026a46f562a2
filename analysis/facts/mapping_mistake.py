"""What a directive copies wrongly between host and device: its loop touches what the device does not have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.mapped_section import MappedSection
from warplens.analysis.ir.polynomial import Polynomial

MistakeKind = Literal["outside", "unset", "lost"]


@dataclass(frozen=True, slots=True)
class MappingMistake:
    """One array that a directive maps wrongly, shown at one access.

    outside: an iteration touches an element that `section` leaves out; unset: one reads what no copy and no write has
    set; lost: what is written does not come back. `element` is the number of the element that `access` touches whenever
    the loop runs, in terms of sizes that are `least` or more.
    """

    kind: MistakeKind
    directive: NodeId
    loop: NodeId
    section: MappedSection
    access: NodeId
    element: Polynomial
    is_write: bool
    least: int = 0
