"""Code actions: the OpenMP directive, an assumption or a promise made explicit, the shared-memory choice as a comment.

Offered cheaply, from the evaluation; the edit is computed when the action is chosen, if the client can wait for it.
"""

from __future__ import annotations

from textwrap import shorten
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from warplens.analysis.facts.promises import directive_lines, promise_text
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.evaluation import NestEvaluation
from warplens.analysis.ports.openmp.target import OpenMpPort, insertable, openmp_target
from warplens.analysis.text.span import Span
from warplens.server.documents import Document
from warplens.server.features.loop_edits import insert_above, shared_memory_comment, size_directive
from warplens.server.render.amounts import plural
from warplens.server.to_lsp import header_span
from warplens.server.worker.job import NestAnswer
from warplens.server.worker.packing import unpack

if TYPE_CHECKING:
    from warplens.server.language_server import WarplensServer

OPTIONS = types.CodeActionOptions(
    code_action_kinds=[types.CodeActionKind.QuickFix, types.CodeActionKind.RefactorRewrite], resolve_provider=True
)
_CONTENT_MODIFIED = -32801
_ASSUMED_SIZE = "WL901"
_UNDECIDED = "WL102"
_DIRECTIVE = "omp target teams distribute parallel for"
_CLAUSES_LENGTH = 44


def code_actions(ls: WarplensServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """What can be done for the nests that the range touches."""
    document = ls.documents.get(params.text_document.uri)
    if document is None or document.answer is None:
        return []
    wanted = document.positions.span(params.range)
    actions: list[types.CodeAction] = []
    for function in document.answer.functions:
        for nest in function.nests:
            touched = _touched(nest, wanted)
            if nest.packed and NodeId(0) in touched:
                actions += _actions_of(document, nest, unpack(nest.packed), touched, params.context)
    only = params.context.only
    if only is not None:
        actions = [a for a in actions if any(_is_kind(a.kind, kind) for kind in only)]
    if not _client_shows_disabled(ls):
        actions = [a for a in actions if a.disabled is None]
    if not _client_resolves(ls):
        actions = [resolve(ls, action) for action in actions]
    return actions


def resolve(ls: WarplensServer, action: types.CodeAction) -> types.CodeAction:
    """Compute the edit; an action whose loop was edited meanwhile is refused as LSP wants."""
    data: dict[str, Any] = action.data if isinstance(action.data, dict) else {}
    document = ls.documents.get(str(data.get("uri")))
    nest = _nest(document, data) if document else None
    if document is None or nest is None or data.get("version") != document.version:
        raise JsonRpcException("the loop has changed since the action was offered", _CONTENT_MODIFIED)
    evaluation = unpack(nest.packed)
    match data.get("action"):
        case "openmp":
            port = _port(document, nest, evaluation)
            edits = [
                insert_above(document, span, (line.text,))
                for line in port.lines
                if (span := header_span(nest.spans, line.loop))
            ]
        case "promise":
            loop = NodeId(int(data.get("loop", 0)))
            span = header_span(nest.spans, loop)
            lines = directive_lines(evaluation.facts.verdict(loop).conditions)
            edits = [insert_above(document, span, lines)] if span and lines else []
        case "size":
            edits = _above_root(document, nest, size_directive(evaluation, str(data.get("name"))))
        case _:
            edits = _above_root(document, nest, shared_memory_comment(evaluation))
    identifier = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
    if _client_takes_document_changes(ls):
        action.edit = types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(identifier, list(edits))])
    else:
        action.edit = types.WorkspaceEdit(changes={document.uri: edits})
    return action


