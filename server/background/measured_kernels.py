"""Predictions for the runs of measured kernels, made after a hover asked for a nest that is linked to some."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from warplens.server.measure.counters.linked_kernel import LinkedKernel
from warplens.server.measure.counters.static_job import StaticTimes, StaticTimesJob
from warplens.server.session.documents import Document
from warplens.server.worker.job import NestAnswer
from warplens.server.worker.process import AnalysisFailedError, AnalysisTimedOutError

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer

logger = logging.getLogger(__name__)

Subject = tuple[bytes, tuple[LinkedKernel, ...]]


def static_times_of(server: WarplensServer, document: Document, nest: NestAnswer) -> tuple[StaticTimes, ...]:
    """What is predicted for the runs of the nest's kernels; empty at first, and then begun: the next hover has it."""
    subject = (nest.packed, nest.kernels)
    if document.static_times.ask(subject):
        server.in_background(asyncio.ensure_future(_find(server, document, subject)))
    return document.static_times.get(subject) or ()


async def _find(server: WarplensServer, document: Document, subject: Subject) -> None:
    packed, kernels = subject
    limit_s = server.configuration.known(document.uri).analysis_time_limit_s
    roots = tuple(map(str, server.roots()))
    try:
        async with server.analysis.background_turn:
            job = StaticTimesJob(packed, kernels, roots, limit_s)
            document.static_times.give(subject, await server.analysis.run(job, is_in_background=True))
    except (AnalysisFailedError, AnalysisTimedOutError) as failed:
        logger.warning("measured kernels without predictions: %s\n%s", failed, getattr(failed, "details", ""))
        none = StaticTimes((), notes=(f"Nothing is predicted for these runs: {failed}.",))
        document.static_times.give(subject, (none,) * len(kernels))
    finally:
        document.static_times.give_up(subject)
