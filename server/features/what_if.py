"""`warplens/whatIf`: a nest's prediction with other sizes, machines or launches (docs/what-if.md)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from warplens.server.features.asked_nest import NoNestError, asked_document, asked_nest, unchanged_nest
from warplens.server.session.panel_question import PanelQuestion
from warplens.server.what_if.job import WhatIfJob
from warplens.server.what_if.without_numbers import unanswered
from warplens.server.worker.process import AnalysisFailedError, AnalysisTimedOutError

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer

Json = dict[str, Any]


async def what_if(ls: WarplensServer, params: object) -> Json:
    """Answer a question; what a client did wrong is part of the answer.

    Raises JsonRpcException: the nest was edited since it was analysed, or a newer question of the panel came.
    """
    asked = params if isinstance(params, dict) else {}
    try:
        document = asked_document(ls, asked)
        nest = asked_nest(document, asked)
    except NoNestError as why:
        return unanswered(str(why))
    limit_s = ls.configuration.known(document.uri).analysis_time_limit_s

    def job() -> WhatIfJob:
        now = unchanged_nest(ls, document, nest)
        bare = replace(now, fixes=(), findings=(), hints=())
        return WhatIfJob(document.text, bare, asked.get("changes"), limit_s, with_page=asked.get("page") is True)

    panel = asked.get("panel")
    try:
        answer = await _in_turn(ls, job, panel if isinstance(panel, str) else None)
    except AnalysisTimedOutError as ended:
        return unanswered(f"the prediction was ended after {ended.limit_s:g} s")
    except AnalysisFailedError as failed:
        return unanswered(f"the prediction failed: {failed}")
    unchanged_nest(ls, document, nest)
    return answer


async def _in_turn(ls: WarplensServer, job: Callable[[], WhatIfJob], panel: str | None) -> Json:
    """The answer when the process is free. What waits can be dropped; what has begun is finished in any case."""

    async def make_job() -> WhatIfJob:
        waiting.has_begun = True
        return job()

    waiting = PanelQuestion(asyncio.ensure_future(ls.analysis.run_newest(make_job, patience_s=0.0)))
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


def _supersede(ls: WarplensServer, panel: str, waiting: PanelQuestion) -> None:
    older = ls.what_ifs.get(panel)
    if older is not None and not older.has_begun:
        older.is_superseded = True
        older.task.cancel()
    ls.what_ifs[panel] = waiting