def _actions_of(
    document: Document,
    nest: NestAnswer,
    evaluation: NestEvaluation,
    touched: set[NodeId],
    context: types.CodeActionContext,
) -> list[types.CodeAction]:
    data = {"uri": document.uri, "version": document.version, "function": nest.id.function, "ordinal": nest.id.ordinal}
    actions: list[types.CodeAction] = []
    if evaluation.kernels:
        port = _port(document, nest, evaluation)
        actions.append(
            types.CodeAction(
                _port_title(port),
                types.CodeActionKind.RefactorRewrite,
                disabled=types.CodeActionDisabled(port.refusal) if port.refusal else None,
                data={**data, "action": "openmp"},
            )
        )
    actions += [
        types.CodeAction(
            _promise_title(verdict),
            types.CodeActionKind.QuickFix,
            diagnostics=_about(document, nest, verdict.loop, context) or None,
            data={**data, "action": "promise", "loop": verdict.loop},
        )
        for verdict in evaluation.facts.verdicts
        if verdict.conditions and verdict.loop in touched
    ]
    for assumption in evaluation.assumptions:
        is_assumed = assumption.kind == "size" and assumption.origin in {"default", "inferred"}
        if is_assumed and assumption.value is not None:
            about = [d for d in context.diagnostics if d.code == _ASSUMED_SIZE]
            actions.append(
                types.CodeAction(
                    f"Set the size `{assumption.subject}` (assumed {assumption.value:.0f})",
                    types.CodeActionKind.QuickFix,
                    diagnostics=about or None,
                    data={**data, "action": "size", "name": assumption.subject},
                )
            )
    if any(kernel.shared_greedy for kernel in evaluation.kernels):
        actions.append(
            types.CodeAction(
                "Describe the shared-memory choice in a comment",
                types.CodeActionKind.RefactorRewrite,
                data={**data, "action": "shared"},
            )
        )
    return actions


def _touched(nest: NestAnswer, wanted: Span) -> set[NodeId]:
    """Loops of a nest that a range touches."""
    base = nest.spans.base
    return {n for n, s in nest.spans.whole if s.start + base <= wanted.end and wanted.start <= s.end + base}


def _about(
    document: Document, nest: NestAnswer, loop: NodeId, context: types.CodeActionContext
) -> list[types.Diagnostic]:
    """The diagnostic that says what would have to be promised of a loop."""
    span = header_span(nest.spans, loop)
    start = document.positions.position(span.start) if span else None
    return [d for d in context.diagnostics if d.code == _UNDECIDED and d.range.start == start]


def _promise_title(verdict: LoopVerdict) -> str:
    """What will be promised, of much the first."""
    first, *others = verdict.conditions
    return f"Promise `{promise_text(first)}`{f' and {len(others)} more' if others else ''}: the loop is then parallel"


def _port(document: Document, nest: NestAnswer, evaluation: NestEvaluation) -> OpenMpPort:
    return insertable(openmp_target(evaluation), nest.spans, document.text)


def _port_title(port: OpenMpPort) -> str:
    """What will be written, as far as a menu shows it: the clauses, and `…` for the rest of them."""
    if not port.lines:
        return f"Insert `{_DIRECTIVE}`"
    first, *others = (line.text for line in port.lines)
    directive, _, clauses = first.partition(_DIRECTIVE)
    shown = shorten(clauses or directive.removeprefix("#pragma omp "), _CLAUSES_LENGTH, placeholder=" …")
    more = f" and {plural(len(others), 'more line')}" if others else ""
    return f"Insert `{_DIRECTIVE}`: {shown}{more}"


def _above_root(document: Document, nest: NestAnswer, lines: tuple[str, ...]) -> list[types.TextEdit]:
    span = header_span(nest.spans, NodeId(0))
    return [insert_above(document, span, lines)] if span and lines else []


def _nest(document: Document, data: dict[str, Any]) -> NestAnswer | None:
    for function in document.answer.functions if document.answer else ():
        for nest in function.nests:
            if (nest.id.function, nest.id.ordinal) == (data.get("function"), data.get("ordinal")) and nest.packed:
                return nest
    return None


def _is_kind(kind: types.CodeActionKind | str | None, wanted: types.CodeActionKind | str) -> bool:
    """Whether a kind is the wanted one or below it: `refactor` wants `refactor.rewrite` too, the empty kind all."""
    name, above = (each.value if isinstance(each, types.CodeActionKind) else each or "" for each in (kind, wanted))
    return not above or f"{name}.".startswith(f"{above}.")


def _client_resolves(ls: WarplensServer) -> bool:
    document = ls.client_capabilities.text_document
    support = document.code_action.resolve_support if document and document.code_action else None
    return support is not None and "edit" in support.properties


def _client_shows_disabled(ls: WarplensServer) -> bool:
    document = ls.client_capabilities.text_document
    return bool(document and document.code_action and document.code_action.disabled_support)


def _client_takes_document_changes(ls: WarplensServer) -> bool:
    workspace = ls.client_capabilities.workspace
    return bool(workspace and workspace.workspace_edit and workspace.workspace_edit.document_changes)
