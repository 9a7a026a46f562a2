"""The compiler's flags that a Makefile's text gives, read and never run."""

from __future__ import annotations

import re

_ASSIGNED = re.compile(r"^\s*(?:export\s+|override\s+)?(CFLAGS|OPTFLAGS|OPT)\s*([:?+]{0,3}=)\s*(.*)$")
_NAMES = ("CFLAGS", "OPTFLAGS", "OPT")
_MOST_LINES = 20_000


def makefile_flags(text: str) -> tuple[str, ...]:
    r"""Words of `CFLAGS = ...` (and `OPTFLAGS`, `OPT`) as they are written; references to variables are left out.

    The last assignment counts, `+=` adds; conditions are not followed: what stands in them counts as the rest.

    >>> makefile_flags("CC = gcc\nCFLAGS ?= -O2 -Wall \\\n  $(ARCH)\nCFLAGS += -march=native # fast\n")
    ('-O2', '-Wall', '-march=native')
    """
    lines = text.replace("\\\n", " ").split("\n")[:_MOST_LINES]
    found: dict[str, list[str]] = {}
    for line in lines:
        assigned = _ASSIGNED.match(line.partition("#")[0])
        if assigned is None:
            continue
        name, operator, value = assigned.groups()
        words = [word for word in value.split() if "$" not in word and "`" not in word]
        if operator == "?=" and name in found:
            continue
        found[name] = [*found.get(name, ()), *words] if operator == "+=" else words
    return tuple(word for name in _NAMES for word in found.get(name, ()))
