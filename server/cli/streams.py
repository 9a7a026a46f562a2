"""Standard output and error: whatever stands in files and names, a terminal shows it and does nothing else with it."""

from __future__ import annotations

import contextlib
import io
import os
import sys

from warplens.server.render.visible_text import visible


def write_out(text: str) -> None:
    """Write to standard output."""
    sys.stdout.write(visible(text))


def write_error(text: str) -> None:
    """Write to standard error; who has closed it does not want to hear."""
    with contextlib.suppress(OSError):
        sys.stderr.write(visible(text))
        sys.stderr.flush()


def write_code(text: str) -> None:
    """Write a file's text to standard output: as it is, or, on a terminal, so that it can be looked at."""
    sys.stdout.write(visible(text) if sys.stdout.isatty() else text)


def prepare_streams() -> None:
    """Have the three streams take what they get: any character, and nothing where they are closed.

    A closed one would be the next file that is opened.
    """
    for handle in range(3):
        try:
            os.fstat(handle)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def give_up_output() -> None:
    """Nobody reads standard output: what is left in its buffer must not raise again at the end."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
