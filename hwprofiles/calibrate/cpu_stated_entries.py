"""The keys of a CPU profile that the system states, so that nothing needs to be measured."""

from __future__ import annotations

from warplens.hwprofiles.calibrate.cpu_machine import CpuMachine, StatedCache
from warplens.hwprofiles.entry import Entry, Value

_LEVELS = (1, 2, 3)
_HASHED = 3
"""From this level on a hash is assumed to spread lines over the sets: ways stay those of the base profile (0)."""


def stated_entries(machine: CpuMachine, date: str) -> dict[str, Entry]:
    """Entries by key: cores, line and page, and of each cache that is known its size, ways and who shares it.

    A cache counts as shared by all cores where at least half of them share it; the note says how many do.
    """
    source = f"stated by the system, {machine.name}, {date}"
    entries = {
        "device.core_count": _entry(machine.core_count, "cores", source),
        "translation.page_bytes": _entry(machine.page_bytes, "bytes", source),
    }
    first = next(iter(machine.caches), None)
    if first is not None and first.line_bytes:
        entries["device.line_bytes"] = _entry(first.line_bytes, "bytes", source)
    for cache in machine.caches:
        if cache.level in _LEVELS:
            entries |= _cache(cache, machine.core_count, source)
    return entries


def _cache(cache: StatedCache, core_count: int, source: str) -> dict[str, Entry]:
    section = f"l{cache.level}"
    entries = {f"{section}.size_bytes": _entry(cache.size_bytes, "bytes", source)}
    if cache.ways and cache.level < _HASHED:
        entries[f"{section}.ways"] = _entry(cache.ways, "lines", source)
    if core_count > 1:
        is_shared = cache.sharing_cores > 1 and 2 * cache.sharing_cores >= core_count
        is_partly = 1 < cache.sharing_cores < core_count
        note = f"{cache.sharing_cores} of {core_count} cores share it" if is_partly else ""
        entries[f"{section}.shared_by_all_cores"] = _entry(is_shared, "-", source, note)
    return entries


def _entry(value: Value, unit: str, source: str, note: str = "") -> Entry:
    return Entry(value, unit, "measured", source, note=note)
