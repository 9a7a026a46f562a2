"""The analysis process: jobs come in on standard input, answers go out on what was standard output.

Run as `python -P -m warplens.server.worker.start` (-P: the folder it starts in must not be a source of modules). The
results of earlier jobs stay in its memo, which is what makes a second analysis cheap.
"""

from __future__ import annotations

import gc
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from functools import partial
from typing import BinaryIO

from warplens.analysis.ir.ids import LoopId
from warplens.server.worker.answers import Kept, result_of
from warplens.server.worker.frames import (
    Failed,
    Finished,
    FrameWriter,
    GaveWay,
    GiveWay,
    NestStarted,
    Part,
    ReadTooLong,
    Ready,
    read_frame,
)
from warplens.server.worker.job import Job
from warplens.server.worker.run_watch import GaveWayError, Listener, ReadingTooLongError

_GRACE_S = 5.0
_QUIET_S = 0.3
"""Between two jobs: answers are written to the disk then."""
_RECURSION_LIMIT = 12_000
_STACK_BYTES = 256 << 20
_OBJECTS_BETWEEN_COLLECTIONS = 50_000
"""Syntax trees are many objects without cycles: Python's own 700 make a quarter of a file's analysis collecting."""


def main() -> None:
    """Serve jobs until standard input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not get between the frames
    jobs = Jobs()
    threading.Thread(target=_read_jobs, args=(sys.stdin.buffer, jobs), daemon=True).start()
    collect_seldom()
    run_deep(partial(serve, jobs, FrameWriter(answers)))


class Jobs:
    """Jobs in the order in which they came; the server takes the last one back when it is in the way."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[Job[object]] = queue.SimpleQueue()
        self._came = 0
        self._taken = 0
        self._to_give_way = 0

    def add(self, job: Job[object]) -> None:
        """The next job."""
        self._came += 1
        self._waiting.put(job)

    def give_way(self) -> None:
        """The job that came last is in the way, if it is not done yet."""
        self._to_give_way = self._came

    def take(self, limit_s: float | None) -> Job[object] | None:
        """The job to do now; waits for it, None once that took `limit_s`."""
        try:
            job = self._waiting.get(timeout=limit_s)
        except queue.Empty:
            return None
        self._taken += 1
        return job

    def is_in_the_way(self) -> bool:
        """Whether the job that was taken last is."""
        return self._to_give_way == self._taken


def run_deep(work: Callable[[], object]) -> None:
    """Run it to its end in a thread with room for the parser, which recurses as deep as the C text nests."""
    sys.setrecursionlimit(_RECURSION_LIMIT)
    threading.stack_size(_STACK_BYTES)
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join()


def collect_seldom() -> None:
    """Look for garbage in cycles only now and then, never among what was imported."""
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    gc.enable()


def serve(jobs: Jobs, answers: FrameWriter) -> None:
    """Answer jobs in order, for ever."""
    limit_s = 0.0

    def at_nest(nest: LoopId | None) -> None:
        answers.write(NestStarted(nest.function, nest.ordinal) if nest else NestStarted("", 0))
        _end_after(limit_s)

    def quiet() -> Job[object]:
        """Nobody asks for anything: there is time to write what the next session may use, and to look for garbage."""
        kept.remembered.answers.write_pending()
        gc.collect(1)  # what came since the last time, so that no job has to
        job = jobs.take(None)
        assert job is not None
        return job

    kept = Kept(Listener(at_nest, lambda part: answers.write(Part(part)), jobs.is_in_the_way))
    answers.write(Ready(os.getpid()))
    while True:
        job = jobs.take(_QUIET_S) or quiet()
        limit_s = job.limit_s + _GRACE_S
        _end_after(limit_s)
        try:
            frame: Finished | GaveWay | ReadTooLong | Failed = Finished(result_of(job, kept))
        except GaveWayError:
            frame = GaveWay()
        except ReadingTooLongError:
            frame = ReadTooLong()
        except Exception:  # noqa: BLE001 - the border of the process: a defect becomes an answer that shows it
            frame = Failed(traceback.format_exc())
        _end_after(0)
        answers.write(frame)


def _read_jobs(stdin: BinaryIO, jobs: Jobs) -> None:
    while isinstance(message := read_frame(stdin), Job | GiveWay):
        if isinstance(message, Job):
            jobs.add(message)
        else:
            jobs.give_way()
    # The server is gone: no one waits for the job at hand, nor for the compiler it may have started.
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def _end_after(limit_s: float) -> None:
    """Let the kernel end this process if no one else does, even inside a library call; 0 takes that back."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, limit_s)
