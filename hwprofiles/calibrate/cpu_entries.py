"""What the measuring program wrote about a CPU, as entries of a profile."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from warplens.analysis.facts.program import PROFILED_OP_CLASSES
from warplens.hwprofiles.calibrate.cpu_samples import CpuSamples, Samples, pooled, undisturbed_time
from warplens.hwprofiles.calibrate.cpu_translation import PAGE_LINE_BYTES, translation_of
from warplens.hwprofiles.calibrate.measurement import Measurement
from warplens.hwprofiles.calibrate.robust import robust
from warplens.hwprofiles.entry import Entry
from warplens.hwprofiles.schema import CPU_SCHEMA

_ONE_CORE, _ALL_CORES = "dram.bandwidth_one_core_gb_per_s", "dram.bandwidth_all_cores_gb_per_s"
_RATES = (  # of loops of several lengths, the fastest
    "device.issue_per_cycle",
    "device.loads_per_cycle",
    "device.stores_per_cycle",
)
_INDEPENDENT = ("independent", "independent_packed")
_FUSED = (("fp32_fma", "fp32_mul", "fp32_add"), ("fp64_fma", "fp64_mul", "fp64_add"), ("int_mad", "int_mul", "int_add"))
"""A product with a sum, and its parts: the target has no instruction for both."""
_UNITS = {f"{section}.{key.name}": key.unit for section, keys in CPU_SCHEMA.items() for key in keys}


def _median(samples: Samples) -> float:
    return robust(samples).value


def _upper_quartile(samples: Samples) -> float:
    return robust(samples).high


_UNDISTURBED: dict[str, tuple[str, Callable[[Samples], float]]] = {
    "ns": ("lower quartile", undisturbed_time),
    "us": ("lower quartile", undisturbed_time),
    "GB/s": ("upper quartile", _upper_quartile),
}
"""By unit, how a number is taken of samples that others only make worse."""


@dataclass(frozen=True, slots=True)
class _Origin:
    """How entries say where they come from."""

    source: str

    def measured(self, key: str, samples: Samples) -> dict[str, Entry]:
        """One number of the samples, with their spread in the note; none where there are no samples."""
        if not samples:
            return {}
        found = robust(samples)
        which, value = _UNDISTURBED.get(_UNITS[key], ("median", _median))
        note = f"{which} of {len(samples)}, the middle half {found.low:.4g} to {found.high:.4g}"
        return {key: Entry(_rounded(value(samples)), _UNITS[key], "measured", self.source, note=note)}

    def derived(self, key: str, value: float, how: str, note: str = "") -> dict[str, Entry]:
        """A number made of measured ones."""
        return {key: Entry(_rounded(value), _UNITS[key], "derived", f"{how}; {self.source}", note=note)}


def cpu_entries(measurements: Iterable[Measurement], source: str) -> dict[str, Entry]:
    """Entries by key, in the schema's order, of all that was measured; keys without samples are left out.

    Units: those of the schema; the program's are ns, us, MHz, GB/s, and cycles of one instruction.
    The number is the median, but for times and bandwidths the quartile on the side where nothing disturbs: others that
    use the caches and the memory only make them worse. Cycles are ratios of two times, off to either side.
    Assumes: what waits for itself takes its latency, and many that do not are limited by their rate alone.
    """
    samples, origin = pooled(measurements), _Origin(source)
    entries: dict[str, Entry] = {}
    for key in _UNITS:
        entries |= origin.measured(key, samples.of(key, "value"))
        if key in _RATES:
            fastest = min(samples.of_quantity(key), key=_median, default=())
            entries |= origin.measured(key, _rate(fastest))
    entries |= _latencies(samples, origin) | _translation(samples, origin)
    for op in PROFILED_OP_CLASSES:
        entries |= _instruction(samples, op, origin)
    entries |= _fused(entries, origin) | _at_least_one_core(entries)
    return {key: entries[key] for key in _UNITS if key in entries}


def _latencies(samples: CpuSamples, origin: _Origin) -> dict[str, Entry]:
    """Latencies, and how many lines are on their way: the latency over the time of loads that don't wait."""
    entries: dict[str, Entry] = {}
    for key in ("l1.latency_ns", "l2.latency_ns", "l3.latency_ns", "dram.latency_ns"):
        entries |= origin.measured(key, samples.of_all_places(key, "dependent"))
    for key, quantity in (
        ("dram.misses_in_flight_per_core", "dram.latency_ns"),
        ("device.misses_in_flight_per_set", "device.misses_in_flight_per_set"),
    ):
        waiting, free = (samples.of_all_places(quantity, series) for series in ("dependent", "independent"))
        if waiting and free:
            in_flight = max(1.0, undisturbed_time(waiting) / undisturbed_time(free))
            entries |= origin.derived(key, in_flight, "latency over the time of an independent load")
    return entries


def _translation(samples: CpuSamples, origin: _Origin) -> dict[str, Entry]:
    found = translation_of(samples)
    if found is None:
        return {}
    how = f"loads of a line on each page less loads of as many lines at {PAGE_LINE_BYTES} bytes from each other"
    entries = origin.derived("translation.page_walk_ns", found.walk_ns, how)
    entries |= origin.derived(
        "translation.page_walks_in_flight", found.walks_in_flight, "page walk over the time of an independent load"
    )
    if found.entries:
        held = origin.derived("translation.entries", found.entries, "most pages, of powers of two, without most walks")
        entries |= {key: replace(entry, value=found.entries) for key, entry in held.items()}
    return entries


def _instruction(samples: CpuSamples, op: str, origin: _Origin) -> dict[str, Entry]:
    """Latency, and the rate of the slower of the scalar and the vector form."""
    quantity = f"instructions.{op}"
    entries = origin.measured(f"instructions.lat_{op}", samples.of(quantity, "dependent"))
    forms = [found for found in (samples.of(quantity, series) for series in _INDEPENDENT) if found]
    if forms:
        slowest = max(forms, key=_median)
        entries |= origin.measured(f"instructions.per_cycle_{op}", _rate(slowest))
        if not entries.get(f"instructions.lat_{op}"):
            how = "a cycle is what an addition takes that waits for another"
            entries |= origin.derived(f"instructions.lat_{op}", 1.0, how)
    return entries


def _fused(entries: dict[str, Entry], origin: _Origin) -> dict[str, Entry]:
    made: dict[str, Entry] = {}
    for fused, product, total in _FUSED:
        parts = [(f"instructions.lat_{op}", f"instructions.per_cycle_{op}") for op in (product, total)]
        if all(latency in entries and rate in entries for latency, rate in parts):
            latency = sum(_number(entries[latency]) for latency, _ in parts)
            cycles = sum(1 / _number(entries[rate]) for _, rate in parts)
            how = f"{product} and {total} one after the other"
            made |= origin.derived(f"instructions.lat_{fused}", latency, how)
            made |= origin.derived(f"instructions.per_cycle_{fused}", 1 / cycles, how)
    return made


def _at_least_one_core(entries: dict[str, Entry]) -> dict[str, Entry]:
    """All cores reach what one of them does: where less was measured, others were using the memory."""
    one, every = entries.get(_ONE_CORE), entries.get(_ALL_CORES)
    if one is None or every is None or _number(every) >= _number(one):
        return {}
    return {_ALL_CORES: replace(one, kind="derived", source=f"as of one core, more than of all; {one.source}")}


def _rate(cycles: Samples) -> Samples:
    return tuple(1 / sample for sample in cycles)


def _number(entry: Entry) -> float:
    return float(entry.value) if isinstance(entry.value, int | float) else 0.0


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")
