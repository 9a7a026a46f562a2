"""Programs that run: ended all together, and those that an earlier run left."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO

_PROCESSES = Path("/proc")


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
                kill(process)

    def discard(self, process: subprocess.Popen[str]) -> None:
        """One that has ended, with what it started and left."""
        with self._lock:
            kill(process)
            self._running.discard(process)

    def end(self) -> None:
        """Kill them, with all that they started, and let none begin."""
        with self._lock:
            self.is_ended = True
            for process in self._running:
                kill(process)


def kill(process: subprocess.Popen[str]) -> None:
    """End a program and all that it started in its session."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)


def claimed(kit: Path) -> IO[bytes] | None:
    """The kit for one run, as long as the file is open; None where another run has it. Raises OSError."""
    file = (kit / "lock").open("wb")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return file


def end_left_behind(kit: Path) -> int:
    """Kill programs that a killed run left in the kit's folders; how many there were. The kit is claimed."""
    found = list(_running_in(kit))
    for pid in found:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    return len(found)


def _running_in(kit: Path) -> Iterator[int]:
    """Those whose folder is below that of the kit, as every step's is; a shell that stands there is in no such."""
    for each in _PROCESSES.glob("[0-9]*"):
        try:
            folder = (each / "cwd").readlink()
        except OSError:
            continue
        if kit in folder.parents and int(each.name) != os.getpid():
            yield int(each.name)
