"""How soon an SM's next transaction leaves after the last: the machine constant of MWP-CWP and GPUPerf."""

from __future__ import annotations

from warplens.analysis.gpu.machine.gpu import Gpu


def departure_delay_cycles(gpu: Gpu) -> float:
    """Least time between two transactions (lines) of an SM on their way to memory: GPUPerf's Δ.

    The published value where the profile has one, else what the SM's load/store path needs for a line: its rate of
    lines, or its share of L2's bandwidth for one sector, whichever is slower. What memory itself can deliver is not in
    here: both models limit that by bandwidth (MWP_peak_BW).
    Units: cycles of the SM. Source: Sim et al. 2012, eq. 13; Hong & Kim 2009, table 1.

    >>> from warplens.hwprofiles.loader import load_gpu
    >>> departure_delay_cycles(load_gpu("k20"))
    2.0
    """
    published = gpu.gpuperf.departure_delay_cycles if gpu.gpuperf is not None else None
    if published is not None:
        return published
    l2_share = gpu.l2.bandwidth_bytes_per_s / gpu.clock_hz / gpu.sm_count
    sector = gpu.l2.sector_bytes / l2_share if l2_share > 0 else 0.0
    return max(1.0 / gpu.l1.lines_per_cycle_per_sm, sector)
