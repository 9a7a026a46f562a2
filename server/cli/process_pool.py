"""A few analysis processes, each with one job at a time."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

from warplens.server.worker.job import Job
from warplens.server.worker.process import AnalysisProcess

T = TypeVar("T")
_FILES_PER_PROCESS = 4
"""A process takes about as long to start as this many small files to analyse."""
_MOST_PROCESSES = 8


class ProcessPool:
    """As many as pay for their start; each is started with its first job."""

    def __init__(self, file_count: int) -> None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        count = max(1, min(cores, file_count // _FILES_PER_PROCESS, _MOST_PROCESSES))
        self._processes = [AnalysisProcess() for _ in range(count)]
        self._idle: asyncio.LifoQueue[AnalysisProcess] = asyncio.LifoQueue()
        for process in reversed(self._processes):
            self._idle.put_nowait(process)

    @asynccontextmanager
    async def process(self) -> AsyncIterator[AnalysisProcess]:
        """The next one that is idle, for several jobs in a row."""
        process = await self._idle.get()
        try:
            yield process
        finally:
            self._idle.put_nowait(process)

    async def run(self, job: Job[T]) -> T:
        """The result of a job; raises AnalysisTimedOutError and AnalysisFailedError."""
        async with self.process() as process:
            return await process.run(job)

    async def stop(self) -> None:
        """End all of them."""
        for process in self._processes:
            await process.stop()
