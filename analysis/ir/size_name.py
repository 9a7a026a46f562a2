"""Names of sizes as people write them: `n`, `p->n`, `s->boxes->count`, `grid[0]`, `table[1][k + 1]`."""

from __future__ import annotations

import re

_SUBSCRIPT = r"\[(?:[^\[\]=;]|\[[^\[\]=;]*\])+\]"
SIZE_NAME = rf"[^\W\d]\w*(?:\s*(?:->|\.)\s*[^\W\d]\w*|\s*{_SUBSCRIPT})*"
"""Regular expression of a name that can be given a value: a variable, a member or an element."""
_WHOLE = re.compile(SIZE_NAME)
_BLANKS = re.compile(r"\s+")
_BETWEEN = re.compile(r"(?<=[\w\])])([+-])(?!>)")


def size_name(written: str) -> str:
    """The name as the analysis has it, whatever blanks are in it; empty for what can't be a size.

    >>> size_name("grid[ 0 ]"), size_name("t[1][k+1]"), size_name("s -> boxes->count"), size_name("2*n")
    ('grid[0]', 't[1][k + 1]', 's->boxes->count', '')
    """
    if _WHOLE.fullmatch(written.strip()) is None:
        return ""
    return _BETWEEN.sub(r" \1 ", _BLANKS.sub("", written))
