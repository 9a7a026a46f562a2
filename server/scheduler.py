"""When a document is analysed: on open, save and change of settings; always the newest text, one at a time."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
from pathlib import Path
from typing import TYPE_CHECKING

from warplens.analysis.text.span import Span
from warplens.server.break_evens import find_break_evens
from warplens.server.documents import NOWHERE, Document, Failure
from warplens.server.features import config_diagnostics, diagnostics
from warplens.server.progress import shown_progress
from warplens.server.worker.attempts import analyse_past_runaways
from warplens.server.worker.job import AnalysisJob
from warplens.server.worker.packing import load_profiles
from warplens.server.worker.process import AnalysisFailedError, AnalysisTimedOutError

if TYPE_CHECKING:
    from warplens.server.language_server import WarplensServer

_PAUSE_S = 0.4
logger = logging.getLogger(__name__)


def request_analysis(server: WarplensServer, document: Document) -> None:
    """Analyse the document's newest text; requests that come meanwhile become one."""
    _cancel_pause(document)
    document.wanted += 1
    document.requested_version = document.version
    if document.runner is None or document.runner.done():
        document.runner = asyncio.ensure_future(_run(server, document))


def analyse_after_pause(server: WarplensServer, document: Document) -> None:
    """Analyse when the document has not changed for a while."""
    _cancel_pause(document)
    loop = asyncio.get_running_loop()
    document.pause = loop.call_later(_PAUSE_S, request_analysis, server, document)


def forget(document: Document) -> None:
    """Stop everything that is under way for a document."""
    _cancel_pause(document)
    if document.runner is not None:
        document.runner.cancel()


def _cancel_pause(document: Document) -> None:
    if document.pause is not None:
        document.pause.cancel()
        document.pause = None


async def _run(server: WarplensServer, document: Document) -> None:
    done = -1
    while done != document.wanted:
        done = document.wanted
        await _analyse_once(server, document)


async def _analyse_once(server: WarplensServer, document: Document) -> None:
    async def make_job() -> AnalysisJob:
        settings = await server.configuration.settings_for(server, document.uri)
        text = document.take_text()
        roots = tuple(str(root) for root in server.roots())
        skipped = frozenset(document.skipped)
        return AnalysisJob(document.path, text, settings, roots, server.trusted, skipped, settings.keeps_results)

    try:
        async with shown_progress(server, f"Analysing {Path(document.path).name}"):
            answer = await analyse_past_runaways(server.analysis, make_job, document.skipped)
    except AnalysisTimedOutError as ended:
        where = f" in `{ended.function}` (its loop nest {ended.ordinal + 1})" if ended.function else ""
        _fail(document, f"{ended}{where}: the limit is `warplens.analysisTimeLimitSeconds`", ended.function)
    except AnalysisFailedError as failed:
        logger.error("%s\n%s", failed, failed.details)
        _fail(document, str(failed))
    except asyncio.CancelledError:
        if server.documents.get(document.uri) is not document:
            raise
        _fail(document, "the analysis was cancelled")
        task = asyncio.current_task()
        if task is not None:
            task.uncancel()
    else:
        document.accept(answer)
        load_profiles(answer.gpu, answer.cpu)
        server.report_config_problems(answer.config_problems)
        config_diagnostics.publish(server, document.uri, answer.config_problems)
    with contextlib.suppress(ConnectionError):
        diagnostics.publish(server, document)
        server.refresh()
    find_break_evens(server, document)


def _fail(document: Document, message: str, function: str = "") -> None:
    document.answer = None
    named = re.search(rf"\b{re.escape(function)}\s*\(", document.text) if function else None
    document.failure = Failure(message, Span(named.start(), named.start() + len(function)) if named else NOWHERE)
