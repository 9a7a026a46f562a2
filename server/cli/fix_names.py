"""What fixes are called on the command line: their codes, two of them in short."""

from __future__ import annotations

import argparse

from warplens.analysis.ports.fix_codes import CODES

SHORT_NAMES = {"omp": "openmp", "acc": "openacc"}


def short_name(code: str) -> str:
    """How people call the fix of a code."""
    return next((name for name, long in SHORT_NAMES.items() if long == code), code)


NAMES = tuple(map(short_name, CODES))
"""What `--to` is offered as, in the catalogue's order."""


def fix(text: str) -> tuple[str, str]:
    """Code and variant of `CODE:VARIANT`; raises ArgumentTypeError."""
    code, _, variant = text.partition(":")
    code = SHORT_NAMES.get(code, code)
    if code not in CODES:
        raise argparse.ArgumentTypeError(f"{text!r} is no fix; there are {', '.join(NAMES)}")
    return code, variant
