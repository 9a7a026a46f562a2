"""What of a loop's header is no limit that the IR holds, in the terms of the source."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

BoundReasonKind = Literal["read", "order", "uncounted"]


@dataclass(frozen=True, slots=True)
class BoundReason:
    """`text` is a clause for the user; `kind` says how far the number of iterations is known all the same.

    "read": a bound is an expression that the loop evaluates before it runs. "order": the start may be behind the limit.
    "uncounted": nothing says where the loop ends, or not only that.
    """

    text: str
    kind: BoundReasonKind = "uncounted"


READ_START = BoundReason("the start is not a polynomial in iterators and constants", "read")
READ_BOUND = BoundReason("a bound is not a polynomial in iterators and constants", "read")


def reasons_text(reasons: Iterable[BoundReason]) -> str:
    """All of them in one clause, empty without one."""
    return "; ".join(one.text for one in reasons)
