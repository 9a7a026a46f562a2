"""The GPUs that are compared by default, apart from the comparison: a command's help needs no more."""

from __future__ import annotations

COMPARED = ("t4", "rtx2080ti", "v100", "a4000", "a100", "l40s", "rtx4090", "h100", "h200", "mi250x")
"""GPUs that are compared where nobody names any: of each of the last generations one, from small to large."""
