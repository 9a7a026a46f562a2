"""What gcc's messages say: the header that is missing, the first error."""

from __future__ import annotations

import re

_MISSING = re.compile(r"fatal error: ([^:\n]+): No such file or directory")
_ERROR = re.compile(r"(?:fatal )?error: ([^\n]+)")


def missing_header(messages: str) -> str | None:
    """Header of the first include that was not found, as it is spelt there.

    >>> missing_header("a.c:3:10: fatal error: sys/x.h: No such file or directory")
    'sys/x.h'
    """
    found = _MISSING.search(messages)
    return found[1] if found else None


def first_error(messages: str) -> str:
    """Text of the first error; empty when there is none.

    >>> first_error("a.c:1:2: warning: w\\na.c:3:1: error: unknown type name 'T'")
    "unknown type name 'T'"
    """
    found = _ERROR.search(messages)
    return found[1].strip() if found else ""
