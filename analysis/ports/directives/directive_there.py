"""The directive that stands above a loop, where it is written there and alone."""

from __future__ import annotations

from collections.abc import Sequence

from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ports.directives.existing_directive import (
    ExistingDirective,
    directives_above,
    is_under_a_condition,
)
from warplens.analysis.ports.directives.offload_plan import OffloadRefusedError
from warplens.analysis.ports.fix import FixContext

_SHOWN_WORDS = 5


def directive_there(
    context: FixContext, loop: Loop, said: Sequence[str], words: frozenset[str]
) -> ExistingDirective | None:
    """What stands above the loop for the directives `said` of it, None where that is none.

    Raises OffloadRefusedError: several, one that a macro writes, one that not every build has.
    """
    at = dict(context.spans.header)[loop.id].start + context.spans.base
    iterator = c_name(loop.iterator)
    if is_under_a_condition(context.source, context.function_span.start, at):
        raise OffloadRefusedError(f"the loop over `{iterator}` has a directive that `#if` leaves out of some builds")
    if not said:
        return None
    found = directives_above(context.source, at, words)
    if found is None or len(found) != len(said):
        raise OffloadRefusedError(
            f"the directive of the loop over `{iterator}` is not written there: `{in_short(said[0])}`"
        )
    if len(found) > 1:
        raise OffloadRefusedError(f"the loop over `{iterator}` has several directives")
    return found[0]


def in_short(directive: str) -> str:
    """The first words of a directive."""
    return " ".join(directive.split()[:_SHOWN_WORDS])
