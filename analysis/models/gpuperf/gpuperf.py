"""GPUPerf's equations: the time of a kernel on one SM and what removing one bottleneck could gain.

Source: J. Sim, A. Dasgupta, H. Kim, R. Vuduc, "A performance analysis framework for identifying potential benefits in
GPGPU applications", PPoPP 2012; equation numbers are the paper's. Everything takes floats and numpy columns alike.
Granularity: instructions are per warp, times are cycles of one SM for all of its warps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from warplens.analysis.models.results.quantity import Quantity, quotient


@dataclass(frozen=True, slots=True, eq=False)
class GpuPerfInputs:
    """What the equations read. Counts of instructions are per warp over its life."""

    insts: Quantity
    """#insts, those of memory included; without `divergent_insts`."""
    mem_insts: Quantity
    """#mem_insts: requests to global and local memory."""
    sfu_insts: Quantity
    sync_insts: Quantity
    fp_insts: Quantity
    divergent_insts: Quantity
    """Instructions of the sides of branches that the average thread does not take."""
    bank_replay_cycles: Quantity
    """Cycles that a warp's conflicting shared-memory requests are replayed."""
    warps_per_sm: Quantity
    """W/SM = #total_warps / #active_SMs."""
    resident_warps: Quantity
    """N, at least 1."""
    active_sms: Quantity
    ilp: Quantity
    mlp: Quantity
    avg_inst_lat: Quantity
    warp_size: Quantity
    simd_width: Quantity
    sfu_width: Quantity
    fp_width: Quantity
    """Results per cycle of the floating-point instructions alone; SIMD_width in the paper."""
    sync_factor: Quantity
    """Γ."""
    dram_lat: Quantity
    departure_delay: Quantity
    """Δ, above 0."""
    trans_per_request: Quantity
    """avg_trans_per_warp, at least 1."""
    miss_ratio: Quantity
    hit_lat: Quantity
    bandwidth_bytes_per_cycle: Quantity
    """Of the whole GPU: bandwidth / freq."""
    bytes_per_request: Quantity
    least_bytes: Quantity
    """What the kernel must move between memory and chip, the whole grid's."""
    busy_mem_cycles: Quantity
    """Extension: T_mem is at least this; 0 is the paper."""
    most_sync_cycles: Quantity
    """Extension: O_sync is at most this; infinite is the paper."""


@dataclass(frozen=True, slots=True, eq=False)
class GpuPerfResult:
    """Every term of the equations; cycles of an SM where it is a time.

    Identity: t_comp = t_fp + b_fp + b_itilp + b_serial, by construction; it is eq. 2 up to rounding.
    """

    itilp_max: Quantity
    itilp: Quantity
    w_parallel: Quantity
    o_sync: Quantity
    o_sfu: Quantity
    o_cfdiv: Quantity
    o_bank: Quantity
    avg_dram_lat: Quantity
    amat: Quantity
    mwp_peak_bw: Quantity
    mwp: Quantity
    cwp: Quantity
    itmlp: Quantity
    t_mem: Quantity
    t_mem_alone: Quantity
    """T_mem were there nothing to compute: MWP instead of MWP_cp, which computation holds back."""
    f_overlap: Quantity
    t_overlap: Quantity
    t_fp: Quantity
    t_mem_min: Quantity
    b_itilp: Quantity
    b_fp: Quantity
    b_memlp: Quantity

    @property
    def w_serial(self) -> Quantity:
        """Eq. 6."""
        return self.o_sync + self.o_sfu + self.o_cfdiv + self.o_bank

    @property
    def b_serial(self) -> Quantity:
        """W_serial, were it gone."""
        return self.w_serial

    @property
    def t_comp(self) -> Quantity:
        """Eq. 2, summed as the stack of benefits."""
        return self.t_fp + self.b_fp + self.b_itilp + self.b_serial

    @property
    def t_exec(self) -> Quantity:
        """Eq. 1."""
        return self.t_comp + self.t_mem - self.t_overlap


