"""A nest whose analysis does not end costs its file that nest, not the report."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from warplens.analysis.ir.ids import LoopId
from warplens.server.worker.job import AnalysisJob, Answer
from warplens.server.worker.process import AnalysisProcess, AnalysisTimedOutError

ATTEMPTS = 3
"""Each takes as long as the limit allows."""


async def analyse_past_runaways(
    process: AnalysisProcess,
    make_job: Callable[[], Awaitable[AnalysisJob]],
    skipped: set[LoopId],
    at_part: Callable[[Answer], None] = lambda _part: None,
    seen_s: Callable[[], float] = float,
) -> Answer:
    """Analyse, and again without the nest that an attempt was at when its limit ended it.

    Such nests are added to `skipped`, which `make_job` is to hand on. Between attempts other documents get their turn.
    `at_part` gets what is known meanwhile, `seen_s` says when the user looked at the file last.

    Raises AnalysisTimedOutError when the last attempt was ended too, or one that was at no nest, and
    AnalysisFailedError.
    """
    handed = frozenset(skipped)

    async def make() -> AnalysisJob:
        nonlocal handed
        handed = frozenset(skipped)
        return await make_job()

    for _ in range(ATTEMPTS - 1):
        try:
            return await process.run_newest(make, at_part, seen_s=seen_s)
        except AnalysisTimedOutError as ended:
            nest = LoopId(ended.function, ended.ordinal)
            # What a preparation found meanwhile is new to this job.
            if not ended.function or nest in handed:
                raise
            skipped.add(nest)
    return await process.run_newest(make, at_part, seen_s=seen_s)
