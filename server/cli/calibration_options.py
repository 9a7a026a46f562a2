"""What the commands that measure a CPU and a GPU have in common: names, files, and a progress bar."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from warplens.server.cli.terminal import TerminalConsole


def profile_file(text: str) -> Path:
    """A profile's file ends so, for --cpu and --gpu tell files from names by it; raises ArgumentTypeError."""
    if not text.endswith(".toml"):
        raise argparse.ArgumentTypeError(f"{text!r} does not end in .toml, as the name of a profile must")
    return Path(text)


def shown_name(text: str) -> str:
    """A name to show, on one line; raises ArgumentTypeError."""
    name = " ".join(text.split())
    if not name or not name.isprintable():
        raise argparse.ArgumentTypeError("a name has letters")
    return name


def quantity_progress() -> Progress:
    """How many quantities are measured; disabled where the errors go to no terminal."""
    return steps_progress(34)


def steps_progress(width: int) -> Progress:
    """How many of a known number of steps are done, each named in `width` columns; on standard error."""
    console = TerminalConsole(stderr=True)
    return Progress(
        TextColumn(f"{{task.description:<{width}}}", markup=False),
        BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        console=console, transient=True, disable=not console.is_terminal,
    )  # fmt: skip
