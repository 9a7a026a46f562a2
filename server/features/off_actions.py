"""Code actions that switch a rule off: for one loop by a comment, for a folder in its `.warplens.toml`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.uris import from_fs_path
from warplens.analysis.advice.finding import Finding
from warplens.analysis.engine.switched_off import known_code
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ports.fix import FixEdits
from warplens.analysis.ports.source_lines import lines_above
from warplens.analysis.text.span import Span
from warplens.server.features.fix_reference import nest_reference
from warplens.server.features.workspace_edit import refused
from warplens.server.files.folder_files import CONFIG_NAME
from warplens.server.files.regular_file import read_inside
from warplens.server.lsp.client_support import ClientSupport, client_support
from warplens.server.lsp.places import header_span, node_span
from warplens.server.lsp.positions import PositionMap
from warplens.server.render.visible_text import visible
from warplens.server.session.documents import Document, difference
from warplens.server.settings.folder_config import ConfigEditError, nearest_config, with_rule_disabled
from warplens.server.worker.job import NestAnswer

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer

HERE, IN_FILE = "off", "off in file"
_MAX_BYTES = 1 << 20


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
        path = _config_path(ls, document)
        if path is not None and client.takes_document_changes and (client.creates_files or path.is_file()):
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
    code, path = known_code(str(data.get("code"))), _config_path(ls, document)
    if code is None or path is None:
        raise refused("there is no such rule, or no folder for a file")
    is_new = not path.is_file()
    if is_new and path.is_symlink():
        raise refused(f"{path.name} can't be changed: it is a link to nothing, behind which another file would be made")
    try:
        before = "" if is_new else read_inside(path, path.parent, _MAX_BYTES).decode("utf-8")
        after = with_rule_disabled(before, code)
    except (OSError, ValueError, ConfigEditError) as error:
        raise refused(f"{path.name} can't be changed: {error}") from None
    return _edit(client_support(ls.client_capabilities), path, before, after, document.encoding, is_new=is_new)


def _edit(
    client: ClientSupport, path: Path, before: str, after: str, encoding: str, *, is_new: bool
) -> types.WorkspaceEdit:
    change_in = difference(before, after)
    place = PositionMap(before, encoding).range(Span(change_in.start, change_in.old_end))
    uri = from_fs_path(str(path)) or path.as_uri()
    edit = types.TextEdit(place, after[change_in.start : change_in.new_end])
    change = types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri, None), [edit])
    if not is_new:
        return types.WorkspaceEdit(document_changes=[change])
    if not client.creates_files:
        raise refused(f"this editor can't create files: write {path.name} by hand")
    options = types.CreateFileOptions(overwrite=False, ignore_if_exists=True)
    return types.WorkspaceEdit(document_changes=[types.CreateFile(uri, options=options), change])


def _config_path(ls: WarplensServer, document: Document) -> Path | None:
    """The file that counts for a document, else the one to make, in the innermost workspace folder around it."""
    if not document.uri.startswith("file:"):
        return None
    folder, roots = Path(document.path).parent, ls.roots()
    around = [root for root in roots if folder.is_relative_to(root)]
    new = max(around, key=lambda root: len(root.parts), default=folder) / CONFIG_NAME
    return nearest_config(folder, roots) or new


def _place(nest: NestAnswer, finding: Finding) -> int:
    span = node_span(nest.spans, finding.node) or header_span(nest.spans, NodeId(0))
    return span.start if span else nest.spans.base


def _loop_around(nest: NestAnswer, finding: Finding) -> NodeId:
    """The innermost loop that a finding stands in."""
    at = _place(nest, finding) - nest.spans.base
    around = [(span.end - span.start, loop) for loop, span in nest.spans.whole if span.start <= at < span.end]
    return min(around, default=(0, NodeId(0)))[1]
