"""Problems of `.warplens.toml` files as diagnostics in those files, whether they are open or not."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from warplens.server.features.to_lsp import SOURCE
from warplens.server.files.folder_files import CONFIG_NAME
from warplens.server.render.visible_text import visible

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer
    from warplens.server.settings.folder_config import ConfigProblem

_CODE = "configuration"
_WHOLE_LINE = 10_000
"""Clients cut a range at the end of its line."""


def publish(server: WarplensServer, uri: str, problems: Iterable[ConfigProblem]) -> None:
    """Show what the analysis of a document found in its folder's file, and take back what is mended.

    They are pushed to every client: one that pulls asks for C files only.
    """
    before = server.config_problems.pop(uri, ())
    now = tuple(problem for problem in problems if Path(problem.path).name == CONFIG_NAME)
    if now:
        server.config_problems[uri] = now
    for path in sorted({problem.path for problem in (*before, *now)}):
        found = {each for known in server.config_problems.values() for each in known if each.path == path}
        diagnostics = [_diagnostic(each) for each in sorted(found, key=lambda each: (each.line, each.message))]
        with contextlib.suppress(ConnectionError):
            server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(Path(path).as_uri(), diagnostics))


def _diagnostic(problem: ConfigProblem) -> types.Diagnostic:
    line = max(problem.line - 1, 0)
    place = types.Range(types.Position(line, 0), types.Position(line, _WHOLE_LINE))
    return types.Diagnostic(
        place, visible(problem.message), severity=types.DiagnosticSeverity.Warning, code=_CODE, source=SOURCE
    )
