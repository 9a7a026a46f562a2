"""The break-evens of a document's nests: asked for behind its diagnostics, in portions that let analyses through."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING

from warplens.server.session.documents import Document
from warplens.server.worker.job import BreakEvenJob
from warplens.server.worker.process import AnalysisFailedError, AnalysisTimedOutError

if TYPE_CHECKING:
    from warplens.analysis.models.sizes.break_even import BreakEven
    from warplens.server.session.language_server import WarplensServer

PORTION_S = 0.1
"""What comes meanwhile does not wait for so long: a portion ends early when it is in the way."""

_REST_S = 2.0
"""So long after a key nothing is begun: typing ends with a save, and that would wait for a step to end."""

_REFRESH_S = 1.0
"""Lenses are fetched again at most this often while there are more to come."""

logger = logging.getLogger(__name__)


def find_break_evens(server: WarplensServer, document: Document) -> None:
    """Ask for those that the document's answer has not; a newer answer takes the place of the older one's."""
    if document.break_even_task is None or document.break_even_task.done():
        document.break_even_task = asyncio.ensure_future(_find(server, document))
        server.in_background(document.break_even_task)


def missing_break_evens(document: Document) -> list[bytes]:
    """Packed evaluations of nests that have not been asked for, in the order of the text; silent nests come last."""
    functions = document.answer.functions if document.answer else ()
    nests = [nest for function in functions for nest in function.nests if nest.packed]
    nests.sort(key=lambda nest: nest.hidden is not None)
    return [nest.packed for nest in nests if nest.packed not in document.break_evens]


async def _find(server: WarplensServer, document: Document) -> None:
    shown_at = monotonic()
    is_shown = True
    while server.documents.get(document.uri) is document and not server.is_shut_down:
        missing = missing_break_evens(document)
        if not is_shown and (not missing or monotonic() - shown_at > _REFRESH_S):
            server.refresh()
            shown_at, is_shown = monotonic(), True
        if not missing:
            return
        rest_s = document.edited_at_s + _REST_S - monotonic()
        if rest_s > 0:
            await asyncio.sleep(rest_s)
            continue
        found = await find_break_even(server, missing[0], lambda: server.documents.get(document.uri) is document)
        document.break_evens.give(missing[0], found)
        is_shown = is_shown and found is None


async def find_break_even(
    server: WarplensServer, packed: bytes, is_wanted: Callable[[], bool] = lambda: True
) -> BreakEven | None:
    """That of one nest; None also where it can't be found: a loop's other numbers are shown without it.

    Where it is not wanted any more no further portion is asked for.
    """
    job = BreakEvenJob(packed, PORTION_S)
    async with server.analysis.background_turn:
        while not server.is_shut_down and is_wanted():
            try:
                portion = await server.analysis.run(job, is_in_background=True)
            except (AnalysisFailedError, AnalysisTimedOutError) as failed:
                logger.warning("no break-even: %s\n%s", failed, getattr(failed, "details", ""))
                return None
            if portion.is_finished:
                return portion.break_even
    return None
