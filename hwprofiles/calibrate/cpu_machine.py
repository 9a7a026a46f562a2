"""What the system states about a CPU, without a measurement."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StatedCache:
    """A cache as seen from one core, which shares it with `sharing_cores` cores, itself one of them. 0 is unknown."""

    level: int
    size_bytes: int
    ways: int
    line_bytes: int
    sharing_cores: int


@dataclass(frozen=True, slots=True)
class CpuMachine:
    """The CPU under its maker's name, and what a process may use of it; caches (data or unified) from the nearest on.

    A virtual machine's cores, and what is behind them, belong to others too.
    """

    name: str
    architecture: str
    core_count: int
    page_bytes: int
    is_virtual: bool
    caches: tuple[StatedCache, ...]

    def cache_bytes(self, level: int) -> int:
        """Bytes of the cache of a level, 0 where none is known."""
        return next((cache.size_bytes for cache in self.caches if cache.level == level), 0)
