"""Running a step: its processes under a limit, and each part by itself where all together fail."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from accuracy.gpu_day.there.gpu_state import Clocks
from accuracy.gpu_day.there.journal import Ran
from accuracy.gpu_day.there.steps import Step

METRICS = "@METRICS"
"""Stands in a step's arguments for the names of ncu's counters that the GPU has."""
_TURN = "WARPLENS_GPU_TURN"
_MESSAGE_BYTES = 4000


class Processes:
    """Those that run, to be ended all together."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[str]] = set()
        self._lock = threading.Lock()
        self.is_ended = False

    def add(self, process: subprocess.Popen[str]) -> None:
        """One more; it is ended at once where all others were."""
        with self._lock:
            self._running.add(process)
            if self.is_ended:
                _kill(process)

    def discard(self, process: subprocess.Popen[str]) -> None:
        """One that has ended, with what it started and left."""
        with self._lock:
            _kill(process)
            self._running.discard(process)

    def end(self) -> None:
        """Kill them, with all that they started, and let none begin."""
        with self._lock:
            self.is_ended = True
            for process in self._running:
                _kill(process)


@dataclass(frozen=True)
class Place:
    """Where steps run: the kit's folder, the end of the time on the monotonic clock, what ncu is asked for."""

    kit: Path
    end: float
    metrics: str = ""
    clocks: Clocks | None = None
    processes: Processes = field(default_factory=Processes)


@dataclass(frozen=True)
class _Process:
    code: int | None
    output: str
    messages: str


def run_step(step: Step, place: Place) -> Ran:
    """Run it to its end; never raises for what the program does. `code` None is a process that the limit ended."""
    began, start = _utc(), time.monotonic()
    if step.needs and shutil.which(step.needs) is None:
        return _ran(step, "failed", began, 0.0, [_Process(1, "", f"{step.needs} is not on PATH")], ())
    runs = [_process(step, step.parts, place)]
    while len(runs) < step.repeat and runs[-1].code == 0:
        runs.append(_process(step, step.parts, place))
    lost: tuple[int, ...] = ()
    if runs[-1].code not in (0, None) and len(step.parts) > 1:
        runs, lost = _by_part(step, place)
    wall_s = time.monotonic() - start
    state = "done" if all(run.code == 0 for run in runs) else "failed"
    if state == "failed" and (place.processes.is_ended or time.monotonic() >= place.end - 1):
        state = "ended"
    ran = _ran(step, state, began, wall_s, runs, lost)
    clocks = place.clocks.between(start, time.monotonic()) if place.clocks else None
    return Ran(**{**ran.__dict__, "clocks": clocks})


def _by_part(step: Step, place: Place) -> tuple[list[_Process], tuple[int, ...]]:
    runs, lost = [], []
    for number, part in enumerate(step.parts):
        run = _process(step, (part,), place)
        if run.code != 0:
            lost.append(number)
            run = _Process(run.code, "", f"{part}: {run.messages or f'exit code {run.code}'}")
        runs.append(run)
    return runs, tuple(lost)


def _process(step: Step, parts: Sequence[str], place: Place) -> _Process:
    folder = place.kit / step.folder
    output = folder / step.output
    if step.output:
        output.unlink(missing_ok=True)
    command = [place.metrics if word == METRICS else word for word in (*step.argv, *parts)]
    turn = {_TURN: str(place.kit / "turn")} if step.takes_turns else {}
    limit_s = min(step.limit_s, place.end - time.monotonic())
    if limit_s <= 0 or place.processes.is_ended:
        return _Process(None, "", "the time was up")
    try:
        process = subprocess.Popen(
            command, cwd=folder, env={**os.environ, **turn}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        return _Process(1, "", f"{command[0]} could not be started: {error}")
    place.processes.add(process)
    try:
        said, messages = process.communicate(timeout=limit_s)
        code: int | None = process.returncode
    except subprocess.TimeoutExpired:
        _kill(process)
        said, messages = process.communicate()
        code, messages = None, f"{messages}\nended after {limit_s:.3g} s"
    finally:
        place.processes.discard(process)
    if step.output:
        said = output.read_text(encoding="utf-8", errors="replace") if output.exists() else ""
    return _Process(code, said, messages.strip()[-_MESSAGE_BYTES:])


def _kill(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)


def _ran(step: Step, state: str, began: str, wall_s: float, runs: Sequence[_Process], lost: tuple[int, ...]) -> Ran:
    output = "".join(run.output if run.output.endswith("\n") or not run.output else run.output + "\n" for run in runs)
    messages = "\n".join(run.messages or f"exit code {run.code}" for run in runs if run.messages or run.code != 0)
    return Ran(
        step.id, step.stage, step.digest, state, began, round(wall_s, 3), output, messages, None, lost, step.about
    )


def _utc() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
