"""A file that a fix puts beside the source: whether it is there already, and with which text."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from warplens.server.source_file import decode


class Sibling(Enum):
    """What stands where a new file shall go."""

    ABSENT = "absent"
    SAME = "same"
    OTHER = "other"


def sibling(path: Path, text: str) -> Sibling:
    """Compare a file with the text that it shall get; line ends don't count, and what can't be read is another's."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return Sibling.ABSENT
    except OSError:
        return Sibling.OTHER
    return Sibling.SAME if _lines(decode(content).text) == _lines(text) else Sibling.OTHER


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n")
