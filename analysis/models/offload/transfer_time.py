"""Resios eq. 4.2 and 4.3: time between host and device, and the overheads that come once or with each launch."""

from __future__ import annotations

from typing import Literal

from warplens.analysis.gpu.machine.gpu import HostLink

TransferDirection = Literal["h2d", "d2h"]

KILOBYTE = 1000.0
MEGABYTE = 1e6


def transfer_time_s(size_bytes: float, link: HostLink, direction: TransferDirection) -> float:
    """Time to copy an array between host and device.

    Equation: latency + size / bandwidth; with a fit in the profile eq. 4.2: size / min(BW_peak, a · size + b).
    Units: bytes, seconds. In the fit size is in kB and BW in MB/s: the text says bytes and MB/s, which has its knee
    (peak reached) at 43 of either unit; only with kB is time flat at 10 µs up to it and linear afterwards, as in figure
    3.1. In MB the flat part would take 10 ms. Nothing to copy takes no time.
    Source: Resios eq. 4.2. Assumes: pageable or pinned as the profile's bandwidth was measured; one copy per array.
    Not modelled: copies that overlap with kernels or with each other.
    """
    if size_bytes <= 0:
        return 0.0
    if link.resios_fit is not None:
        return fitted_transfer_time_s(size_bytes, link.resios_fit)
    bandwidth = link.h2d_bandwidth_bytes_per_s if direction == "h2d" else link.d2h_bandwidth_bytes_per_s
    return link.latency_s + size_bytes / bandwidth


def fitted_transfer_time_s(size_bytes: float, fit: tuple[float, float, float]) -> float:
    """Eq. 4.2 with (peak MB/s, slope a, intercept b), size in kB.

    >>> fitted_transfer_time_s(1e6, (5000.0, 100.0, 692.0))
    0.0002
    """
    peak, slope, intercept = fit
    bandwidth_mb_per_s = min(peak, slope * (size_bytes / KILOBYTE) + intercept)
    return size_bytes / (bandwidth_mb_per_s * MEGABYTE)


def one_time_overhead_s(link: HostLink) -> float:
    """Paid once per process: the context (the 65 ms of eq. 4.3)."""
    return link.context_init_s


def launch_overhead_s(link: HostLink, launches: float) -> float:
    """Of a nest's launches, one after the other (the 4 µs of eq. 4.3 each).

    The host waits for the last alone: where the interval between launches is known, each but one takes that.
    """
    interval_s = link.launch_overhead_s if link.launch_interval_s is None else link.launch_interval_s
    return link.launch_overhead_s * min(1.0, launches) + interval_s * max(0.0, launches - 1)
