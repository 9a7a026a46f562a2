"""What Linux says of the CPU of this machine: its name, its cores, its caches and its pages."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from pathlib import Path

from warplens.hwprofiles.calibrate.cpu_machine import CpuMachine, StatedCache
from warplens.hwprofiles.recognised_cpu import cpu_name

_CPUS = Path("/sys/devices/system/cpu")
_CPU_INFO = Path("/proc/cpuinfo")


def this_cpu(cpus: Path = _CPUS, cpu_info: Path = _CPU_INFO) -> CpuMachine:
    """Read what the system says; where it says nothing (not Linux), no cache is known, nor a name.

    Cores are those that this process may run on; two threads of one core count once. The caches are those of the first.
    """
    allowed = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    cores = _cores(cpus, allowed)
    return CpuMachine(
        name=_name(cpu_info),
        architecture=platform.machine(),
        core_count=len(set(cores.values())),
        is_virtual=_is_virtual(cpu_info),
        page_bytes=os.sysconf("SC_PAGE_SIZE"),
        caches=_caches(cpus / f"cpu{allowed[0]}" / "cache", cores),
    )


def _cores(cpus: Path, allowed: Sequence[int]) -> dict[int, str]:
    """The core of each hardware thread, as the list of its threads."""
    return {thread: _text(cpus / f"cpu{thread}" / "topology" / "thread_siblings_list") or str(thread)
            for thread in allowed}  # fmt: skip


def _caches(folder: Path, cores: dict[int, str]) -> tuple[StatedCache, ...]:
    found: dict[int, StatedCache] = {}
    for index in sorted(folder.glob("index*")):
        level, size_bytes = _number(index / "level"), _size_bytes(_text(index / "size"))
        if _text(index / "type") == "Instruction" or not level or not size_bytes:
            continue
        sharing = _threads(_text(index / "shared_cpu_list"))
        found[level] = StatedCache(
            level=level,
            size_bytes=size_bytes,
            ways=_number(index / "ways_of_associativity"),
            line_bytes=_number(index / "coherency_line_size"),
            sharing_cores=max(1, len({core for thread, core in cores.items() if thread in sharing})),
        )
    return tuple(found[level] for level in sorted(found))


def _name(cpu_info: Path) -> str:
    return cpu_name(_text(cpu_info)) or f"{platform.machine() or 'unknown'} CPU"


def _is_virtual(cpu_info: Path) -> bool:
    return any(line.startswith("flags") and "hypervisor" in line.split() for line in _text(cpu_info).splitlines())


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _number(path: Path) -> int:
    text = _text(path)
    return int(text) if text.isdecimal() else 0


def _size_bytes(text: str) -> int:
    """Bytes of `48K`; 0 where it is none.

    >>> _size_bytes("48K"), _size_bytes("32M"), _size_bytes("512"), _size_bytes("")
    (49152, 33554432, 512, 0)
    """
    factor = {"K": 1 << 10, "M": 1 << 20}.get(text[-1:], 1)
    digits = text[:-1] if factor > 1 else text
    return int(digits) * factor if digits.isdecimal() else 0


def _threads(text: str) -> frozenset[int]:
    """Numbers of a list of the kernel.

    >>> sorted(_threads("0-2,8"))
    [0, 1, 2, 8]
    """
    threads: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        if first.isdecimal():
            threads.update(range(int(first), int(last if last.isdecimal() else first) + 1))
    return frozenset(threads)
