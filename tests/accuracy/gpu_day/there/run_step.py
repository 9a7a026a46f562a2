"""Running a step: its processes under a limit, and past a part that ends or holds up the program."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from accuracy.gpu_day.there.checked_parts import lines_of
from accuracy.gpu_day.there.gpu_state import Clocks
from accuracy.gpu_day.there.journal import Ran
from accuracy.gpu_day.there.processes import Processes, kill
from accuracy.gpu_day.there.steps import Step

METRICS = "@METRICS"
"""Stands in a step's arguments for the names of ncu's counters that the GPU has."""
_TURN = "WARPLENS_GPU_TURN"
_REFUSALS = ("==ERROR==", "No kernels were profiled")
"""What a profiler writes in place of counters, whatever its exit code."""
_MESSAGE_CHARACTERS = 4000
_AFTER_KILL_S = 3.0


@dataclass(frozen=True)
class Place:
    """Where steps run: the kit's folder, the file that gives the GPU to one program at a time, the end of the time.

    That is on the monotonic clock. `metrics` are what ncu is asked for, None where the GPU's are not known yet.
    """

    kit: Path
    turn: Path
    end: float
    metrics: str | None = None
    clocks: Clocks | None = None
    processes: Processes = field(default_factory=Processes)

    @property
    def is_over(self) -> bool:
        """Whether what ends now was ended because the time was up."""
        return self.processes.is_ended or time.monotonic() >= self.end - 1


@dataclass(frozen=True)
class _Process:
    """`code` is None where the limit ended it."""

    code: int | None
    output: str
    messages: str


def run_step(step: Step, place: Place) -> Ran:
    """Run it to its end; never raises: whatever happens, other steps have to run."""
    began, start = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), time.monotonic()
    ran = Ran(step.id, step.stage, step.digest, "failed", began, 0.0, "", about=step.about)
    try:
        runs, lost = _runs(step, place)
    except Exception as error:  # noqa: BLE001 - the border where any defect becomes a shown failure of one step
        return replace(ran, messages=_without_the_folder(repr(error), place))
    output = "".join(run.output if run.output.endswith("\n") or not run.output else f"{run.output}\n" for run in runs)
    said = [run.messages or f"exit code {run.code}" for run in runs if run.messages or run.code != 0]
    turn_s = next((float(line["turn_began_s"]) for line in lines_of(output) if "turn_began_s" in line), start)
    return replace(
        ran,
        state=_state(runs, output, place),
        wall_s=round(time.monotonic() - start, 3),
        output=_without_the_folder(output, place),
        messages=_without_the_folder("\n".join(said), place),
        clocks=place.clocks.between(turn_s, time.monotonic()) if place.clocks else None,
        lost=tuple(lost),
    )


def _without_the_folder(text: str, place: Place) -> str:
    """Where the kit lay is nothing that is kept: ncu, compilers and loaders name it."""
    return text.replace(str(place.kit), ".")


def _state(runs: Sequence[_Process], output: str, place: Place) -> str:
    if any(run.code != 0 for run in runs):
        return "ended" if place.is_over else "failed"
    return "partial" if any("missing" in line for line in lines_of(output)) else "done"


def _runs(step: Step, place: Place) -> tuple[list[_Process], list[int]]:
    """Processes of a step, and the parts that gave no result."""
    if step.needs and shutil.which(step.needs) is None:
        return [_Process(1, "", f"{step.needs} is not on PATH")], []
    if METRICS in step.argv and not place.metrics:
        return [_Process(1, "", "ncu does not say which counters this GPU has")], []
    _make_executable(place.kit / step.folder / step.argv[0])
    runs = [_process(step, step.parts, place)]
    while len(runs) < step.repeat and runs[-1].code == 0:
        runs.append(_process(step, step.parts, place))
    left, lost = list(range(len(step.parts))), list[int]()
    while runs[-1].code != 0 and left and not place.is_over:
        lines = list(lines_of(runs[-1].output))
        results = sum("check" in line for line in lines)
        if results == len(left) or not (results or any("reference_s" in line for line in lines)):
            break  # no part is at fault
        lost.append(left[results])
        left = left[results + 1 :]
        if left:
            runs.append(_process(step, [step.parts[number] for number in left], place))
    return runs, lost


def _process(step: Step, parts: Sequence[str], place: Place) -> _Process:
    folder = place.kit / step.folder
    output = folder / step.output
    if step.output:
        output.unlink(missing_ok=True)
    command = [place.metrics or "" if word == METRICS else word for word in (*step.argv, *parts)]
    turn = {_TURN: str(place.turn)} if step.takes_turns else {}
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
        kill(process)
        said, messages = _rest(process)
        code, messages = None, f"{messages}\nended after {limit_s:.3g} s"
    finally:
        place.processes.discard(process)
    if step.output:
        said = output.read_text(encoding="utf-8", errors="replace") if output.exists() else ""
    refusal = next((line for line in said.splitlines() if any(text in line for text in _REFUSALS)), "")
    if step.needs and (refusal or code != 0):
        return _Process(code or 1, "", f"{refusal or said[-_MESSAGE_CHARACTERS:]}\n{messages}".strip())
    return _Process(code, said, messages.strip()[-_MESSAGE_CHARACTERS:])


def _rest(process: subprocess.Popen[str]) -> tuple[str, str]:
    """What a killed program had said; nothing where something that it started holds on to its output."""
    try:
        return process.communicate(timeout=_AFTER_KILL_S)
    except subprocess.TimeoutExpired:
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
        return "", ""


def _make_executable(program: Path) -> None:
    """Copies lose the bit."""
    if program.is_file() and not os.access(program, os.X_OK):
        with contextlib.suppress(OSError):
            program.chmod(program.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