def execution_time(t_comp: Quantity, t_mem: Quantity, f_overlap: Quantity) -> Quantity:
    """Eq. 1 and 16.

    >>> float(execution_time(100.0, 60.0, 1.0)), float(execution_time(100.0, 60.0, 0.0))
    (100.0, 160.0)
    """
    return t_comp + t_mem - np.minimum(t_comp * f_overlap, t_mem)


def gpuperf(inputs: GpuPerfInputs) -> GpuPerfResult:
    """Evaluate eq. 1-17, A.1-A.7 and the potential benefits.

    Units: cycles of an SM.
    Divisions by zero are decided so: without computation all other warps wait (CWP = N); where a request moves no
    bytes of memory, bandwidth does not limit (MWP_peak_bw = N · MLP, which ITMLP can't exceed anyhow); instructions of
    no latency take their issue time.
    Extensions: `busy_mem_cycles`, `most_sync_cycles`, `fp_width` (see `GpuPerfInputs`).
    Not modelled: the last wave, whose SMs are not full.
    """
    i = inputs
    itilp_max = max_inter_thread_ilp(i.avg_inst_lat, i.warp_size, i.simd_width)
    itilp = inter_thread_ilp(i.ilp, i.resident_warps, itilp_max)
    issue_cycles = i.warp_size / i.simd_width
    cycles_per_inst = quotient(i.avg_inst_lat, itilp, issue_cycles)
    insts_per_sm = i.insts * i.warps_per_sm

    avg_dram_lat = dram_latency(i.dram_lat, i.trans_per_request, i.departure_delay)
    amat = average_access_time(avg_dram_lat, i.miss_ratio, i.hit_lat)
    comp_cycles = i.insts * cycles_per_inst  # A.3
    mem_cycles = i.mem_insts * amat / i.mlp  # A.4
    cwp = np.minimum(quotient(mem_cycles + comp_cycles, comp_cycles, i.resident_warps), i.resident_warps)  # A.1, A.2
    mwp_peak_bw = quotient(  # A.6, A.7
        i.bandwidth_bytes_per_cycle * avg_dram_lat, i.bytes_per_request * i.active_sms, i.resident_warps * i.mlp
    )
    mwp = np.minimum(np.minimum(avg_dram_lat / i.departure_delay, mwp_peak_bw), i.resident_warps)  # A.5
    itmlp = inter_thread_mlp(i.mlp, cwp, mwp, mwp_peak_bw)
    waited = i.mem_insts * i.warps_per_sm * amat
    t_mem = np.maximum(quotient(waited, itmlp), i.busy_mem_cycles)  # 11
    t_mem_alone = np.maximum(quotient(waited, np.minimum(i.mlp * mwp, mwp_peak_bw)), i.busy_mem_cycles)

    ideal = insts_per_sm * issue_cycles
    b_itilp = np.maximum(insts_per_sm * (cycles_per_inst - issue_cycles), 0.0)
    t_fp = np.minimum(i.fp_insts * i.warps_per_sm * i.warp_size / i.fp_width, ideal)
    f_sync = i.sync_factor * avg_dram_lat * quotient(i.mem_insts, i.insts)  # 8
    o_sync = np.minimum(i.sync_insts * i.warps_per_sm * f_sync, i.most_sync_cycles)  # 7
    o_sfu = sfu_overhead(i.sfu_insts, i.insts, i.warps_per_sm, i.warp_size, i.sfu_width, i.simd_width)
    o_cfdiv = i.divergent_insts * i.warps_per_sm * cycles_per_inst
    o_bank = i.bank_replay_cycles * i.warps_per_sm
    w_parallel = insts_per_sm * cycles_per_inst  # 3
    t_comp = t_fp + (ideal - t_fp) + b_itilp + (o_sync + o_sfu + o_cfdiv + o_bank)
    f_overlap = overlap_factor(i.resident_warps, cwp, mwp)
    t_overlap = np.minimum(t_comp * f_overlap, t_mem)  # 16
    t_mem_min = i.least_bytes / i.bandwidth_bytes_per_cycle
    return GpuPerfResult(
        itilp_max=itilp_max,
        itilp=itilp,
        w_parallel=w_parallel,
        o_sync=o_sync,
        o_sfu=o_sfu,
        o_cfdiv=o_cfdiv,
        o_bank=o_bank,
        avg_dram_lat=avg_dram_lat,
        amat=amat,
        mwp_peak_bw=mwp_peak_bw,
        mwp=mwp,
        cwp=cwp,
        itmlp=itmlp,
        t_mem=t_mem,
        t_mem_alone=t_mem_alone,
        f_overlap=f_overlap,
        t_overlap=t_overlap,
        t_fp=t_fp,
        t_mem_min=t_mem_min,
        b_itilp=b_itilp,
        b_fp=ideal - t_fp,
        b_memlp=np.maximum(t_mem - t_overlap - t_mem_min, 0.0),
    )


