"""When a document is analysed: on open, save and change of settings; always the newest text, one at a time."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warplens.analysis.ir.ids import LoopId
from warplens.analysis.text.span import Span
from warplens.server.background import program_reading
from warplens.server.background.break_evens import find_break_evens
from warplens.server.background.program_reading import open_program, program_now, read_program
from warplens.server.features import config_diagnostics, diagnostics
from warplens.server.render.visible_text import visible_name
from warplens.server.session.documents import NOWHERE, Document, Failure
from warplens.server.session.progress import shown_progress
from warplens.server.worker.attempts import analyse_past_runaways
from warplens.server.worker.job import AnalysisJob, Answer, Job
from warplens.server.worker.process import AnalysisFailedError, AnalysisTimedOutError

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer

_PAUSE_S = 0.4
_SHORT_PAUSE_S = 0.01
"""Longer than between two changes that are one to the user."""
logger = logging.getLogger(__name__)


class _NotWantedError(Exception):
    """A preparation whose turn came when what it prepares was asked for already, or the document closed."""


def request_analysis(server: WarplensServer, document: Document) -> None:
    """Analyse the document's newest text; requests that come meanwhile become one."""
    _cancel_pause(document)
    document.wanted += 1
    document.requested_version = document.version
    if document.runner is None or document.runner.done():
        document.runner = asyncio.ensure_future(_run(server, document))
    elif _is_outdated(server.analysis.job, document):
        server.analysis.hurry()


def request_analysis_of_all(server: WarplensServer) -> None:
    """Analyse every open document again, all of it, and read what of their programs may be another one."""
    server.forget_reported_problems()
    server.programs.look_again()
    for document in server.documents.values():
        document.skipped.clear()
        request_analysis(server, document)


def files_changed(server: WarplensServer, paths: Iterable[str], *, are_new: bool = False) -> None:
    """Files on the disk were written or removed, or (`are_new`) came into being: documents may be other ones for it."""
    program_reading.files_changed(server, paths, partial(request_analysis, server), are_new=are_new)


def _is_outdated(job: Job[Any] | None, document: Document) -> bool:
    """Whether it works on what was asked for before, or on an older text."""
    if job is None:
        return False
    return job is document.job or (job is document.preparing and document.preparing.text != document.text)


def analyse_after_pause(server: WarplensServer, document: Document) -> None:
    """Analyse when the document has not changed for a while."""
    _cancel_pause(document)
    loop = asyncio.get_running_loop()
    document.pause = loop.call_later(_PAUSE_S, request_analysis, server, document)


def prepare_after_pause(server: WarplensServer, document: Document) -> None:
    """Work out what a save will show while the user reaches for it."""
    _cancel_pause(document)
    loop = asyncio.get_running_loop()
    document.pause = loop.call_later(_SHORT_PAUSE_S, _begin_preparation, server, document)


def _begin_preparation(server: WarplensServer, document: Document) -> None:
    if document.is_preparable and (document.preparation is None or document.preparation.done()):
        document.preparation = asyncio.ensure_future(_prepare(server, document))
        server.in_background(document.preparation)


async def _prepare(server: WarplensServer, document: Document) -> None:
    version = None

    async def make_job() -> AnalysisJob:
        nonlocal version
        if document.requested_version == document.version or server.documents.get(document.uri) is not document:
            raise _NotWantedError
        document.preparing = await _preparation(server, document, lambda: document.text)
        version = document.version
        return document.preparing

    def at_part(answer: Answer) -> None:
        if document.preparing is not None:
            document.prepared = (document.preparing, answer)
            _show_prepared(server, document)

    while version != document.version and server.documents.get(document.uri) is document:
        try:
            at_part(await server.analysis.run_newest(make_job, at_part, patience_s=None))
        except _NotWantedError:
            return
        except (AnalysisFailedError, AnalysisTimedOutError) as failed:
            document.is_preparable = False
            if isinstance(failed, AnalysisTimedOutError) and failed.function and version == document.version:
                document.skipped.add(LoopId(failed.function, failed.ordinal))  # the save need not try it, too
            logger.info("nothing is prepared for the next save: %s", failed)
            return


def _show_prepared(server: WarplensServer, document: Document) -> None:
    """Show what was prepared of the text that is asked for while its own analysis waits for its turn."""
    if document.prepared is not None and document.prepared[0] == document.expected:
        document.expected = None
        document.take_text()
        document.accept(document.prepared[1], is_partial=True)
        _show(server, document)


def forget(document: Document) -> None:
    """Stop everything that is under way for a document."""
    _cancel_pause(document)
    document.expected = None
    if document.runner is not None:
        document.runner.cancel()


def _cancel_pause(document: Document) -> None:
    if document.pause is not None:
        document.pause.cancel()
        document.pause = None


async def _run(server: WarplensServer, document: Document) -> None:
    while document.begun != document.wanted:
        await _analyse_once(server, document)
    if document.edits and not server.configuration.known(document.uri).analyse_while_typing:
        prepare_after_pause(server, document)  # what was typed meanwhile


async def _preparation(server: WarplensServer, document: Document, take_text: Callable[[], str]) -> AnalysisJob:
    settings = await server.configuration.settings_for(server, document.uri)
    text = take_text()
    roots = tuple(str(root) for root in server.roots())
    program = program_now(server, document.path, settings)
    skipped = frozenset(document.skipped)
    return AnalysisJob(document.path, text, settings, roots, server.trusted, skipped, program=program)


async def _analyse_once(server: WarplensServer, document: Document) -> None:
    shows_parts = document.answer is None or document.is_partial  # else what is shown stays until all is known

    async def make_job() -> AnalysisJob:
        document.expected = None
        job = await _preparation(server, document, document.take_text)
        document.job = replace(job, keeps_result=job.settings.keeps_results, shows_parts=shows_parts)
        return document.job

    def at_part(part: Answer) -> None:
        document.accept(part, is_partial=True)
        _show(server, document)

    document.begun = document.wanted  # also where no job comes of it
    try:
        async with shown_progress(server, f"Analysing {visible_name(Path(document.path).name)}"):
            settings = await server.configuration.settings_for(server, document.uri)  # while the other process loads
            server.load_ahead()
            await open_program(server, document, settings)
            document.expected = await _preparation(server, document, lambda: document.text)
            if document.preparing == document.expected and document.preparing is server.analysis.job:
                server.analysis.expect()
            _show_prepared(server, document)
            answer = await analyse_past_runaways(
                server.analysis, make_job, document.skipped, at_part, lambda: document.seen_s
            )
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
        server.report_config_problems(answer.config_problems)
        config_diagnostics.publish(server, document.uri, answer.config_problems)
    finally:
        document.expected = None
    _show(server, document)
    if document.job is not None:
        read_program(server, document, document.job.settings, partial(request_analysis, server))
    find_break_evens(server, document)


def _show(server: WarplensServer, document: Document) -> None:
    with contextlib.suppress(ConnectionError):
        diagnostics.publish(server, document)
        server.refresh()
    if document.answer is not None:
        from warplens.hwprofiles.profile import ProfileError  # noqa: PLC0415 - see load_ahead.py
        from warplens.server.worker.packing import load_profiles  # noqa: PLC0415 - as above

        with contextlib.suppress(ProfileError):  # a user's file that was changed since: whoever needs it says so
            load_profiles(document.answer.gpu, document.answer.cpu)


def _fail(document: Document, message: str, function: str = "") -> None:
    named = re.search(rf"\b{re.escape(function)}\s*\(", document.text) if function else None
    document.fail(Failure(message, Span(named.start(), named.start() + len(function)) if named else NOWHERE))
