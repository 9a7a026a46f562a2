"""How long a nest takes on one core and on all cores: a roofline per loop, its data charged level by level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from warplens.analysis.cpu.all_cores import Threading, cores_around, threading
from warplens.analysis.cpu.assumed_compilation import assumed_compilation
from warplens.analysis.cpu.cache_sets import cache_sets
from warplens.analysis.cpu.cache_traffic import CacheShare
from warplens.analysis.cpu.compilation import Compilation
from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.cpu.cpu_time import CpuTime
from warplens.analysis.cpu.loop_time import LoopDemand, NestCode, demands, nest_code
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.nest import loops_of
from warplens.analysis.ir.source_names import c_name

Bound = Literal["computation", "L1", "L2", "L3", "memory bandwidth", "memory latency"]
_READ_OF_TRIAD = 0.75
_HIDDEN = 0.5
"""Of the shorter one of computation and transfers, what is done during the other: all of it in the roofline model, none
in the execution-cache-memory model. Measured loops lie between the two."""
_KEPT_WHERE_HASHED = 0.75
"""Of a cache that hashes lines over its sets, what a loop finds again: sets fill unevenly, others have their part."""
_LEVELS: tuple[Bound, ...] = ("L1", "L2", "L3")
_BOUNDS: tuple[Bound, ...] = ("computation", *_LEVELS, "memory bandwidth", "memory latency")


def cpu_time(facts: NestFacts, sizes: Mapping[str, int], cpu: Cpu, compilation: Compilation | None = None) -> CpuTime:
    """Predict the time of a nest as it is compiled: by `gcc -O3` for the profile's target where nobody says how.

    Every loop's own code takes as long as its instructions (throughput, or the latency of a chain from iteration to
    iteration) or its data, whichever is slower; the nest takes the sum over its loops. Data is charged to the level it
    comes from: bytes that L1 has go at L1's bandwidth, lines that L3 has at L3's, and these times add up.

    Equation: T = sum over loops of max(T_core, T_data) + (1 - h) min(T_core, T_data) + T_waits, h = 1/2,
    T_data = sum over levels k of max((V_k - V_(k+1)) / b_k, W_k), V_1 the bytes loaded and stored (at least V_2), V_k
    what crosses between level k - 1 and k, b_k the bandwidth that one core reaches on data in level k, W_k the waits of
    waits.py for lines that go to crowded sets, T_waits those for lines and translations that no prefetcher brings.
    L1's part of T_data overlaps with T_core entirely.
    On all cores: the loops inside the outermost parallel loop run on min(cores, trips) cores, private levels scale,
    memory gives what all cores together reach, a shared cache is divided; each entry of a parallel loop costs the
    region overhead; never slower than one core (a program would not use threads where they cost time).
    Units: seconds. `breakdown_s` gives each loop's time to what it waits for and sums to `one_core_s`.
    Source: Williams, Waterman and Patterson, "Roofline" (CACM 52(4), 2009) for the overlap of computation and data; the
    transfers that add up are those of the execution-cache-memory model (Stengel, Treibig, Hager and Wellein, ICS 2015)
    with b_k as measured by streaming, which includes the way through the levels nearer. That model hides nothing of a
    vectorised loop's transfers, the roofline all; loops measured on AMD Zen 5 lie between.
    Assumes: see the returned assumptions, and vectorisation.py, cache_traffic.py, cache_sets.py, waits.py,
    core_cycles.py, recurrence.py.
    Not modelled: branch misprediction, NUMA, simultaneous multithreading,
    frequency changes, the cost of entering short loops.
    """
    compilation = compilation or cpu.compilation or assumed_compilation(cpu)
    cpu = _with_vectors(cpu, compilation)
    nest = nest_code(facts, sizes, cpu, compilation)
    alone = demands(nest, cpu, *_shares(cpu, 1))
    parts = [_parts(demand, cpu, 1) for demand in alone]
    loops_s = [sum(each.values()) for each in parts]
    breakdown: dict[str, float] = {}
    for each in parts:
        for bound, seconds in each.items():
            if seconds > 0.0:
                breakdown[bound] = breakdown.get(bound, 0.0) + seconds
    one_core_s = sum(breakdown.values())
    all_cores_s, why = _all_cores(nest, cpu, threading(facts, nest.tree, cpu), one_core_s)
    hottest, _ = max(zip(alone, loops_s, strict=True), key=lambda each: (each[1], len(each[0].around)))
    return CpuTime(
        one_core_s=one_core_s,
        all_cores_s=all_cores_s,
        bound_by=max(_BOUNDS, key=lambda bound: breakdown.get(bound, 0.0)),
        vectorised=hottest.vectorisation.is_vectorised,
        breakdown_s=tuple(breakdown.items()),
        assumptions=(*_assumptions(facts, cpu, compilation, hottest), *why),
        loops_s=tuple((demand.around, seconds) for demand, seconds in zip(alone, loops_s, strict=True)),
    )


def _with_vectors(cpu: Cpu, compilation: Compilation) -> Cpu:
    """With the bandwidth of L1 that vectors of the compilation's width reach: as many of them per cycle.

    Where write-backs go apart, what lies behind L1 was measured with four words of which one was such.
    """
    wider = compilation.vector_bytes / cpu.vector_bytes
    coming = _READ_OF_TRIAD if cpu.write_backs_apart else 1.0
    shares = [wider, *(coming for _ in cpu.caches[1:])]
    caches = [
        replace(cache, bandwidth_bytes_per_s=cache.bandwidth_bytes_per_s * share)
        for cache, share in zip(cpu.caches, shares, strict=True)
    ]
    return replace(
        cpu,
        caches=tuple(caches),
        dram_bandwidth_one_core_bytes_per_s=cpu.dram_bandwidth_one_core_bytes_per_s * coming,
        dram_bandwidth_all_cores_bytes_per_s=cpu.dram_bandwidth_all_cores_bytes_per_s * coming,
    )


def _parts(demand: LoopDemand, cpu: Cpu, cores: int) -> dict[Bound, float]:
    """Return what a loop waits for, and how long, on so many cores."""
    core_s = demand.compute_s / cores
    memory_bytes_per_s = cpu.dram_bandwidth_one_core_bytes_per_s * cores
    if cores > 1:
        memory_bytes_per_s = min(memory_bytes_per_s, cpu.dram_bandwidth_all_cores_bytes_per_s)
    volumes = [demand.bytes_l1, *demand.beyond_bytes]
    for k in reversed(range(len(cpu.caches))):
        volumes[k] = max(volumes[k], volumes[k + 1])
    data: dict[Bound, float] = {}
    for k, cache in enumerate(cpu.caches):
        transfer_s = (volumes[k] - volumes[k + 1]) / (cache.bandwidth_bytes_per_s * cores)
        data[_LEVELS[k]] = max(transfer_s, demand.waits.crowded_s[k] / cores)
    far_s = demand.unstreamed_bytes / memory_bytes_per_s
    wait_s = max(demand.waits.memory_s, demand.waits.page_walks_s) / cores
    data["memory bandwidth"] = (volumes[-1] - demand.unstreamed_bytes) / memory_bytes_per_s
    far: Bound = "memory bandwidth" if far_s >= wait_s else "memory latency"
    data[far] = data.get(far, 0.0) + max(far_s, wait_s)
    restarts_s = demand.waits.restarts_s / cores
    data["memory latency"] = data.get("memory latency", 0.0) + restarts_s
    return _overlapped(core_s, data, max(far_s, wait_s) + restarts_s)


def _overlapped(core_s: float, data: dict[Bound, float], waited_s: float) -> dict[Bound, float]:
    """What a loop's computation and its transfers take together, `waited_s` with nothing else going on.

    What L1 gives is loaded and stored by the instructions themselves: it overlaps with them. Of the shorter one of that
    and of what comes from behind, half is hidden. While a core waits for lines that no prefetcher brings, the
    instructions behind them fill its window, and nothing goes on.
    """
    near: Bound = "computation" if core_s >= data["L1"] else "L1"
    near_s = max(core_s, data["L1"])
    behind = {bound: seconds for bound, seconds in data.items() if bound != "L1"}
    behind_s = sum(behind.values())
    streamed_s = max(behind_s - waited_s, 0.0)
    hidden_s = _HIDDEN * min(near_s, streamed_s)
    if near_s >= streamed_s and behind_s > 0.0:
        kept = 1.0 - hidden_s / behind_s
        together: dict[Bound, float] = {near: near_s}
        return together | {bound: seconds * kept for bound, seconds in behind.items()}
    hidden: dict[Bound, float] = {near: near_s - hidden_s}
    return hidden | behind


def _all_cores(nest: NestCode, cpu: Cpu, threads: Threading, one_core_s: float) -> tuple[float, Sequence[Assumption]]:
    if not threads.cores_of:
        why = "No loop is known to be parallel: all cores are assumed to take as long as one."
        return one_core_s, (Assumption("machine", "all cores", why, origin="inferred"),)
    busiest = max(threads.cores_of.values())
    together = demands(nest, cpu, *_shares(cpu, busiest), threads.cores_of)
    seconds = threads.regions * cpu.parallel_region_overhead_s
    seconds += sum(sum(_parts(each, cpu, cores_around(each.around, threads)).values()) for each in together)
    if seconds >= one_core_s:
        why = "Starting threads would not pay here: all cores are assumed to take as long as one."
        return one_core_s, (Assumption("machine", "all cores", why, origin="inferred"),)
    why = f"On all cores the outermost parallel loop is assumed to run on {busiest} cores in equal shares."
    return seconds, (Assumption("machine", "all cores", why, float(busiest), origin="inferred"),)


def _shares(cpu: Cpu, cores: int) -> tuple[list[CacheShare], CacheShare]:
    """Return what one of so many busy cores has of each cache, and of the translations held."""
    caches: list[CacheShare] = []
    for cache in cpu.caches:
        size = float(cache.size_bytes)
        if cache.ways == 0:
            size *= _KEPT_WHERE_HASHED
        own = size / cores if cache.shared_by_all_cores else size
        sets = cache_sets(cache, cpu.line_bytes, cpu.page_bytes)
        caches.append(CacheShare(own, size, not cache.shared_by_all_cores, sets))
    held = float(cpu.tlb_entries * cpu.page_bytes)
    return caches, CacheShare(held, held, True, is_random=True)


def _assumptions(facts: NestFacts, cpu: Cpu, compilation: Compilation, hottest: LoopDemand) -> tuple[Assumption, ...]:
    iterator = next((c_name(loop.iterator) for loop in loops_of(facts.nest) if loop.id in hottest.around[-1:]), "")
    lanes = (
        f"The loop over `{iterator}` is assumed to be vectorised ({compilation.vector_bytes}-byte vectors)."
        if hottest.vectorisation.is_vectorised
        else f"The loop over `{iterator}` is assumed not to be vectorised: {hottest.vectorisation.reason}."
    )
    return (
        Assumption("machine", "cpu", f"The CPU is a {cpu.name}; its code is compiled by {compilation.words}."),
        Assumption("machine", "vectorisation", lanes, origin="inferred"),
        Assumption("context", "cpu caches", "Data that fits in a cache of the CPU is assumed to be there already."),
        Assumption("context", "cpu pages", f"Pages of {cpu.page_bytes} bytes, anywhere in physical memory."),
        *_profile(cpu),
    )


def _profile(cpu: Cpu) -> tuple[Assumption, ...]:
    """One line for all weak values of the profile; each of them is in `cpu.assumptions`."""
    if not cpu.assumptions:
        return ()
    text = f"{len(cpu.assumptions)} values of the CPU profile {cpu.id} are typical ones, not measured on this machine."
    return (Assumption("profile", cpu.id, text, float(len(cpu.assumptions))),)
