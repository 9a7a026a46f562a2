"""What was measured of a GPU, as entries of a profile: each from a fit whose distance from the points is said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from warplens.analysis.facts.program import PROFILED_OP_CLASSES
from warplens.hwprofiles.calibrate.fits.affine_transfer import affine_transfer
from warplens.hwprofiles.calibrate.fits.chain_slope import chain_slope
from warplens.hwprofiles.calibrate.fits.plateau import plateau
from warplens.hwprofiles.calibrate.fits.residual import Residual
from warplens.hwprofiles.calibrate.fits.saturation import saturation
from warplens.hwprofiles.calibrate.gpu_device_entries import device_entries
from warplens.hwprofiles.calibrate.gpu_points import GpuPoints, Point
from warplens.hwprofiles.entry import Entry
from warplens.hwprofiles.schema import GPU_SCHEMA

MOST_RESIDUAL = 0.2
"""A fit whose points are further off in the mean (root of the squares) than this gives no value."""

_KEYS = {f"{section}.{key.name}": key for section, keys in GPU_SCHEMA.items() for key in keys}
_BYTES_PER_REQUEST = 4 * 32
_MICRO = 1e6
_GIGA = 1e9

Curve = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Fitted:
    """A value out of a series, in the schema's unit; `curve` is drawn over the points of `quantity` and `series`."""

    value: float
    residual: Residual | None = None
    note: str = ""
    clock_mhz: float = 0.0
    quantity: str = ""
    series: str = ""
    curve: Curve = ()


@dataclass(frozen=True, slots=True)
class GpuEntries:
    """Entries by key in the schema's order; the fits behind those that have one; keys without a value and why."""

    entries: dict[str, Entry]
    fits: dict[str, Fitted]
    refused: dict[str, str]


def gpu_entries(points: GpuPoints, source: str) -> GpuEntries:
    """Make entries of all that was measured; what was not measured at all is in neither list."""
    fits: dict[str, Fitted] = {}
    refused: dict[str, str] = {}
    for key, fit in _fits().items():
        try:
            found = fit(points)
        except ValueError as error:
            refused[key] = str(error)
            continue
        if found is None:
            continue
        if found.residual is not None and found.residual.rms > MOST_RESIDUAL:
            refused[key] = f"the points lie {found.residual.rms:.0%} off the fit"
            continue
        fits[key] = found
    entries = device_entries(points, source)
    entries |= {key: _entry(key, found, source) for key, found in fits.items()}
    return GpuEntries({key: entries[key] for key in _KEYS if key in entries}, fits, refused)


def _entry(key: str, found: Fitted, source: str) -> Entry:
    whole = _KEYS[key].type == "int"
    value = round(found.value) if whole else float(f"{found.value:.4g}")
    off = "" if found.residual is None else f"points within {found.residual.largest:.1%} of the fit"
    note = "; ".join(text for text in (found.note, off) if text)
    return Entry(value, _KEYS[key].unit, "measured", source, note=note, clock_mhz=round(found.clock_mhz, 1))


Fit = Callable[[GpuPoints], Fitted | None]


