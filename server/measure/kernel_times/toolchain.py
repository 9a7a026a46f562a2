"""The compilers that build a measuring program, found on PATH by their known names, and running them under a limit."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from warplens.server.programs.programs import BroughtAlongError, Programs

_MESSAGE_LINES = 20


class BuildError(Exception):
    """A program was not built or did not run; the message says which and has what it said."""


class NoGpuError(BuildError):
    """The program was built, and found no GPU to run on."""


@dataclass(frozen=True, slots=True)
class Finished:
    """What a program said until it ended."""

    code: int
    output: str
    messages: str


def find_tool(programs: Programs, *names: str) -> str:
    """Absolute path of the first of these programs that may be started. Raises BuildError."""
    try:
        return programs.required(*names)
    except (FileNotFoundError, BroughtAlongError) as error:
        raise BuildError(str(error)) from None


def run_tool(
    command: Sequence[str], folder: Path, limit_s: float, what: str, environment: Mapping[str, str]
) -> Finished:
    """Run a program in a folder; raises BuildError when it can't start or goes on for longer than the limit.

    What it started is ended with it: a program that goes on would take part in the next one's times.
    """
    try:
        run = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except (OSError, ValueError) as error:  # ValueError: a word with a NUL in it
        raise BuildError(f"{what} could not be started: {error}") from None
    try:
        output, messages = run.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        raise BuildError(f"{what} was ended after {limit_s:g} s") from None
    finally:
        _end(run)
    return Finished(run.returncode, output, messages)


def _end(run: subprocess.Popen[str]) -> None:
    if sys.platform == "win32":
        run.kill()
    else:
        with contextlib.suppress(OSError):
            os.killpg(run.pid, signal.SIGKILL)
    run.wait()


def build(command: Sequence[str], folder: Path, limit_s: float, what: str, programs: Programs) -> None:
    """Run a compiler, which may start these programs; raises BuildError with the end of its messages."""
    finished = run_tool(command, folder, limit_s, what, programs.environment())
    if finished.code:
        raise BuildError(f"{what} failed (exit code {finished.code}):\n{last_lines(finished.messages)}")


def last_lines(text: str) -> str:
    """As many as one reads."""
    return "\n".join(text.rstrip().splitlines()[-_MESSAGE_LINES:])


def version_of(tool: str, folder: Path, programs: Programs) -> str:
    """The line in which a compiler says its version; empty where it says none."""
    said = run_tool([tool, "--version"], folder, 60, tool, programs.environment()).output
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return next((line for line in lines if "release" in line), lines[0] if lines else "")
