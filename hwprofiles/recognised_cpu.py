"""Which CPU profile fits a machine, by the name that its system gives the CPU."""

from __future__ import annotations

import re

_KEYS = ("model name", "machdep.cpu.brand_string")
"""Of /proc/cpuinfo (Linux), and of `sysctl machdep.cpu` (macOS)."""
_SERVERS = re.compile(r"\b(EPYC|Xeon|Opteron|Threadripper|Neoverse|Graviton|Altra|POWER\d+)\b", re.IGNORECASE)
_DESKTOPS = re.compile(r"\b(Ryzen|Core(\(TM\))?2?|Athlon|Apple M\d+|Pentium|Celeron)\b", re.IGNORECASE)


def cpu_name(text: str) -> str:
    r"""The maker's name of the CPU in the text of /proc/cpuinfo or of sysctl; empty where it has none.

    >>> cpu_name("processor\t: 0\nmodel name\t: AMD EPYC  9654\n"), cpu_name("machdep.cpu.brand_string: Apple M2")
    ('AMD EPYC 9654', 'Apple M2')
    """
    for line in text.splitlines():
        key, _, value = line.partition(":")
        if key.strip() in _KEYS and value.strip():
            return " ".join(value.split())
    return ""


def profile_for(name: str) -> str | None:
    """The profile of the CPU's class that comes with Warplens; None for one of no known class.

    These are typical of a class and of no product: `warplens calibrate cpu` measures the machine itself.

    >>> profile_for("AMD EPYC 9654"), profile_for("12th Gen Intel(R) Core(TM) i7-12700"), profile_for("Loongson-3A")
    ('server', 'desktop', None)
    """
    if _SERVERS.search(name):
        return "server"
    return "desktop" if _DESKTOPS.search(name) else None
