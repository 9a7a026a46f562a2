"""`warplens/report`, `warplens/reportNest`, `warplens/compareGpus`: an open document as the report's page shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcException
from warplens.hwprofiles.profile import ProfileError
from warplens.server.documents import Document
from warplens.server.features.workspace_edit import refused
from warplens.server.positions import PositionMap
from warplens.server.report_page.break_even_data import break_even_as_json
from warplens.server.report_page.compared_gpus import COMPARED
from warplens.server.report_page.job import Part
from warplens.server.report_page.page import page_html
from warplens.server.report_page.report_data import file_data, nests_of, page_job, report_data
from warplens.server.worker.job import NestAnswer
from warplens.server.worker.process import AnalysisFailedError, AnalysisTimedOutError

if TYPE_CHECKING:
    from warplens.server.language_server import WarplensServer

Json = dict[str, Any]
_CONTENT_MODIFIED = -32801


def empty_page() -> Json:
    """The page without data, for a webview."""
    return {"html": page_html(None)}


async def report_of(ls: WarplensServer, params: object) -> Json | None:
    """Data of a document without the details of its nests; None where nothing was analysed.

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
            pages[at] = await _worked_out(ls, document, positions, nest, ("summary",))
            pages[at]["break_even"] = break_even_as_json(document.break_evens.get(nest.packed))
    file = file_data(document.path, positions, answer, pages)
    try:
        return report_data([file], answer.gpu, answer.cpu)
    except ProfileError as error:  # a file of the user's that was changed since
        raise refused(str(error)) from None


async def nest_detail(ls: WarplensServer, params: object) -> Json:
    """The details of one nest."""
    page = await _of_nest(ls, params, "detail")
    detail: Json = page["detail"]
    return detail


async def gpus_of(ls: WarplensServer, params: object) -> Json:
    """One nest on the GPUs that are compared."""
    return await _of_nest(ls, params, "gpus")


async def _of_nest(ls: WarplensServer, params: object, part: Part) -> Json:
    document = _document(ls, params)
    wanted = params.get("nest") if isinstance(params, dict) else None
    for nest in nests_of(document.answer) if document.answer else ():
        if wanted == {"function": nest.id.function, "ordinal": nest.id.ordinal} and nest.packed:
            return await _worked_out(ls, document, document.positions, nest, (part,))
    raise JsonRpcException("the loop nest was edited since it was analysed", _CONTENT_MODIFIED)


async def _worked_out(
    ls: WarplensServer, document: Document, positions: PositionMap, nest: NestAnswer, parts: tuple[Part, ...]
) -> Json:
    settings = await ls.configuration.settings_for(ls, document.uri)
    job = page_job(positions, nest, parts, COMPARED, settings.analysis_time_limit_s)
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
