"""The command of the analysis process, and its start ahead of all that the server itself loads.

Both processes have much to load, and each has a core for it: this is the first thing that the server does, so it
needs nothing that takes long to load.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

COMMAND = (sys.executable, "-P", "-m", "warplens.server.worker.start")


def start_early(command: Sequence[str] = COMMAND) -> subprocess.Popen[bytes] | None:
    """Start it, in a group of its own; None where that can't be, or event loops take no process over."""
    if sys.platform == "win32":
        return None
    try:
        return subprocess.Popen(
            command, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
    except OSError:  # the first analysis tries again, and says why it can't be
        return None