def _fits() -> dict[str, Fit]:
    """How each key follows from the series (hwprofiles/calibrate/gpu/README.md)."""
    fits: dict[str, Fit] = {
        "device.sm_clock_mhz": lambda p: _last(p, "device.sm_clock_mhz", "clock", "under load"),
        "device.memory_warps_to_peak": _memory_warps,
        "device.block_launch_cycles": lambda p: _least(p, "device.block_launch_cycles", "start_interval"),
        "shared.latency_cycles": lambda p: _middle(p, "shared.latency_cycles", "latency"),
        "shared.bytes_per_clk_per_sm": lambda p: _largest(p, "shared.bytes_per_clk_per_sm", "bandwidth"),
        "shared.banks": _banks,
        "l1.latency_cycles": lambda p: _middle(p, "l1.latency_cycles", "latency"),
        "l1.bytes_per_clk_per_sm": lambda p: _largest(p, "l1.bytes_per_clk_per_sm", "bandwidth"),
        "l1.lines_per_clk_per_sm": _lines,
        "l2.latency_cycles": lambda p: _middle(p, "l2.latency_cycles", "latency"),
        "l2.bandwidth_gb_per_s": lambda p: _largest(p, "l2.bandwidth_gb_per_s", "read"),
        "dram.latency_cycles": lambda p: _middle(p, "dram.latency_cycles", "latency_near", "next to no translation"),
        "dram.bandwidth_gb_per_s": lambda p: _last(p, "dram.bandwidth_gb_per_s", "triad", "triad"),
        "host.h2d_bandwidth_gb_per_s": lambda p: _link(p, "h2d_pinned"),
        "host.d2h_bandwidth_gb_per_s": lambda p: _link(p, "d2h_pinned"),
        "host.h2d_pageable_bandwidth_gb_per_s": lambda p: _link(p, "h2d_pageable"),
        "host.d2h_pageable_bandwidth_gb_per_s": lambda p: _link(p, "d2h_pageable"),
        "host.latency_us": _link_latency,
        "host.launch_overhead_us": lambda p: _scaled(_middle(p, "host.launch_overhead_us", "empty_launch"), _MICRO),
        "host.launch_interval_us": _interval,
        "host.context_init_ms": lambda p: _scaled(_middle(p, "host.context_init_ms", "context"), 1e3),
    }
    for op in PROFILED_OP_CLASSES:
        fits |= _instruction(op)
    return fits


def _instruction(op: str) -> dict[str, Fit]:
    quantity = f"instructions.{op}"

    def latency(points: GpuPoints) -> Fitted | None:
        found = points.series(quantity, "dependent")
        return _slope(found, "links", 1.0, quantity, "dependent") if found else None

    def throughput(points: GpuPoints) -> Fitted | None:
        found = points.series(quantity, "independent", chains=4) or points.series(quantity, "independent")
        if not found:
            return None
        fit = plateau([each.x["warps_per_sm"] for each in found], [each.value.value for each in found])
        return Fitted(fit.rate, fit.residual, "", 0.0, quantity, "independent", fit.curve)

    def peak_warps(points: GpuPoints) -> Fitted | None:
        alone, rate = points.series(quantity, "independent", chains=1), throughput(points)
        if not alone or rate is None:
            return None
        near = [each.x["warps_per_sm"] for each in alone if each.value.value >= 0.95 * rate.value]
        return Fitted(min(near), note="first number of warps within 5 % of the rate") if near else None

    prefix = "instructions."
    return {f"{prefix}lat_{op}": latency, f"{prefix}tput_{op}": throughput, f"{prefix}peak_warps_{op}": peak_warps}


def _slope(found: Sequence[Point], name: str, scale: float, quantity: str, series: str) -> Fitted:
    fit = chain_slope([each.x[name] for each in found], [each.value.value for each in found])
    return Fitted(fit.per_link * scale, fit.residual, "", 0.0, quantity, series, fit.curve)


