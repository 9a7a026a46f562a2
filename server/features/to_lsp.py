"""Where an answer becomes LSP: the one place that turns findings, opaque code and failures into diagnostics."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from warplens.analysis.advice.finding import Finding
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.text.span import Span
from warplens.server.lsp.places import header_span, node_span
from warplens.server.render.macro_rows import written_in
from warplens.server.render.visible_text import visible
from warplens.server.session.documents import Document
from warplens.server.worker.job import NestAnswer

if TYPE_CHECKING:
    from warplens.analysis.text.macro_definitions import MacroDefinition

SOURCE = "warplens"
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Warning,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
    "note": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}
"""Never an error: C's own errors stay in front."""
_LIMIT_SETTING = "`warplens.analysisTimeLimitSeconds`"


def diagnostics_of(document: Document) -> list[types.Diagnostic]:
    """Everything to show in a document, in the order of its places."""
    shown: list[types.Diagnostic] = []
    if document.failure is not None:
        shown.append(_plain(document, document.failure.span, document.failure.message, "information", "analysis-ended"))
    answer = document.answer
    if answer is not None:
        from warplens.analysis.engine.report import SKIPPED  # noqa: PLC0415 - an answer has loaded it, the server has not

        for function in answer.functions:
            for nest in function.nests:
                shown += [_of_finding(document, nest, finding) for finding in nest.findings]
                if nest.failure and nest.hidden is None:
                    span = header_span(nest.spans, NodeId(0)) or function.span
                    limit = f" ({_LIMIT_SETTING})" if nest.failure == SKIPPED else ""
                    shown.append(_plain(document, span, f"{nest.failure}{limit}", "information", "not-analysed"))
        for opaque in (each for each in answer.opaque if each.is_shown):
            span = _first_line(document, opaque.span)
            shown.append(_plain(document, span, f"not analysed: {opaque.reason}", "hint", "not-analysed"))
        for problem in answer.problems:
            shown.append(_plain(document, problem.span, problem.message, problem.severity, "input"))
    return sorted(shown, key=lambda d: (d.range.start.line, d.range.start.character, str(d.code)))


@cache
def rule_page_uri(code: str) -> str | None:
    """URI of a rule's page as it was installed, None when there is none."""
    try:
        page = files("warplens.docs") / "rules" / f"{code}.md"
    except ModuleNotFoundError:
        return None
    path = Path(str(page))
    return path.resolve().as_uri() if path.is_file() else None


def _of_finding(document: Document, nest: NestAnswer, finding: Finding) -> types.Diagnostic:
    href = rule_page_uri(finding.code)
    related = [
        types.DiagnosticRelatedInformation(
            types.Location(document.uri, document.positions.range(span)), visible(r.message)
        )
        for r in finding.related
        if (span := node_span(nest.spans, r.node))
    ]
    macro = written_in(nest.macros, finding.node)
    if macro is not None and (place := _definition_place(document, macro)):
        related.append(
            types.DiagnosticRelatedInformation(place, f"written in the macro `{macro.name}`, which is defined here")
        )
    span = node_span(nest.spans, finding.node) or header_span(nest.spans, NodeId(0)) or Span(0, 0)
    return types.Diagnostic(
        range=document.positions.range(_first_line(document, span)),
        message=visible(finding.message),
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        code_description=types.CodeDescription(href) if href else None,
        source=SOURCE,
        related_information=related or None,
    )


def _definition_place(document: Document, definition: MacroDefinition) -> types.Location | None:
    """None for what no file defines."""
    if definition.span is not None:
        return types.Location(document.uri, document.positions.range(definition.span))
    if not Path(definition.file).is_absolute():
        return None
    start = types.Position(max(definition.line - 1, 0), 0)
    return types.Location(Path(definition.file).as_uri(), types.Range(start, start))


def _plain(document: Document, span: Span, message: str, severity: str, code: str) -> types.Diagnostic:
    return types.Diagnostic(
        range=document.positions.range(span),
        message=visible(message),
        severity=_SEVERITIES[severity],
        code=code,
        source=SOURCE,
    )


def _first_line(document: Document, span: Span) -> Span:
    """A squiggle under a whole function helps no one: the span's first line stands for it."""
    line = document.positions.line_of(span.start)
    end = document.positions.line_start(line) + len(document.positions.line_text(line))
    return Span(span.start, max(span.start, min(span.end, end)))
