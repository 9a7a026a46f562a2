"""A document's URI as a path; any text can come as one."""

from __future__ import annotations

from pygls.uris import to_fs_path

_LONGEST = 4096
_LONGEST_NAME = 255
"""Bytes (Linux; others take less or more, and what is not there is not read)."""


def path_of(uri: str) -> str | None:
    """Path of a `file:` URI; None for another, and for what is no URI."""
    try:
        path = to_fs_path(uri)
    except (TypeError, ValueError):
        return None
    return path if path and _can_be_path(path) else None


def _can_be_path(path: str) -> bool:
    """Whether a file can have it: no NUL, no half of a UTF-16 pair, of a length that systems take."""
    try:
        content = path.encode()
    except UnicodeEncodeError:
        return False
    return b"\0" not in content and len(content) < _LONGEST and max(map(len, content.split(b"/"))) <= _LONGEST_NAME
