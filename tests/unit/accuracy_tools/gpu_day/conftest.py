"""Kits in a folder of the test, and the command that runs one where only Python's standard library is."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from accuracy.gpu_day.prepare import copy_runner
from accuracy.gpu_day.there.steps import Kit, Step, write_kit
from support.gpu_day_kits import IDENTIFY, MakeKit, RunKit, command


@pytest.fixture
def make_kit(tmp_path: Path) -> MakeKit:
    """A folder with steps, as `prepare` leaves it."""

    def make(*steps: Step, counters: Sequence[Sequence[str]] = (), identify: Step = IDENTIFY) -> Path:
        kit = tmp_path / "kit"
        kit.mkdir(exist_ok=True)
        copy_runner(kit)
        write_kit(kit, Kit({"gpu": "made up"}, identify, steps, ("always",), tuple(map(tuple, counters))))
        return kit

    return make


@pytest.fixture
def run_kit(tmp_path: Path) -> RunKit:
    """The kit's own command, in an interpreter that has the standard library alone."""
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    python.chmod(0o755)

    def run(kit: Path, *arguments: str, results: Path | None = None) -> subprocess.CompletedProcess[str]:
        line = command(kit, results or tmp_path / "results", *arguments)
        env = {"PATH": os.environ["PATH"], "PYTHON": str(python)}
        return subprocess.run(line, capture_output=True, text=True, check=False, env=env, timeout=120)

    return run
