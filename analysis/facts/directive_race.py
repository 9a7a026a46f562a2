"""What a directive leaves shared that its iterations write: two of them at once are a race."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from warplens.analysis.ir.ids import NodeId

MendingClause = Literal["", "reduction", "private", "lastprivate", "linear"]


@dataclass(frozen=True, slots=True)
class DirectiveRace:
    """Two accesses to `variable` in two iterations that `directive` (a node of the nest) lets run at once.

    `first` and `second` are ids of accesses or, for a scalar, of statements (of a loop for its iterator), in the order
    in which the loop runs them; one of them writes. `distance` is in iterations, None where it is not constant.
    `clause` would mend it, with `argument` as its operator or step; empty where no clause does.
    """

    directive: NodeId
    loop: NodeId
    variable: str
    first: NodeId
    second: NodeId
    kind: Literal["flow", "anti", "output"]
    distance: int | None = None
    clause: MendingClause = ""
    argument: str = ""
