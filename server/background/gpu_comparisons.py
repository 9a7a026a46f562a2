"""A nest on other GPUs, one GPU after the other, so that an analysis waits for one prediction at most."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from warplens.server.compared_gpus.job import COMPARED, ComparedGpu, CompareJob
from warplens.server.session.documents import Document
from warplens.server.worker.process import AnalysisFailedError, AnalysisTimedOutError

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer

logger = logging.getLogger(__name__)


async def nest_on_gpus(
    server: WarplensServer,
    packed: bytes,
    gpus: Iterable[str],
    data: Literal["cold", "resident"],
    limit_s: float,
    *,
    is_in_background: bool = False,
) -> tuple[ComparedGpu, ...]:
    """The nest on its own GPU and on these, fastest first; break-evens are looked for where somebody waits.

    Raises AnalysisFailedError and AnalysisTimedOutError.
    """
    found: dict[str, ComparedGpu] = {}
    for gpu in gpus:
        job = CompareJob(packed, (gpu,), data, limit_s, with_break_even=not is_in_background)
        for row in await server.analysis.run(job, is_in_background=is_in_background):
            found.setdefault(row.name, row)
    return tuple(sorted(found.values(), key=lambda row: row.cold_s if data == "cold" else row.resident_s))


def find_comparison(server: WarplensServer, document: Document, packed: bytes) -> None:
    """Begin to compare a nest that was hovered over: the next hover shows it."""
    if document.comparisons.ask(packed):
        server.in_background(asyncio.ensure_future(_find(server, document, packed)))


async def _find(server: WarplensServer, document: Document, packed: bytes) -> None:
    limit_s = server.configuration.known(document.uri).analysis_time_limit_s
    try:
        async with server.analysis.background_turn:
            rows = await nest_on_gpus(server, packed, COMPARED, "cold", limit_s, is_in_background=True)
            document.comparisons.give(packed, rows)
    except (AnalysisFailedError, AnalysisTimedOutError) as failed:
        logger.warning("not compared with other GPUs: %s\n%s", failed, getattr(failed, "details", ""))
        document.comparisons.give(packed, ())
    finally:
        document.comparisons.give_up(packed)
