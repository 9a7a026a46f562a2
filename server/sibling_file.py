"""A file that a fix puts beside the source: whether it is there already, and with which text."""

from __future__ import annotations

import stat
from enum import Enum
from pathlib import Path

from warplens.server.source_file import decode

_MAX_BYTES = 4 << 20


class Sibling(Enum):
    """What stands where a new file shall go. `NO_TEXT` is nothing that a fix wrote, or that it may replace."""

    ABSENT = "absent"
    SAME = "same"
    OTHER = "other"
    NO_TEXT = "no text"


def sibling(path: Path, text: str) -> Sibling:
    """Compare a file with the text that it shall get; line ends don't count."""
    try:
        found = text_at(path)
    except OSError:
        return Sibling.NO_TEXT
    if found is None:
        return Sibling.ABSENT
    return Sibling.SAME if _lines(found) == _lines(text) else Sibling.OTHER


def text_at(path: Path) -> str | None:
    """Text of a file, None where there is none.

    Raises OSError where something else is: a folder, a device, a link to nothing, a file that is too large to compare.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        if path.is_symlink():
            raise
        return None
    if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_BYTES:
        raise OSError(f"{path} is no file of up to {_MAX_BYTES >> 20} MiB")
    return decode(path.read_bytes()).text


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n")