def max_inter_thread_ilp(avg_inst_lat: Quantity, warp_size: Quantity, simd_width: Quantity) -> Quantity:
    """Eq. 5: instructions in flight that hide the latency of each other.

    >>> max_inter_thread_ilp(18.0, 32, 32)
    18.0
    """
    return avg_inst_lat / (warp_size / simd_width)


def inter_thread_ilp(ilp: Quantity, resident_warps: Quantity, itilp_max: Quantity) -> Quantity:
    """Eq. 4: independent instructions of all resident warps.

    >>> float(inter_thread_ilp(4 / 3, 2, 18.0))
    2.6666666666666665
    """
    return np.minimum(ilp * resident_warps, itilp_max)


def sfu_overhead(
    sfu_insts: Quantity,
    insts: Quantity,
    warps_per_sm: Quantity,
    warp_size: Quantity,
    sfu_width: Quantity,
    simd_width: Quantity,
) -> Quantity:
    """Eq. 9 and 10: the time of special functions that the other instructions don't cover, for there are too few.

    >>> float(sfu_overhead(10, 100, 1, 32, 4, 32))
    0.0
    """
    excess = quotient(sfu_insts, insts) - sfu_width / simd_width
    f_sfu = np.minimum(np.maximum(excess, 0.0), 1.0)
    return sfu_insts * warps_per_sm * (warp_size / sfu_width) * f_sfu


def dram_latency(dram_lat: Quantity, trans_per_request: Quantity, departure_delay: Quantity) -> Quantity:
    """Eq. 13: until the last transaction of a request is back.

    >>> dram_latency(440, 32, 20)
    1060
    """
    return dram_lat + (trans_per_request - 1) * departure_delay


def average_access_time(avg_dram_lat: Quantity, miss_ratio: Quantity, hit_lat: Quantity) -> Quantity:
    """Eq. 12: AMAT."""
    return avg_dram_lat * miss_ratio + hit_lat


def inter_thread_mlp(mlp: Quantity, cwp: Quantity, mwp: Quantity, mwp_peak_bw: Quantity) -> Quantity:
    """Eq. 14 and 15: requests of all resident warps in flight.

    >>> float(inter_thread_mlp(2, 4, 3, 100))
    6.0
    """
    mwp_cp = np.minimum(np.maximum(1.0, cwp - 1), mwp)
    return np.minimum(mlp * mwp_cp, mwp_peak_bw)


def overlap_factor(resident_warps: Quantity, cwp: Quantity, mwp: Quantity) -> Quantity:
    """Eq. 17: where all requests hide behind computation, that of the first warp hides nothing.

    >>> float(overlap_factor(4, 3, 3)), float(overlap_factor(4, 4, 2))
    (0.75, 1.0)
    """
    zeta = np.where(np.asarray(cwp) <= mwp, 1.0, 0.0)
    return (resident_warps - zeta) / resident_warps
