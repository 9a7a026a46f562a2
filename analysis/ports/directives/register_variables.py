"""Variables that the source declares `register`: they have no address, which a copy back from the device needs."""

from __future__ import annotations

import re
from collections.abc import Iterable

from warplens.analysis.text.tokens import without_comments_and_directives

_REGISTER = re.compile(r"\bregister\b([^;(){}]*)")


def why_no_address(source: str, names: Iterable[str]) -> str:
    """Reason in the source's terms why one of a function's variables can't be handed over; empty if all can.

    `source` is the function's text. A name that is declared `register` in one block counts for all of them.

    >>> why_no_address("{ register double sum = 0, c; }", ["sum"])
    '`sum` is declared `register` and has no address: take that word away'
    >>> why_no_address("{ register int i; double sum; }", ["sum"])
    ''
    """
    declared = " ".join(_REGISTER.findall(without_comments_and_directives(source)))
    words = frozenset(re.findall(r"\w+", declared))
    found = next((name for name in names if name in words), "")
    return f"`{found}` is declared `register` and has no address: take that word away" if found else ""
