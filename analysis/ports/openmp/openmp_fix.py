"""The quick fix that writes OpenMP `target` directives."""

from __future__ import annotations

from textwrap import shorten

from warplens.analysis.ports.fix import FixContext, FixEdits, FixRule, LaunchWish, OfferedFix
from warplens.analysis.ports.openmp.target import OpenMpPort, insertable, openmp_target
from warplens.analysis.ports.source_lines import lines_above

CODE = "openmp"
_DIRECTIVE = "omp target teams distribute parallel for"
_CLAUSES_LENGTH = 44


def offer(context: FixContext) -> tuple[OfferedFix, ...]:
    """One offer per nest that has a kernel."""
    if not context.evaluation.kernels:
        return ()
    port = _port(context)
    return (OfferedFix(CODE, _title(port), context.evaluation.facts.nest.root.id, refusal=port.refusal),)


def edit(context: FixContext, _offer: OfferedFix, _wish: LaunchWish) -> FixEdits:
    """The directives above their loops."""
    port = _port(context)
    if port.refusal:
        return FixEdits(refusal=port.refusal)
    headers = dict(context.spans.header)
    edits = tuple(
        lines_above(context.source, headers[line.loop].start + context.spans.base, (line.text,)) for line in port.lines
    )
    return FixEdits(edits, note="OpenMP target directives")


FIX = FixRule(CODE, offer, edit)


def _port(context: FixContext) -> OpenMpPort:
    return insertable(openmp_target(context.evaluation), context.spans, context.source)


def _title(port: OpenMpPort) -> str:
    """What will be written, as far as a menu shows it: the clauses, and `…` for the rest of them."""
    if not port.lines:
        return f"Insert `{_DIRECTIVE}`"
    first, *others = (line.text for line in port.lines)
    directive, _, clauses = first.partition(_DIRECTIVE)
    shown = shorten(clauses or directive.removeprefix("#pragma omp "), _CLAUSES_LENGTH, placeholder=" …")
    more = f" and {len(others)} more line{'s' if len(others) > 1 else ''}" if others else ""
    return f"Insert `{_DIRECTIVE}`: {shown}{more}"
