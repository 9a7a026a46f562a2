"""Programs whose target regions run on a device with memory of its own: clang's offload to the host's own processor.

Regions are another image, loaded beside the host's. What is mapped is copied to guarded memory that holds garbage
before (`guarded_device.c`), so that a copy that is missing, or too small, changes results or ends the program.
"""

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.made_once import made_once

_INSTALL = "tests/e2e/editors/install.sh"
_FLAGS = ("-std=gnu11", "-w", "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu")
_PROBE = "int main(void)\n{\n    int left = 1;\n    #pragma omp target map(left)\n    left = 0;\n    return left;\n}\n"
_GUARD = Path(__file__).with_name("guarded_device.c")
_LONGEST_S = 300


@dataclass(frozen=True)
class Ran:
    """What a program wrote and how it ended."""

    output: str
    errors: str
    status: int


def build(sources: Sequence[str], folder: Path, program: str = "run", flags: Sequence[str] = ("-O1",)) -> None:
    """Compile files of the folder; what clang says against them fails the test."""
    said = _compile(folder, ["clang", *_FLAGS, *flags, *sources, "-lm", "-o", program])
    assert not said, said[:4000]


def run(folder: Path, program: str = "run", threads: int = 3, guard: Path | None = None) -> Ran:
    """Run what was built: regions on the device or not at all."""
    environment = {
        **os.environ,
        "OMP_TARGET_OFFLOAD": "MANDATORY",
        "OMP_NUM_THREADS": str(threads),
        "OMP_WAIT_POLICY": "passive",
        "KMP_BLOCKTIME": "0",
        "LD_PRELOAD": str(guard or guarded(folder)),
    }
    done = subprocess.run(
        [str(folder / program)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=_LONGEST_S,
        check=False,
    )
    return Ran(done.stdout, done.stderr, done.returncode)


def guarded(folder: Path) -> Path:
    """The library that guards the device's memory, built in the folder."""
    library = folder / "guarded_device.so"
    if not library.exists():
        said = _compile(folder, ["gcc", "-shared", "-fPIC", "-O1", str(_GUARD), "-o", str(library), "-ldl"])
        assert not said, said
    return library


def guard_of_run(factory: pytest.TempPathFactory) -> Path:
    """The library that guards the device's memory, one for all processes of a run.

    Skips the test where clang can't offload to the host, fails it where that is required as the editors are.
    """
    folder, said = made_once("guarded-device", _why_no_device, factory)
    if said and os.environ.get("WARPLENS_EDITORS") == "required":
        pytest.fail(said)
    if said:
        pytest.skip(said)
    return guarded(folder)


def _why_no_device(folder: Path) -> str:
    guarded(folder)
    if shutil.which("clang") is not None:
        (folder / "probe.c").write_text(_PROBE, encoding="utf-8")
        if not _compile(folder, ["clang", *_FLAGS, "probe.c", "-o", "probe"]) and run(folder, "probe").status == 0:
            return ""
    return f"no clang here that offloads to the host: {_INSTALL} installs it on Debian or says how to get it"


def _compile(folder: Path, command: Sequence[str]) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""
