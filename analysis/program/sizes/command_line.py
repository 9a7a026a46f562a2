"""Numbers among the arguments with which a program is said to be called."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SHORT = 2
_NUMBER = re.compile(r"[+-]?(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)")


def argument_at(arguments: Sequence[str], position: int) -> str | None:
    """What `argv[position]` is, None where there is none.

    >>> argument_at(("4096", "in.dat"), 1), argument_at(("4096",), 2)
    ('4096', None)
    """
    return arguments[position - 1] if 0 < position <= len(arguments) else None


def option_in(arguments: Sequence[str], spellings: Sequence[str]) -> str | None:
    """What is given for an option, behind it or in it.

    >>> option_in(("-v", "-n", "64"), ("-n", "--size")), option_in(("--size=64",), ("-n", "--size"))
    ('64', '64')
    >>> option_in(("-n64",), ("-n",)), option_in(("-m", "3"), ("-n",)), option_in(("-n",), ("-n",))
    ('64', None, None)
    """
    for at, given in enumerate(arguments):
        for spelling in spellings:
            if given == spelling:
                return arguments[at + 1] if at + 1 < len(arguments) else None
            if given.startswith(f"{spelling}="):
                return given[len(spelling) + 1 :]
            if len(spelling) == _SHORT < len(given) and given.startswith(spelling) and given[:2] != "--":
                return given[_SHORT:]
    return None


def is_among(arguments: Sequence[str], spellings: Sequence[str]) -> bool:
    """Whether an option is given, or a text that is compared with one.

    >>> is_among(("-s", "small"), ("small",)), is_among(("-n64",), ("-n",)), is_among((), ("-n",))
    (True, True, False)
    """
    return any(one in spellings for one in arguments) or option_in(arguments, spellings) is not None


def number_in(text: str) -> int | float | None:
    """The number that a text begins with, as `atoi` and `atof` read it.

    >>> number_in("4096"), number_in("1e6"), number_in("0x10"), number_in("64x64"), number_in("in.dat")
    (4096, 1000000.0, 16, 64, None)
    """
    found = _NUMBER.match(text.strip())
    if found is None:
        return None
    number = found[0]
    if number.lstrip("+-")[:2].lower() == "0x":
        return int(number, 16)
    return int(number) if number.lstrip("+-").isdigit() else float(number)
