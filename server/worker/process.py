"""The event loop's side of the analysis process: one job at a time, each with a hard limit."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from warplens.server.program.packed_program import ToldPrograms
from warplens.server.worker.early_process import EarlyProcess, taken_over
from warplens.server.worker.early_start import COMMAND
from warplens.server.worker.frames import (
    LENGTH_BYTES,
    Failed,
    Finished,
    GaveWay,
    GiveWay,
    NestStarted,
    Part,
    ReadTooLong,
    Ready,
    encode_frame,
    unpickled,
)
from warplens.server.worker.sent_nests import ReceivedNests
from warplens.server.worker.turns import Turns, Wish

if TYPE_CHECKING:
    from warplens.server.worker.job import Job

T = TypeVar("T")
_Process: TypeAlias = asyncio.subprocess.Process | EarlyProcess
_START_LIMIT_S = 60.0
_LARGE_BYTES = 1 << 20
"""What is read in a thread: of a file of thousands of loops it would hold up every other request."""
_CREATION_END_LIMIT_S = 0.2
PATIENCE_S = 2.0
"""An analysis lets another one wait for so long; what a user just asked for does not wait."""
_MOST_PATIENCE_S = 30.0
_PRESS_AGAIN_S = 0.2
_LEAVE_LIMIT_S = 3.0
"""So long a job that nobody waits for may take to give way: a new process would take about as long to be as far."""


class AnalysisTimedOutError(Exception):
    """The job was ended by its limit; `function` and `ordinal` name the nest it was at, empty before the first.

    `is_reading`: it had not come to the nests, its process goes on, and the next analysis of the file from there.
    """

    def __init__(self, limit_s: float, function: str, ordinal: int, *, is_reading: bool = False) -> None:
        what = "reading this file was ended" if is_reading else "the analysis was ended"
        super().__init__(f"{what} after {limit_s:g} s{', what was read is remembered' * is_reading}")
        self.is_reading = is_reading
        self.limit_s = limit_s
        self.function = function
        self.ordinal = ordinal


class AnalysisFailedError(Exception):
    """The job raised, or killed its process twice; the message is for the user, `details` for a bug report."""

    def __init__(self, message: str, details: str = "") -> None:
        super().__init__(message)
        self.details = details


class AnalysisProcess:
    """Starts the process when needed, starts it again when it died or was ended; `early` is one that runs already."""

    def __init__(self, command: tuple[str, ...] = COMMAND, early: subprocess.Popen[bytes] | None = None) -> None:
        self._command = command
        self._process: _Process | None = None
        self._creation: asyncio.Task[_Process] | None = None
        self._early = early
        self._is_closed = False
        self._received = ReceivedNests()
        self._told = ToldPrograms()
        self.job: Job[Any] | None = None
        """The one that is under way."""
        self._job_since_s = 0.0
        self._is_awaited = True
        self._turn = Turns()
        self.background_turn = asyncio.Lock()
        """For work in many jobs that nobody waits for: one at a time, or each would undo the other's."""
        self._leaving: asyncio.Task[None] | None = None

    @property
    def process_id(self) -> int | None:
        """Id of the running process, None when there is none."""
        return self._process.pid if self._process and self._process.returncode is None else None

    async def start(self) -> None:
        """Start ahead of the first job, so that it doesn't wait for imports."""
        await self._turn.acquire(Wish.ASKED)
        try:
            with contextlib.suppress(AnalysisFailedError):
                await self._ready()
        finally:
            self._turn.release()

    async def run(self, job: Job[T], *, is_in_background: bool = False) -> T:
        """The result of a job when its turn has come; `is_in_background`: nobody waits for it.

        Raises AnalysisTimedOutError and AnalysisFailedError.
        """

        async def make_job() -> Job[T]:
            return job

        patience_s = None if is_in_background else 0.0
        return await self.run_newest(make_job, patience_s=patience_s)

    async def run_newest(
        self,
        make_job: Callable[[], Awaitable[Job[T]]],
        at_part: Callable[[T], None] = lambda _part: None,
        patience_s: float | None = PATIENCE_S,
        seen_s: Callable[[], float] = float,
    ) -> T:
        """As `run`; `make_job` is called when the turn has come, so that it sees the newest text.

        A long job gives way to another one that has had `patience_s` of patience with it, and goes on behind it: made
        anew, with what it worked out remembered. One that nobody waits for (None) has any patience, and none is had
        with it. One that gave way has twice as much patience each time. `at_part` gets what is known of the result
        meanwhile, `seen_s` says when the user looked at it last.
        A call that is cancelled has its job give way; a job that does not is ended with its process.
        """
        wish = _wish(patience_s)
        while True:
            await self._its_turn(wish, patience_s, seen_s)
            try:
                self._is_awaited = patience_s is not None
                job = await make_job()
            except BaseException:
                self._turn.release()
                raise
            result = await self._attempted(job, at_part)
            if not isinstance(result, GaveWay):
                return result
            if wish is Wish.NEW or wish is Wish.GOES_ON:
                wish = Wish.GOES_ON
                patience_s = None if patience_s is None else min(2 * patience_s, _MOST_PATIENCE_S)

    def expect(self) -> None:
        """Have others be as patient with the job that runs as if it had been awaited from its beginning."""
        self._is_awaited = True

    def hurry(self) -> None:
        """Have the job that runs give way, to itself made anew if no other one waits."""
        if self._process is not None and self._process.stdin is not None and self.job is not None:
            with contextlib.suppress(ConnectionError):
                self._process.stdin.write(encode_frame(GiveWay()))

    async def close(self) -> None:
        """End the process for good: a start that is only about to begin is refused."""
        self._is_closed = True
        await self.stop()

    async def stop(self) -> None:
        """End the process, one that is being created too; a later job starts a new one."""
        if self._creation is not None:
            await asyncio.wait((self._creation,))
        if self._early is not None:
            with contextlib.suppress(OSError):
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
        self._received = ReceivedNests()
        self._told = ToldPrograms()
        # To the end even if nobody waits for it any more: what is created has to be ended.
        self._creation = asyncio.ensure_future(self._create())
        try:
            process = await asyncio.shield(self._creation)
        except OSError as error:  # too many files are open, or Python itself can't be run any more
            raise AnalysisFailedError(f"the analysis process could not be started: {error.strerror or error}") from None
        try:
            async with asyncio.timeout(_START_LIMIT_S):
                first = await _read_frame(_stdout(process), self._received)
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

    async def _its_turn(self, wish: Wish, patience_s: float | None, seen_s: Callable[[], float]) -> None:
        """Take the turn; who waits for it presses the job that runs, once it has had its time."""
        if patience_s is None or not self._turn.locked():
            await self._turn.acquire(wish, seen_s)
            return
        press = asyncio.ensure_future(self._press(patience_s))
        try:
            await self._turn.acquire(wish, seen_s)
        finally:
            press.cancel()

    async def _attempted(self, job: Job[T], at_part: Callable[[T], None]) -> T | GaveWay:
        """The result of the job that has the turn, which it hands on in the end, also when nobody waits any more."""
        is_abandoned = False

        def heard(part: T) -> None:
            if not is_abandoned:
                at_part(part)

        attempt = asyncio.ensure_future(self._attempt(job, heard, lambda: is_abandoned))
        attempt.add_done_callback(lambda _: self._turn.release())
        try:
            return await asyncio.shield(attempt)
        except asyncio.CancelledError:
            if not attempt.done():
                is_abandoned = True
                self._leaving = asyncio.ensure_future(self._leave(attempt))
            raise

    async def _leave(self, attempt: asyncio.Future[Any]) -> None:
        """Have a job give way that nobody waits for; its process is ended with it where it does not."""
        self.hurry()
        await asyncio.wait((attempt,), timeout=_LEAVE_LIMIT_S)
        attempt.cancel()
        with contextlib.suppress(asyncio.CancelledError, AnalysisFailedError, AnalysisTimedOutError):
            await attempt

    async def _press(self, patience_s: float) -> None:
        while True:
            left_s = patience_s if self._is_awaited else 0.0
            if self.job is not None:
                left_s -= monotonic() - self._job_since_s
            if self.job is not None and left_s <= 0:
                self.hurry()
            await asyncio.sleep(max(left_s, _PRESS_AGAIN_S))

    async def _attempt(
        self, job: Job[T], at_part: Callable[[Any], None], is_abandoned: Callable[[], bool]
    ) -> T | GaveWay:
        for last_attempt in (False, True):
            process = await self._ready()
            if is_abandoned():
                return GaveWay()
            self.job, self._job_since_s = job, monotonic()
            try:
                return await self._run(process, job, at_part)
            except (asyncio.IncompleteReadError, ConnectionError, BrokenPipeError):
                await self.stop()
                if last_attempt or is_abandoned():
                    raise AnalysisFailedError("the analysis process died twice on this file") from None
            except AnalysisFailedError:
                raise
            except AnalysisTimedOutError as ended:
                if not ended.is_reading:
                    await self.stop()
                raise
            except BaseException:  # what is left of the job's answers must not be taken for the next one's
                await self.stop()
                raise
            finally:
                self.job = None
        raise AssertionError("unreachable")

    async def _run(self, process: _Process, job: Job[T], at_part: Callable[[T], None]) -> T | GaveWay:
        limit_s = job.limit_s
        loop = asyncio.get_running_loop()
        at = NestStarted("", 0)
        stdin = process.stdin
        if stdin is None:
            raise AnalysisFailedError("the analysis process has no input")
        stdin.write(encode_frame(job.sent(self._told)))
        limit = asyncio.timeout(limit_s)
        try:
            async with limit:
                await stdin.drain()
                while True:
                    match await _read_frame(_stdout(process), self._received):
                        case NestStarted() as at:
                            limit.reschedule(loop.time() + limit_s)
                        case Part(part):
                            at_part(cast("T", part))
                        case Finished(result):
                            return cast("T", result)
                        case GaveWay() as gave_way:
                            return gave_way
                        case ReadTooLong():
                            raise AnalysisTimedOutError(limit_s, "", 0, is_reading=True)
                        case Failed(details):
                            raise AnalysisFailedError("internal error in the analysis of this file", details)
        except TimeoutError:
            if not limit.expired():
                raise
            raise AnalysisTimedOutError(limit_s, at.function, at.ordinal) from None


def _wish(patience_s: float | None) -> Wish:
    if patience_s is None:
        return Wish.BACKGROUND
    return Wish.NEW if patience_s else Wish.ASKED


def _stdout(process: _Process) -> asyncio.StreamReader:
    if process.stdout is None:
        raise AnalysisFailedError("the analysis process has no output")
    return process.stdout


async def _read_frame(stream: asyncio.StreamReader, received: ReceivedNests) -> object:
    """Next message of the process; raises asyncio.IncompleteReadError at the end of the stream."""
    content = await stream.readexactly(int.from_bytes(await stream.readexactly(LENGTH_BYTES)))
    if len(content) > _LARGE_BYTES:
        return await asyncio.to_thread(unpickled, content, received)
    return unpickled(content, received)
