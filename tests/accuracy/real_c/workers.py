"""Tasks in a few processes with a hard time limit each: a task that hangs costs its process, nothing else."""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Generic, TypeVar

from warplens.server.worker.child import run_deep

Task = TypeVar("Task")
Result = TypeVar("Result")

_MOST_MEMORY_BYTES = 6 << 30


@dataclass(slots=True)
class _Worker(Generic[Task]):
    process: BaseProcess
    connection: Connection
    task: Task
    deadline: float


def run(
    tasks: Iterable[Task], work: Callable[[Task], Result], processes: int, limit_s: float
) -> Iterator[tuple[Task, Result | str]]:
    """Results as they come; text in place of one says why there is none (time limit, process died)."""
    waiting = iter(tasks)
    workers: list[_Worker[Task]] = []
    idle: list[tuple[BaseProcess, Connection]] = []
    try:
        while True:
            while len(workers) < processes and (task := next(waiting, None)) is not None:
                process, connection = idle.pop() if idle else _start(work)
                connection.send(task)
                workers.append(_Worker(process, connection, task, time.monotonic() + limit_s))
            if not workers:
                return
            left_s = max(min(worker.deadline for worker in workers) - time.monotonic(), 0)
            ready = wait([worker.connection for worker in workers], left_s)
            for worker in list(workers):
                if worker.connection in ready:
                    workers.remove(worker)
                    try:
                        result: Result | str = worker.connection.recv()
                        idle.append((worker.process, worker.connection))
                    except EOFError:
                        result = "the process died"
                    yield worker.task, result
                elif time.monotonic() > worker.deadline:
                    workers.remove(worker)
                    worker.process.kill()
                    yield worker.task, f"not done in {limit_s:g} s"
    finally:
        for process in [worker.process for worker in workers] + [process for process, _ in idle]:
            process.kill()


def _start(work: Callable[[Task], Result]) -> tuple[BaseProcess, Connection]:
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs, work), daemon=True)
    process.start()
    theirs.close()
    return process, ours


def _serve(connection: Connection, work: Callable[[Task], Result]) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY_BYTES, _MOST_MEMORY_BYTES))
    run_deep(partial(_answer, connection, work))


def _answer(connection: Connection, work: Callable[[Task], Result]) -> None:
    while True:
        connection.send(work(connection.recv()))
