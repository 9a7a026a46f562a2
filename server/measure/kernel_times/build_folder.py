"""The folder that a measuring program is built in: one that is left there, or one that goes away again."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from warplens.server.files.atomic_file import make_folder, replace_file
from warplens.server.programs.programs import Programs


@contextmanager
def build_folder(kept: Path | None, command: str, programs: Programs) -> Iterator[Path]:
    """`kept`, made if it is not there, else a temporary folder named after the command; raises OSError.

    What lies in a workspace may have come along with it: nothing of it is built upon or run, or written through. Built
    is elsewhere then, and `kept` gets a copy.
    """
    if kept is not None:
        make_folder(kept)
        if not programs.bring_along(kept.absolute() / "any"):
            yield kept.resolve()
            return
    with tempfile.TemporaryDirectory(prefix=f"warplens-{command}-") as folder:
        try:
            yield Path(folder)
        finally:
            if kept is not None:
                _copy(Path(folder), kept)


def _copy(made: Path, kept: Path) -> None:
    for file in sorted(made.rglob("*")):
        if file.is_file() and not file.is_symlink():
            copy = kept / file.relative_to(made)
            make_folder(copy.parent)
            replace_file(copy, file.read_bytes())
            if os.access(file, os.X_OK):
                copy.chmod(copy.stat().st_mode | 0o100)
