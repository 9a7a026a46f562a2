"""`warplens/report`, `warplens/reportNest`: an open document as the report's page shows it."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcException
from warplens.hwprofiles.profile import ProfileError
from warplens.server.background.break_evens import find_break_even
from warplens.server.compared_gpus.default_gpus import COMPARED
from warplens.server.features.workspace_edit import refused
from warplens.server.lsp.positions import PositionMap
from warplens.server.report_page.job import NestPageJob, Part
from warplens.server.report_page.page import page_html
from warplens.server.report_page.report_data import file_data, nests_of, page_job, report_data
from warplens.server.session.documents import Document
from warplens.server.worker.job import NestAnswer
from warplens.server.worker.process import AnalysisFailedError, AnalysisTimedOutError

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer

Json = dict[str, Any]
ASKED: tuple[Part, ...] = ("detail", "gpus")
"""Parts that one job works out; the break-even comes in portions."""
_CONTENT_MODIFIED = -32801


def empty_page() -> Json:
    """The page without data, for a webview."""
    return {"html": page_html(None)}


async def report_of(ls: WarplensServer, params: object) -> Json | None:
    """Data of a document without the details of its nests; None where nothing was analysed.

    `content` of a nest is the same as long as its details are, but for a break-even that is found meanwhile.
    A nest at a time, so that an analysis that is asked for meanwhile gets its turn.
    """
    document = _document(ls, params)
    answer = document.answer
    if answer is None:
        return None
    positions = document.positions
    pages: dict[int, Json] = {}
    for at, nest in enumerate(nests_of(answer)):
        if nest.packed:
            job = await _job(ls, document, positions, nest, ("summary", "stake"))
            pages[at] = {**await _worked_out(ls, job), "content": _digest(job)}
    file = file_data(document.path, positions, answer, pages)
    try:
        return report_data([file], answer.gpu, answer.cpu)
    except ProfileError as error:  # a file of the user's that was changed since
        raise refused(str(error)) from None


async def nest_parts(ls: WarplensServer, params: object) -> Json:
    """Parts of one nest, by their names."""
    document = _document(ls, params)
    asked = params if isinstance(params, dict) else {}
    nest = _nest(document, asked.get("nest"))
    wanted = asked.get("parts")
    named = wanted if isinstance(wanted, list) else []
    parts: tuple[Part, ...] = tuple(part for part in ASKED if part in named)
    if "break_even" in named:
        parts = (*parts, "summary")  # it may decide the verdict
        if nest.packed not in document.break_evens:
            found = await find_break_even(ls, nest.packed)
            document.break_evens.give(nest.packed, found)
            if found is not None:
                ls.refresh()  # the totals of the report may be others now, and so may the lens
    if not parts:
        return {}
    return await _worked_out(ls, await _job(ls, document, document.positions, nest, parts))


def _nest(document: Document, wanted: object) -> NestAnswer:
    for nest in nests_of(document.answer) if document.answer else ():
        if wanted == {"function": nest.id.function, "ordinal": nest.id.ordinal} and nest.packed:
            return nest
    raise JsonRpcException("the loop nest was edited since it was analysed", _CONTENT_MODIFIED)


async def _job(
    ls: WarplensServer, document: Document, positions: PositionMap, nest: NestAnswer, parts: tuple[Part, ...]
) -> NestPageJob:
    settings = await ls.configuration.settings_for(ls, document.uri)
    root = document.answer.program_root if document.answer else ""
    known = document.break_evens.get(nest.packed)
    return page_job(positions, nest, parts, COMPARED, settings.analysis_time_limit_s, root, known)


def _digest(job: NestPageJob) -> str:
    shown = repr((job.lines, job.size_sources, job.program_root))
    return sha256(b"%d %b %b" % (len(job.packed), job.packed, shown.encode("utf-8", "backslashreplace"))).hexdigest()


async def _worked_out(ls: WarplensServer, job: NestPageJob) -> Json:
    try:
        return await ls.analysis.run(job)
    except AnalysisTimedOutError as ended:
        raise refused(f"the report was ended after {ended.limit_s:g} s") from None
    except AnalysisFailedError as failed:
        raise refused(f"the report could not be made: {failed}") from None


def _document(ls: WarplensServer, params: object) -> Document:
    named = params.get("textDocument") if isinstance(params, dict) else None
    document = ls.documents.get(str(named.get("uri"))) if isinstance(named, dict) else None
    if document is None:
        raise refused("the document is not open")
    return document
