"""`warplens/whatIf`: a nest's prediction with other sizes, machines or launches (docs/what-if.md)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from warplens.server.documents import Document
from warplens.server.settings import is_size
from warplens.server.what_if.job import WhatIfJob
from warplens.server.what_if.without_numbers import unanswered
from warplens.server.worker.job import Answer, NestAnswer
from warplens.server.worker.process import AnalysisFailedError, AnalysisTimedOutError

if TYPE_CHECKING:
    from warplens.server.language_server import WarplensServer

Json = dict[str, Any]


class NoNestError(Exception):
    """Why there is nothing to predict, for the user."""


@dataclass(slots=True)
class Waiting:
    """A question that is in front of the analysis process, or in it."""

    task: asyncio.Task[Json]
    has_begun: bool = False
    is_superseded: bool = False


async def what_if(ls: WarplensServer, params: object) -> Json:
    """Answer a question; what a client did wrong is part of the answer.

    Raises JsonRpcException: the nest was edited since it was analysed, or a newer question of the panel came.
    """
    asked = params if isinstance(params, dict) else {}
    try:
        document = _document(ls, asked)
        nest = _nest(document, asked)
    except NoNestError as why:
        return unanswered(str(why))
    limit_s = ls.configuration.known(document.uri).analysis_time_limit_s

    def job() -> WhatIfJob:
        now = _unchanged(ls, document, nest)
        bare = replace(now, fixes=(), findings=(), hints=())
        return WhatIfJob(document.text, bare, asked.get("changes"), limit_s, with_page=asked.get("page") is True)

    panel = asked.get("panel")
    try:
        answer = await _in_turn(ls, job, panel if isinstance(panel, str) else None)
    except AnalysisTimedOutError as ended:
        return unanswered(f"the prediction was ended after {ended.limit_s:g} s")
    except AnalysisFailedError as failed:
        return unanswered(f"the prediction failed: {failed}")
    _unchanged(ls, document, nest)
    return answer


async def _in_turn(ls: WarplensServer, job: Callable[[], WhatIfJob], panel: str | None) -> Json:
    """The answer when the process is free. What waits can be dropped; what has begun is finished in any case."""

    async def make_job() -> WhatIfJob:
        waiting.has_begun = True
        return job()

    waiting = Waiting(asyncio.ensure_future(ls.analysis.run_newest(make_job, patience_s=0.0)))
    waiting.task.add_done_callback(lambda task: task.cancelled() or task.exception())
    if panel is not None:
        _supersede(ls, panel, waiting)
    try:
        return await asyncio.shield(waiting.task)
    except asyncio.CancelledError:
        if waiting.is_superseded:
            raise JsonRpcException(
                "a newer question of this panel took its place", types.LSPErrorCodes.ServerCancelled.value
            ) from None
        if not waiting.has_begun:
            waiting.task.cancel()
        raise
    finally:
        if panel is not None and ls.what_ifs.get(panel) is waiting:
            del ls.what_ifs[panel]


def _supersede(ls: WarplensServer, panel: str, waiting: Waiting) -> None:
    older = ls.what_ifs.get(panel)
    if older is not None and not older.has_begun:
        older.is_superseded = True
        older.task.cancel()
    ls.what_ifs[panel] = waiting


def _document(ls: WarplensServer, asked: Json) -> Document:
    named = asked.get("textDocument")
    named = named if isinstance(named, dict) else {}
    document = ls.documents.get(str(named.get("uri")))
    if document is None:
        raise NoNestError("the file is not open in this session")
    if named.get("version") not in (None, document.version):  # a list, too, can be held against these
        raise _modified()
    return document


def _nest(document: Document, asked: Json) -> NestAnswer:
    """The nest that is named, or that stands at the position."""
    answer = document.answer
    if answer is None:
        raise NoNestError(document.failure.message if document.failure else "the file is not analysed yet: ask again")
    nest = asked.get("nest")
    found = _named(answer, nest) if isinstance(nest, dict) else _at(document, answer, asked.get("position"))
    if not found.packed:
        raise NoNestError(f"the loop was not analysed: {found.failure}")
    return found


def _named(answer: Answer, nest: Json) -> NestAnswer:
    wanted = str(nest.get("function")), nest.get("ordinal")
    for function in answer.functions:
        for each in function.nests:
            if (each.id.function, each.id.ordinal) == wanted:
                return each
    if wanted[0] in {name for name, _ in answer.edited}:
        raise _modified()
    raise NoNestError(f"there is no loop nest {wanted[1]} in a function `{wanted[0]}`")


def _at(document: Document, answer: Answer, position: object) -> NestAnswer:
    offset = _offset(document, position)
    for function in answer.functions:
        for nest in function.nests:
            if any(span.shifted(nest.spans.base).contains(offset) for _, span in nest.spans.whole):
                return nest
    if any(span.contains(offset) for _, span in answer.edited):
        raise _modified()
    reason = next((f": {o.reason}" for o in answer.opaque if o.span.contains(offset)), "")
    raise NoNestError(f"no loop that was analysed stands there{reason}")


def _offset(document: Document, position: object) -> int:
    at = position if isinstance(position, dict) else {}
    line, character = at.get("line"), at.get("character")
    if not isinstance(line, int) or not isinstance(character, int) or not is_size(line) or not is_size(character):
        raise NoNestError("a question names a `position` or a `nest`")
    return document.positions.offset(types.Position(line, character))


def _unchanged(ls: WarplensServer, document: Document, nest: NestAnswer) -> NestAnswer:
    """The nest where it stands now; the error that says so where it is not as it was when it was asked about."""
    answer = document.answer if ls.documents.get(document.uri) is document else None
    for function in answer.functions if answer else ():
        for each in function.nests:
            if each.id == nest.id and each.packed == nest.packed:
                return each
    raise _modified()


def _modified() -> JsonRpcException:
    return JsonRpcException("the loop was edited since it was analysed", types.LSPErrorCodes.ContentModified.value)
