"""The codes of the fixes, in the catalogue's order, apart from the fixes: a command's help needs none of them."""

from __future__ import annotations

CODES = (
    "openmp",
    "openacc",
    "cuda",
    "clause",
    "section",
    "restrict",
    "interchange",
    "split",
    "local-sum",
    "privatise",
    "copy",
    "transpose",
)
