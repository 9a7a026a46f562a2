"""The event loop's side of the analysis process: one job at a time, each with a hard limit."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import TYPE_CHECKING, TypeAlias, TypeVar, cast

from warplens.server.worker.early_process import EarlyProcess, start_early, taken_over
from warplens.server.worker.frames import Failed, Finished, NestStarted, Ready, encode_frame, read_frame_async

if TYPE_CHECKING:
    from warplens.server.worker.job import Job  # loads much of the analysis, and this file is loaded before all else

T = TypeVar("T")
_Process: TypeAlias = asyncio.subprocess.Process | EarlyProcess
_START_LIMIT_S = 60.0
_CREATION_END_LIMIT_S = 0.2
_COMMAND = (sys.executable, "-P", "-m", "warplens.server.worker.start")


class AnalysisTimedOutError(Exception):
    """The job was ended by its limit; `function` and `ordinal` name the nest it was at, empty before the first."""

    def __init__(self, limit_s: float, function: str, ordinal: int) -> None:
        super().__init__(f"the analysis was ended after {limit_s:g} s")
        self.limit_s = limit_s
        self.function = function
        self.ordinal = ordinal


class AnalysisFailedError(Exception):
    """The job raised, or killed its process twice; the message is for the user, `details` for a bug report."""

    def __init__(self, message: str, details: str = "") -> None:
        super().__init__(message)
        self.details = details


class AnalysisProcess:
    """Starts the process when needed, starts it again when it died or was ended."""

    def __init__(self, command: tuple[str, ...] = _COMMAND) -> None:
        self._command = command
        self._process: _Process | None = None
        self._creation: asyncio.Task[_Process] | None = None
        self._early: subprocess.Popen[bytes] | None = None
        self._is_closed = False
        self._turn = asyncio.Lock()
        self.background_turn = asyncio.Lock()
        """For work in many jobs that nobody waits for: one at a time, or each would undo the other's."""

    @property
    def process_id(self) -> int | None:
        """Id of the running process, None when there is none."""
        return self._process.pid if self._process and self._process.returncode is None else None

    def start_early(self) -> None:
        """Start it now, without an event loop, where loops can take a process over that is not their own."""
        if sys.platform != "win32":
            self._early = start_early(self._command)

    async def start(self) -> None:
        """Start ahead of the first job, so that it doesn't wait for imports."""
        async with self._turn:
            with contextlib.suppress(AnalysisFailedError):
                await self._ready()

    async def run(self, job: Job[T]) -> T:
        """The result of a job when its turn has come.

        Raises AnalysisTimedOutError and AnalysisFailedError.
        """

        async def make_job() -> Job[T]:
            return job

        return await self.run_newest(make_job)

    async def run_newest(self, make_job: Callable[[], Awaitable[Job[T]]]) -> T:
        """As `run`; `make_job` is called when the turn has come, so that it sees the newest text.

        Cancelling the call ends the process, since nothing else stops a job.
        """
        async with self._turn:
            job = await make_job()
            for last_attempt in (False, True):
                process = await self._ready()
                try:
                    return await self._run(process, job)
                except (asyncio.IncompleteReadError, ConnectionError, BrokenPipeError):
                    await self.stop()
                    if last_attempt:
                        raise AnalysisFailedError("the analysis process died twice on this file") from None
                except (AnalysisTimedOutError, asyncio.CancelledError):
                    await self.stop()
                    raise
            raise AssertionError("unreachable")

    async def close(self) -> None:
        """End the process for good: a start that is only about to begin is refused."""
        self._is_closed = True
        await self.stop()

    async def stop(self) -> None:
        """End the process, one that is being created too; a later job starts a new one."""
        if self._creation is not None:
            await asyncio.wait((self._creation,))
        if self._early is not None:
            await self._create()
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)  # its group: a compiler that it runs ends with it
            else:
                process.kill()
        await process.wait()

    async def _ready(self) -> _Process:
        if self._process is not None and self._process.returncode is None:
            return self._process
        if self._is_closed:
            raise AnalysisFailedError("the server is shutting down")
        # To the end even if nobody waits for it any more: what is created has to be ended.
        self._creation = asyncio.ensure_future(self._create())
        process = await asyncio.shield(self._creation)
        try:
            async with asyncio.timeout(_START_LIMIT_S):
                first = await read_frame_async(_stdout(process))
        except (TimeoutError, asyncio.IncompleteReadError):
            first = None
        if not isinstance(first, Ready):
            await self.stop()
            raise AnalysisFailedError("the analysis process could not be started; its messages are in the log")
        return process

    async def _create(self) -> _Process:
        """Start the process, or take over the early one, and come back when the loop ends meanwhile.

        The loop cancels once, all that is left. asyncio (3.11) then waits for pipes that nobody connects any more.
        """
        if self._early is not None:
            early, self._early = self._early, None
            self._process = await taken_over(early)
            return self._process
        creation = asyncio.ensure_future(
            asyncio.create_subprocess_exec(
                *self._command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, start_new_session=True
            )
        )
        try:
            self._process = await asyncio.shield(creation)
        except asyncio.CancelledError:
            await asyncio.wait((creation,), timeout=_CREATION_END_LIMIT_S)
            creation.cancel()
            raise
        return self._process

    async def _run(self, process: _Process, job: Job[T]) -> T:
        limit_s = job.limit_s
        deadline = monotonic() + limit_s
        at = NestStarted("", 0)
        stdin = process.stdin
        if stdin is None:
            raise AnalysisFailedError("the analysis process has no input")
        stdin.write(encode_frame(job))
        try:
            async with asyncio.timeout(limit_s):
                await stdin.drain()
                while True:
                    match await read_frame_async(_stdout(process)):
                        case NestStarted() as at:
                            continue
                        case Finished(result):
                            return cast("T", result)
                        case Failed(details):
                            raise AnalysisFailedError("internal error in the analysis of this file", details)
        except TimeoutError:
            if monotonic() < deadline:
                raise
            raise AnalysisTimedOutError(limit_s, at.function, at.ordinal) from None


def _stdout(process: _Process) -> asyncio.StreamReader:
    if process.stdout is None:
        raise AnalysisFailedError("the analysis process has no output")
    return process.stdout
