"""A run as one file has it, before files of the same runs are put together."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from warplens.analysis.gpu.launch.extent import Extent

_SEPARATOR = re.compile(r",\s+|\s*x\s*|\s+")
_WHOLE = re.compile(r"[1-9]\d{0,2}(?:,\d{3}){1,3}|[1-9]\d{0,9}", re.ASCII)
_MOST_AXES = 3


@dataclass(slots=True)
class RawRun:
    """Mutable while a file is read: `values` by metric with the order of the source that gave them.

    `parts` are of sums, `dividends` (order, value, metric to divide by) by metric: both wait for the whole run. `name`
    is the kernel's with parameters and template arguments, `device` the number of the GPU among several alike.
    """

    kernel: str
    line: int
    name: str = ""
    gpu: str = ""
    device: str = ""
    time_s: float | None = None
    block: Extent | None = None
    grid: Extent | None = None
    registers: int | None = None
    shared_bytes: int | None = None
    problem: dict[str, float] = field(default_factory=dict)
    values: dict[str, tuple[int, float]] = field(default_factory=dict)
    parts: dict[str, dict[str, float]] = field(default_factory=dict)
    dividends: dict[str, tuple[int, float, str]] = field(default_factory=dict)


def extent_of(text: str) -> Extent | None:
    """Of `(16, 16, 1)` and the like; None for anything else, and for axes below 1.

    >>> extent_of("(16, 8, 1)"), extent_of("(1,024, 1, 1)"), extent_of("64x8"), extent_of("(0, 1, 1)")
    ((16, 8, 1), (1024, 1, 1), (64, 8, 1), None)
    """
    inner = text.strip("()[] ")
    axes = _SEPARATOR.split(inner)
    if len(axes) == 1:
        axes = inner.split(",")
    if len(axes) > _MOST_AXES or not all(_WHOLE.fullmatch(axis) for axis in axes):
        return None
    x, y, z = (*(int(axis.replace(",", "")) for axis in axes), 1, 1)[:_MOST_AXES]
    return x, y, z
