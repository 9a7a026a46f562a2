"""The fix that adds to a directive the clauses that it forgets (WL103)."""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.advice.rules.directive_race import CODE, clause_text
from warplens.analysis.facts.directive_race import DirectiveRace, MendingClause
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, loops_of
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ports.directives.existing_directive import directives_above, is_under_a_condition
from warplens.analysis.ports.fix import FixContext, FixEdits, FixRule, LaunchWish, OfferedFix, TextEdit
from warplens.analysis.ports.openacc.update import WORDS as OPENACC_WORDS
from warplens.analysis.ports.openmp.words import WORDS as OPENMP_WORDS
from warplens.analysis.text.directive_text import ExistingDirective
from warplens.analysis.text.span import Span

_CODE = "clause"
_ORDER = ("private", "lastprivate", "linear", "reduction")


def offer(context: FixContext) -> tuple[OfferedFix, ...]:
    """One offer per directive, with all clauses that it misses."""
    return tuple(_offered(context, loop, races) for loop, races in _missing(context))


def edit(context: FixContext, offered: OfferedFix, _wish: LaunchWish) -> FixEdits:
    """The clauses, behind the last one of the directive."""
    for loop, races in _missing(context):
        if loop.id == offered.loop:
            found = directive_of(context, loop)
            if isinstance(found, str):
                return FixEdits(refusal=found)
            return FixEdits(_edits(found, races), note="the clauses that the directive misses")
    return FixEdits(refusal="the directive misses no clause")


def _offered(context: FixContext, loop: Loop, races: list[DirectiveRace]) -> OfferedFix:
    found = directive_of(context, loop)
    construct = loop.directive.construct if loop.directive is not None else ""
    title = f"Add {', '.join(f'`{clause}`' for clause in _clauses(races))} to `{construct}`"
    refusal = found if isinstance(found, str) else ""
    return OfferedFix(_CODE, title, loop.id, refusal=refusal, findings=(CODE,))


def _missing(context: FixContext) -> Iterator[tuple[Loop, list[DirectiveRace]]]:
    """Loops that stand right below a directive, with the races that clauses mend."""
    facts = context.evaluation.facts
    by_directive: dict[NodeId, dict[str, DirectiveRace]] = {}
    for race in (race for verdict in facts.verdicts for race in verdict.races):
        by_directive.setdefault(race.directive, {}).setdefault(race.variable, race)
    seen: set[NodeId] = set()
    for loop in loops_of(facts.nest):
        directive = None if loop.directive is None else loop.directive.id
        if directive is None or directive in seen:
            continue
        seen.add(directive)
        mended = [race for race in by_directive.get(directive, {}).values() if race.clause]
        if mended:
            yield loop, mended


def _clauses(races: list[DirectiveRace]) -> tuple[str, ...]:
    """The clauses in a fixed order, variables of one kind together."""
    groups: dict[tuple[MendingClause, str], list[str]] = {}
    for race in sorted(races, key=lambda race: (_ORDER.index(race.clause), race.argument, c_name(race.variable))):
        groups.setdefault((race.clause, race.argument), []).append(c_name(race.variable))
    return tuple(clause_text(clause, argument, names) for (clause, argument), names in groups.items())


def _edits(directive: ExistingDirective, races: list[DirectiveRace]) -> tuple[TextEdit, ...]:
    """The clauses behind the last one, or in place of a `shared` that has no other name: one clause may have it.

    Source: OpenMP 5.2, 5.4.
    """
    left = {c_name(race.variable): race for race in races}
    edits: list[TextEdit] = []
    for clause in directive.named("shared"):
        others = tuple(item for item in clause.items if item not in left)
        if not others:
            named = [left.pop(item) for item in dict.fromkeys(clause.items)]
            edits.append(TextEdit(clause.span, " ".join(_clauses(named))))
        elif others != clause.items:
            edits.append(TextEdit(clause.inner, ", ".join(others)))
    behind = "".join(f" {clause}" for clause in _clauses(list(left.values())))
    return (*edits, *([TextEdit(Span(directive.end, directive.end), behind)] if behind else ()))


def directive_of(context: FixContext, loop: Loop) -> ExistingDirective | str:
    """The directive in the text, or why it can't be changed."""
    header = dict(context.spans.header).get(loop.id)
    directive = loop.directive
    if header is None or directive is None or loop.id in context.spans.in_macro:
        return "the loop comes from a macro"
    at = header.start + context.spans.base
    if is_under_a_condition(context.source, context.function_span.start, at):
        return "the loop has a directive that `#if` leaves out of some builds"
    words = OPENMP_WORDS if directive.language == "omp" else OPENACC_WORDS
    found = directives_above(context.source, at, words) or ()
    same = [one for one in found if (one.language, one.construct) == (directive.language, directive.words)]
    return same[0] if len(same) == 1 else f"`{directive.construct}` does not stand in lines of its own above the loop"


FIX = FixRule(_CODE, offer, edit).of_source_order
