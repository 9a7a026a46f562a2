"""Code actions that switch a rule off: for one loop by a comment, for a folder in its `.warplens.toml`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types
from warplens.analysis.advice.finding import Finding
from warplens.analysis.engine.switched_off import known_code
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ports.fix import FixEdits
from warplens.analysis.ports.source_lines import lines_above
from warplens.analysis.text.span import Span
from warplens.server.features.fix_reference import nest_reference
from warplens.server.features.folder_file_edit import folder_file, folder_file_edit, may_be_edited
from warplens.server.features.workspace_edit import refused
from warplens.server.files.folder_files import CONFIG_NAME
from warplens.server.lsp.client_support import client_support
from warplens.server.lsp.places import header_span, node_span
from warplens.server.render.visible_text import visible
from warplens.server.session.documents import Document
from warplens.server.settings.folder_config import with_rule_disabled
from warplens.server.worker.job import NestAnswer

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer

HERE, IN_FILE = "off", "off in file"


def off_actions(
    ls: WarplensServer, document: Document, nest: NestAnswer, wanted: Span, context: types.CodeActionContext
) -> list[types.CodeAction]:
    """Two actions for each rule that has a message on the lines of a range."""
    first, last = document.positions.line_of(wanted.start), document.positions.line_of(wanted.end)
    found: dict[tuple[str, NodeId], int] = {}
    for finding in nest.findings:
        line = document.positions.line_of(_place(nest, finding))
        if first <= line <= last:
            found.setdefault((finding.code, _loop_around(nest, finding)), line)
    client = client_support(ls.client_capabilities)
    actions: list[types.CodeAction] = []
    for (code, loop), line in found.items():
        data = {**nest_reference(document, nest), "code": code, "loop": loop}
        about = [d for d in context.diagnostics if d.code == code and d.range.start.line == line] or None
        kind = types.CodeActionKind.QuickFix
        title = f"Switch {code} off for this loop"
        actions.append(types.CodeAction(title, kind, diagnostics=about, data={**data, "action": HERE}))
        path = folder_file(ls, document)
        if path is not None and may_be_edited(client, path):
            title = visible(f"Switch {code} off in {path.parent.name or path.parent}/{CONFIG_NAME}")
            actions.append(types.CodeAction(title, kind, diagnostics=about, data={**data, "action": IN_FILE}))
    return actions


def off_edits(document: Document, nest: NestAnswer, data: dict[str, Any]) -> FixEdits:
    """The comment above the loop; empty for a code or a loop that is not known."""
    code = known_code(str(data.get("code")))
    span = header_span(nest.spans, NodeId(int(data.get("loop", 0))))
    lines = (f"// warplens: off {code}",)
    return FixEdits((lines_above(document.text, span.start, lines),) if span and code else ())


def off_in_file(ls: WarplensServer, document: Document, data: dict[str, Any]) -> types.WorkspaceEdit:
    """The code added to the folder's file, or that file made; raises the error of `refused`."""
    code = known_code(str(data.get("code")))
    if code is None:
        raise refused("there is no such rule")
    return folder_file_edit(ls, document, lambda text: with_rule_disabled(text, code))


def _place(nest: NestAnswer, finding: Finding) -> int:
    span = node_span(nest.spans, finding.node) or header_span(nest.spans, NodeId(0))
    return span.start if span else nest.spans.base


def _loop_around(nest: NestAnswer, finding: Finding) -> NodeId:
    """The innermost loop that a finding stands in."""
    at = _place(nest, finding) - nest.spans.base
    around = [(span.end - span.start, loop) for loop, span in nest.spans.whole if span.start <= at < span.end]
    return min(around, default=(0, NodeId(0)))[1]
