"""TOML of a file that anybody may have written: what would take the parser all memory is refused before."""

from __future__ import annotations

import tomllib
from typing import Any

_MAX_DOTS = 400
"""tomllib holds every prefix of a dotted key: memory grows with the square of its parts."""


def parse_toml(text: str) -> dict[str, Any]:
    """Parse a text; raises tomllib.TOMLDecodeError for one that is no TOML, or nested beyond all use.

    >>> parse_toml("a.b = 1")
    {'a': {'b': 1}}
    """
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > _MAX_DOTS:
            raise tomllib.TOMLDecodeError(f"More than {_MAX_DOTS} dots (at line {number}, column 1)")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise tomllib.TOMLDecodeError("Nested too deeply") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError as error:  # an integer of thousands of digits
        raise tomllib.TOMLDecodeError(str(error)) from None
