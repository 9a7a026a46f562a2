"""A file that a fix puts beside the source: whether it is there already, and with which text."""

from __future__ import annotations

import errno
from enum import Enum
from pathlib import Path

from warplens.server.files.regular_file import read_regular
from warplens.server.files.source_file import decode

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

    Raises OSError where something else is: a folder, a device, a link, behind which another file would be written, a
    file that is too large to compare.
    """
    if path.is_symlink():
        raise OSError(errno.ELOOP, "a symbolic link")
    try:
        return decode(read_regular(path, _MAX_BYTES)).text
    except FileNotFoundError:
        return None


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n")
