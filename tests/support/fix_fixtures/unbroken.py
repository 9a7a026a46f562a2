"""Directives that are broken over lines, each on one line, for tests that read them."""

import re

_BROKEN = re.compile(r"(?m)^(\s*#pragma[^\n]*?) ?\\\r?\n\s*")


def unbroken(text: str) -> str:
    """The text with each directive on one line.

    >>> unbroken("  #pragma omp target \\\\\\n      map(to: x)\\n  x();")
    '  #pragma omp target map(to: x)\\n  x();'
    """
    while (joined := _BROKEN.sub(r"\1 ", text)) != text:
        text = joined
    return text