def _middle(points: GpuPoints, quantity: str, series: str, note: str = "") -> Fitted | None:
    """The median of the points' medians; its clock where that was measured beside it."""
    found = sorted(each.value.value for each in points.series(quantity, series))
    if not found:
        return None
    clocks = sorted(each.value.value for each in points.series(quantity, "clock"))
    value = found[len(found) // 2]
    clock_mhz = clocks[len(clocks) // 2] if clocks else 0.0
    if _KEYS[quantity].needs_clock and not clock_mhz:
        raise ValueError("the SM's clock was not measured beside it")
    flat = tuple((min(each.x.values(), default=0.0), value) for each in points.series(quantity, series))
    return Fitted(value, None, note, clock_mhz, quantity, series, flat if len(found) > 1 else ())


def _largest(points: GpuPoints, quantity: str, series: str) -> Fitted | None:
    found = [each.value.value for each in points.series(quantity, series)]
    return Fitted(max(found), note="the largest of its points", quantity=quantity, series=series) if found else None


def _least(points: GpuPoints, quantity: str, series: str) -> Fitted | None:
    found = [each.value.value for each in points.series(quantity, series)]
    return Fitted(min(found), note="the least of its points", quantity=quantity, series=series) if found else None


def _last(points: GpuPoints, quantity: str, series: str, note: str) -> Fitted | None:
    """The point with the largest x: the longest kernel, the largest array."""
    found = points.series(quantity, series)
    if not found:
        return None
    largest = max(found, key=lambda each: max(each.x.values(), default=0.0))
    return Fitted(largest.value.value, note=note, quantity=quantity, series=series)


def _scaled(found: Fitted | None, factor: float) -> Fitted | None:
    return None if found is None else replace(found, value=found.value * factor, curve=())


def _memory_warps(points: GpuPoints) -> Fitted | None:
    found = points.series("dram.bytes_in_flight", "bandwidth")
    if not found:
        return None
    in_flight = [32 * each.x["warps_per_sm"] * each.x["bytes_per_thread"] for each in found]
    fit = saturation(in_flight, [each.value.value for each in found])
    note = f"{fit.knee:.4g} bytes in flight per SM, in requests of 128 bytes"
    warps = fit.knee / _BYTES_PER_REQUEST
    return Fitted(warps, fit.residual, note, 0.0, "dram.bytes_in_flight", "bandwidth", fit.curve)


def _banks(points: GpuPoints) -> Fitted | None:
    """The least stride at which a request takes longest: all its words lie in one bank."""
    found = {each.x["stride_words"]: each.value.value for each in points.series("shared.banks", "conflict")}
    if not found:
        return None
    longest = max(found.values())
    stride = min(each for each, cycles in found.items() if cycles >= 0.95 * longest)
    ways = longest / min(found.values())
    if not 0.8 * stride <= ways <= 1.25 * stride:
        raise ValueError(f"words {stride:g} apart take {ways:.3g} times as long: that is no conflict of all threads")
    return Fitted(stride, note=f"the stride of the longest request, {ways:.3g} times the shortest",
                  quantity="shared.banks", series="conflict")  # fmt: skip


def _lines(points: GpuPoints) -> Fitted | None:
    found = [each for each in points.series("l1.lines_per_clk_per_sm", "request") if each.x["lines_per_request"] >= 4]
    if not found:
        return None
    fit = _slope(found, "lines_per_request", 1.0, "l1.lines_per_clk_per_sm", "request")
    return replace(fit, value=1 / fit.value, note="of requests for four lines and more")


def _link(points: GpuPoints, series: str) -> Fitted | None:
    found = points.series("host.transfers", series)
    if not found:
        return None
    fit = affine_transfer([each.x["size_bytes"] for each in found], [each.value.value for each in found])
    kind = "pinned" if series.endswith("pinned") else "pageable"
    note = f"{kind}; latency {fit.latency_s * _MICRO:.3g} us"
    return Fitted(fit.bandwidth_bytes_per_s / _GIGA, fit.residual, note, 0.0, "host.transfers", series, fit.curve)


def _link_latency(points: GpuPoints) -> Fitted | None:
    """The mean of both directions, pinned."""
    latencies = []
    for series in ("h2d_pinned", "d2h_pinned"):
        found = points.series("host.transfers", series)
        if found:
            fit = affine_transfer([each.x["size_bytes"] for each in found], [each.value.value for each in found])
            latencies.append(fit.latency_s * _MICRO)
    return Fitted(sum(latencies) / len(latencies), note="mean of both directions, pinned") if latencies else None


def _interval(points: GpuPoints) -> Fitted | None:
    found = points.series("host.launch_interval_us", "interval")
    return _slope(found, "launches", _MICRO, "host.launch_interval_us", "interval") if found else None
