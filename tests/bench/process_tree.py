"""What a server and the processes it started use, as Linux counts it in /proc."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Memory:
    """Resident memory, in MiB: `rss` counts what processes share in each of them, `pss` once between them."""

    rss_mib: float
    pss_mib: float


def tree_of(process_id: int) -> list[int]:
    """A process and all below it."""
    found, pending = [], [process_id]
    while pending:
        found.append(pending.pop())
        for task in Path(f"/proc/{found[-1]}/task").glob("*/children"):
            pending += map(int, task.read_text(encoding="ascii").split())
    return found


def memory_by_process(process_id: int) -> list[Memory]:
    """Of the process itself first, then of those below it."""
    return [_memory(each) for each in tree_of(process_id)]


def cpu_s(process_id: int) -> float:
    """CPU time that the processes of a tree have used, with that of children that have ended, in seconds.

    The kernel counts in steps of about 10 ms.
    """
    # Children first: one that ends meanwhile is then in its parent's figure.
    return sum(_cpu_ticks(each) for each in reversed(tree_of(process_id))) / _TICKS_PER_S


def _memory(process_id: int) -> Memory:
    text = Path(f"/proc/{process_id}/smaps_rollup").read_text(encoding="ascii")
    kib = {name: int(value) for name, value in re.findall(r"^(Rss|Pss):\s+(\d+) kB", text, re.MULTILINE)}
    return Memory(kib["Rss"] * 1024 / _MIB, kib["Pss"] * 1024 / _MIB)


def _cpu_ticks(process_id: int) -> int:
    try:
        text = Path(f"/proc/{process_id}/stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return 0
    fields = text.rpartition(")")[2].split()
    return sum(map(int, fields[11:15]))  # utime, stime, cutime, cstime
