"""What a GPU's driver states, as entries of a profile."""

from __future__ import annotations

from warplens.hwprofiles.calibrate.gpu_points import GpuPoints
from warplens.hwprofiles.entry import Entry

_QUANTITY = "device.properties"
_STATED: dict[str, tuple[str, str]] = {
    "device.sm_count": ("sm_count", "SMs"),
    "device.warp_size_threads": ("warp_size", "threads"),
    "occupancy.max_threads_per_block": ("max_threads_per_block", "threads"),
    "occupancy.max_threads_per_sm": ("max_threads_per_sm", "threads"),
    "occupancy.max_blocks_per_sm": ("max_blocks_per_sm", "blocks"),
    "occupancy.registers_per_sm": ("registers_per_sm", "registers"),
    "occupancy.registers_max_per_block": ("registers_per_block", "registers"),
    "occupancy.shared_per_sm_bytes": ("shared_per_sm", "bytes"),
    "occupancy.shared_per_block_bytes": ("shared_per_block_optin", "bytes"),
    "occupancy.shared_reserved_per_block_bytes": ("shared_reserved_per_block", "bytes"),
    "l2.size_bytes": ("l2_size", "bytes"),
}
"""Keys that are whole numbers: the property's series, and the schema's unit (the program counts)."""

_GIGA = 1e9


def device_entries(points: GpuPoints, source: str) -> dict[str, Entry]:
    """Entries by key; what the driver does not say is left out.

    Units: the schema's. The theoretical bandwidth is two transfers a clock over the bus' width, as for DDR and HBM.
    """
    stated = f"stated by the driver; {source}"
    entries: dict[str, Entry] = {}
    capability = points.text(_QUANTITY, "compute_capability")
    if capability:
        entries["device.compute_capability"] = Entry(capability, "-", "measured", stated)
    for key, (series, unit) in _STATED.items():
        value = points.value(_QUANTITY, series)
        if value is not None:
            entries[key] = Entry(round(value), unit, "measured", stated)
    threads, warp = points.value(_QUANTITY, "max_threads_per_sm"), points.value(_QUANTITY, "warp_size")
    if threads is not None and warp is not None:
        how = f"threads of an SM / threads of a warp, {stated}"
        entries["occupancy.max_warps_per_sm"] = Entry(round(threads / warp), "warps", "derived", how)
    memory = points.value(_QUANTITY, "memory_size")
    if memory is not None:
        entries["dram.size_gb"] = Entry(round(memory / _GIGA, 3), "GB", "measured", stated)
    bits, clock_mhz = points.value(_QUANTITY, "memory_bus_width"), points.value(_QUANTITY, "memory_clock_peak")
    if bits is not None and clock_mhz is not None:
        bandwidth = bits / 8 * clock_mhz * 1e6 * 2 / _GIGA
        how = f"{bits:g} bit / 8 x {clock_mhz:g} MHz x 2, {stated}"
        entries["dram.theoretical_bandwidth_gb_per_s"] = Entry(round(bandwidth, 2), "GB/s", "derived", how)
    return entries
