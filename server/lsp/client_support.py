"""What a client said it can do with code actions and edits."""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol import types

PREVIEW_COMMAND = "warplens.previewFix"
"""The client's command, with what names a fix; a client that has it lists it in the initialization options."""
REPORT_COMMAND = "warplens.openReport"
COMPARE_COMMAND = "warplens.compareLoop"
PIN_COMMAND = "warplens.pinMapping"
"""The client's commands, with (uri, line, character) from 0 of the loop; listed as the one above is."""
PREVIEW_SCHEME = "warplens-preview"
"""Of documents with what a fix would write, for a client that asks for the content of documents."""


@dataclass(frozen=True, slots=True)
class ClientSupport:
    """`shows_annotations`: an edit can carry a description, and be asked about before it is applied."""

    resolves_actions: bool
    shows_disabled: bool
    takes_document_changes: bool
    creates_files: bool
    shows_annotations: bool


def client_support(capabilities: types.ClientCapabilities) -> ClientSupport:
    """Read it from the capabilities that came with `initialize`."""
    document = capabilities.text_document
    action = document.code_action if document else None
    workspace = capabilities.workspace
    edit = workspace.workspace_edit if workspace else None
    operations = (edit.resource_operations if edit else None) or ()
    takes_changes = bool(operations or (edit and edit.document_changes))  # Neovim says only that it can create files
    return ClientSupport(
        resolves_actions=bool(action and action.resolve_support and "edit" in action.resolve_support.properties),
        shows_disabled=bool(action and action.disabled_support),
        takes_document_changes=takes_changes,
        creates_files=takes_changes and types.ResourceOperationKind.Create in operations,
        shows_annotations=takes_changes and edit is not None and edit.change_annotation_support is not None,
    )


def hears_of_hints(capabilities: types.ClientCapabilities) -> bool:
    """Whether a client asks for its inlay hints again when it is told to."""
    workspace = capabilities.workspace
    return bool(workspace and workspace.inlay_hint and workspace.inlay_hint.refresh_support)


def shows_markdown(capabilities: types.ClientCapabilities) -> bool:
    """Whether a client renders markdown: it prefers it in hovers, and names the parser it has.

    One that names none (Neovim, Emacs) shows a table as its bars and dashes: it is served plain text in columns. What a
    client says of hovers counts for tooltips, of which it can say nothing.
    """
    document, general = capabilities.text_document, capabilities.general
    formats = document.hover.content_format if document and document.hover else None
    return bool(formats and formats[0] == types.MarkupKind.Markdown and general and general.markdown)
