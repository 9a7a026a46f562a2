"""What takes long to build is built once for all processes of a test run."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(name: str, make: Callable[[Path], str], factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder of all processes of the run: the first that comes fills it, the others wait. And what `make` said."""
    own = factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / name
    folder.mkdir(exist_ok=True)
    said = folder / "said"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not said.exists():
            said.write_text(make(folder), encoding="utf-8")
    return folder, said.read_text(encoding="utf-8")
