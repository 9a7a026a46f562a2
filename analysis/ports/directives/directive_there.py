"""The directive that stands above a loop, where it is written there and alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ports.directives.clause import base_name
from warplens.analysis.ports.directives.existing_directive import directives_above, is_under_a_condition
from warplens.analysis.ports.directives.offload_plan import OffloadRefusedError
from warplens.analysis.ports.fix import FixContext
from warplens.analysis.text.directive_text import ExistingDirective, read_directive
from warplens.analysis.text.file_text import code_of

_SHOWN_WORDS = 5
_OF_VARIABLES = re.compile(
    r"(?:map|\w*private|shared|linear|\w*reduction|\w+_ptr|\w+_addr|(?:p|present_or_)?(?:copy|copyin|copyout|create)|present|"
    r"deviceptr|no_create|attach|aligned)\Z"
)


def directive_there(
    context: FixContext, loop: Loop, said: Sequence[str], words: frozenset[str]
) -> ExistingDirective | None:
    """What stands above the loop for the directives `said` of it, None where that is none.

    Raises OffloadRefusedError: several, one that a macro writes in whole or in part, one that not every build has.
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
    macro = _clause_with_macro(found[0], said[0], context.source, words)
    if macro:
        raise OffloadRefusedError(f"`{macro}` of the directive has its variables from a macro: write them out")
    return found[0]


def _clause_with_macro(directive: ExistingDirective, said: str, source: str, words: frozenset[str]) -> str:
    """The first clause of variables of which a macro writes some; empty if there is none.

    `said` is the directive as the preprocessor leaves it. It replaces macros in OpenMP, and in OpenACC only where it is
    told to: there a variable is a name that the code uses too.
    """
    start = said.index(directive.language)
    expanded = read_directive(said, start, len(said), words)
    clauses = expanded.clauses if expanded else ()
    code = code_of(source)
    for number, clause in enumerate(directive.clauses):
        if _OF_VARIABLES.match(clause.name):
            names = [base_name(item) for item in clause.items]
            same = clauses[number] if number < len(clauses) else None
            if same is None or same.name != clause.name or [base_name(item) for item in same.items] != names:
                return clause.text
            unknown = (name for name in names if name.isidentifier() and not re.search(rf"\b{name}\b", code))
            if any(unknown):
                return clause.text
    return "" if len(clauses) == len(directive.clauses) else in_short(said)


def in_short(directive: str) -> str:
    """The first words of a directive."""
    return " ".join(directive.split()[:_SHOWN_WORDS])
