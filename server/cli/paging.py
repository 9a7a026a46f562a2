"""Long output on a terminal, a screen at a time, as git does it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

_LESS = "FRX"
"""What git asks of `less`: to end where all fits on one screen, to show colours, to leave the text there."""


@contextmanager
def paged(console: Console) -> Iterator[None]:
    """Show what is printed meanwhile by the user's pager (PAGER), with colours where that is `less`."""
    os.environ.setdefault("LESS", _LESS)
    is_less = "less" in os.environ.get("MANPAGER", os.environ.get("PAGER", "less"))
    with console.pager(styles=is_less and not console.no_color):
        yield
