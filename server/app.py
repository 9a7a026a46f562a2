"""The language server with all its features: who may import everything."""

from __future__ import annotations

from functools import partial

from lsprotocol import types
from warplens.server.handlers import documents, lifecycle, own_requests, predictions, questions
from warplens.server.session.language_server import WarplensServer
from warplens.server.session.progress import cancel_work
from warplens.server.worker.process import AnalysisProcess


def build_server(analysis: AnalysisProcess | None = None) -> WarplensServer:
    """A server with all its features, ready to be started."""
    server = WarplensServer(analysis)
    for handlers in (lifecycle, documents, own_requests, predictions, questions):
        handlers.register(server)
    server.feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)(cancel_work)
    server.protocol.give_up = partial(documents.give_up, server)
    server.protocol.asked_about = partial(documents.seen, server)
    return server
