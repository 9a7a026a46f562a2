"""The folder that a measuring program is built in: one that is left there, or one that goes away again."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def build_folder(kept: Path | None, command: str) -> Iterator[Path]:
    """`kept`, made if it is not there, else a temporary folder named after the command; raises OSError."""
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept.resolve()
        return
    with tempfile.TemporaryDirectory(prefix=f"warplens-{command}-") as folder:
        yield Path(folder)
