"""Why nothing is shown beside a loop's code, in a sentence."""

from __future__ import annotations

from warplens.analysis.engine.report import Hidden
from warplens.analysis.text.quantities import time_text


def hidden_text(hidden: Hidden) -> str:
    """What a hover and a report say in the place of messages.

    >>> hidden_text(Hidden("small", 3e-6, 20e-6))
    'no messages: 3 µs on one core is less than the 20 µs that are worth one (`worthwhileMicroseconds`)'
    """
    match hidden.reason:
        case "small":
            why = (
                f"{time_text(hidden.time_s)} on one core is less than the {time_text(hidden.limit_s)} that are worth "
                "one (`worthwhileMicroseconds`)"
            )
        case "off":
            why = "a comment or a setting switches them off"
        case "pending":
            why = "it is still being analysed"
        case "no gain":
            why = "no GPU would make it faster, and the level of noise is `quiet`"
    return f"no messages: {why}"


def hidden_rows(hidden: Hidden | None) -> tuple[tuple[str, str], ...]:
    """The row of a loop's hover that says why the loop shows nothing beside its code."""
    return () if hidden is None else (("beside code", hidden_text(hidden)),)
