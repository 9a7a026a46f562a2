"""What a core waits for where no prefetcher helps: lines of far strides and gathers, crowded sets, page walks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from warplens.analysis.cpu.cache_traffic import GroupTraffic
from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.cpu.loop_tree import bounded


@dataclass(frozen=True, slots=True)
class Waits:
    """Seconds on one core. `crowded_s[k]`: for lines of cache k that go to crowded sets of the caches nearer.

    `memory_s`: for lines of memory, to be compared with their transfer; `page_walks_s`: for translations. `restarts_s`:
    where a stream from memory goes on elsewhere, until a prefetcher follows it again.
    """

    crowded_s: tuple[float, ...]
    memory_s: float
    page_walks_s: float
    restarts_s: float = 0.0


def waits_of(traffic: Sequence[tuple[GroupTraffic, float]], cpu: Cpu, *, is_chased: bool) -> Waits:
    """Waits for groups of references, each with the page walks it causes.

    Equation: lines * latency / lines in flight, at most misses_in_flight_per_set * sets where lines crowd into few sets
    (a written line then waits twice: for its fetch and for the write-back that makes room); page walks * seconds /
    walks in flight. One at a time where an address hangs on the load before it (`is_chased`), in every cache.
    Source: Little's law. Hardware prefetchers don't cross pages: Intel 64 and IA-32 Architectures Optimization
    Reference Manual, "Hardware Prefetch".
    Assumes: pages of `page_bytes` (no transparent huge pages); a translation buffer without conflicts; translations
    that only its first level misses cost nothing (a few cycles, which out-of-order execution hides); those of streams
    are in the bandwidths, which are measured with them.
    """
    levels = len(cpu.caches)
    misses_in_flight = 1.0 if is_chased else max(cpu.misses_in_flight_per_core, 1.0)
    walks_in_flight = 1.0 if is_chased else max(cpu.page_walks_in_flight, 1.0)
    crowded_s = [0.0] * levels
    far_lines = walks = restarts = chased_s = 0.0
    for group, group_walks in traffic:
        if group.group.is_far:
            walks += group_walks
            far_lines += (group.lines[-1] if levels else 0.0) * (2.0 if group.group.is_written else 1.0)
        elif levels and group.lines[-1] > 0.0:
            restarts += min(group.group.stretches, group.lines[-1])
        if is_chased and levels:
            nearest_s = cpu.caches[0].latency_s
            for k in range(1, levels):
                chased_s += bounded(group.lines[k - 1] - group.lines[k]) * (cpu.caches[k].latency_s - nearest_s)
        for k in range(1, levels):
            few = [sets for sets in group.crowded_sets[:k] if sets is not None]
            if few:
                in_flight = max(min(cpu.misses_in_flight_per_set * min(few), misses_in_flight), 1.0)
                lines = (group.lines[k - 1] - group.lines[k]) * (2.0 if group.group.is_written else 1.0)
                crowded_s[k] += bounded(lines) * cpu.caches[k].latency_s / in_flight
    return Waits(
        tuple(crowded_s),
        bounded(far_lines) * cpu.dram_latency_s / misses_in_flight + chased_s,
        bounded(walks) * cpu.page_walk_s / walks_in_flight,
        bounded(restarts) * cpu.dram_latency_s,
    )
