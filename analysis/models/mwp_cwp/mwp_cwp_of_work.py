"""MWP-CWP fed from the nest: its equations on the requests and instructions of a launch, as a cost and a prediction."""

from __future__ import annotations

import numpy as np
from warplens.analysis.gpu.launch.launches import Column, Table
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.models.launch_work.explained_time import explained_time
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu
from warplens.analysis.models.launch_work.kernel_work import KernelWork
from warplens.analysis.models.launch_work.pipe_cycles import fillings_per_block, pipe_cycles
from warplens.analysis.models.launch_work.request_latency import (
    dram_bytes_per_warp,
    request_latency_cycles,
    spill_latency_cycles,
    staging_latency_cycles,
)
from warplens.analysis.models.mwp_cwp.mwp_cwp import (
    COMPUTATION_BOUND,
    MEMORY_BOUND,
    NO_MEMORY,
    NOT_ENOUGH_WARPS,
    MwpCwpInputs,
    MwpCwpResult,
    mwp_cwp_continuous,
)
from warplens.analysis.models.mwp_cwp.mwp_cwp_requests import (
    Requests,
    even_sms,
    requests_of,
    with_fitted_latency,
)
from warplens.analysis.models.results.comparison import MwpCwp
from warplens.analysis.models.results.memory_hotspots import memory_hotspots
from warplens.analysis.models.results.prediction import BoundBy, Hotspot, Prediction
from warplens.analysis.models.results.quantity import only, quotient
from warplens.analysis.simulation.memory_time import sector_bytes

MODEL = "mwp_cwp"

MODEL_ASSUMPTIONS = (
    Assumption("machine", "arithmetic latency", "Enough warps are resident to hide the latency of arithmetic."),
    Assumption("machine", "departures", "Requests leave a multiprocessor one after the other, whatever they access."),
    Assumption("machine", "overlap", "Of memory and computation, the longer one hides the other but for one period."),
)

CASES = {
    NO_MEMORY: "no memory instruction",
    NOT_ENOUGH_WARPS: "too few warps, eq. 22",
    MEMORY_BOUND: "memory, eq. 23",
    COMPUTATION_BOUND: "computation, eq. 24",
}


def model_assumptions(gpu: Gpu) -> tuple[Assumption, ...]:
    """What a prediction of this model takes for granted, with a GPU's departure delays where nobody published them."""
    fit = gpu.mwp_cwp
    if fit is not None and None not in (fit.departure_delay_coalesced_cycles, fit.departure_delay_uncoalesced_cycles):
        return MODEL_ASSUMPTIONS
    text = f"Requests of {gpu.name} leave as soon as its load/store path and its share of L2 are done with the last."
    return (*MODEL_ASSUMPTIONS, Assumption("profile", "departure_delay", text))


def mwp_cwp_time_s(work: KernelWork) -> Column:
    """Seconds of each launch: the model as a cost function of the search."""
    time_s: Column = np.asarray(mwp_cwp_of_work(work).total_cycles) / work.gpu.clock_hz
    return time_s


def mwp_cwp_of_work(work: KernelWork) -> MwpCwpResult:
    """Apply the equations to each launch, in the form without jumps (`mwp_cwp_continuous`)."""
    return mwp_cwp_continuous(mwp_cwp_inputs(work))


def mwp_cwp_inputs(work: KernelWork) -> MwpCwpInputs:
    """The model's inputs, a column for each that depends on the launch.

    Where hardware and compilers are not those of the paper:
    - A memory instruction is what a warp waits for: loads that are in flight together are one, with the transactions
      of all, and a store, which nothing waits for, goes with them. (On the paper's GPUs a warp waits for each.)
    - A request that L1 or L2 serves is a memory instruction with their latency; Mem_LD is the average. Only what comes
      from DRAM is in Load_bytes_per_warp, so that MWP_peak_BW is DRAM's.
    - Departure delays are those of the profile; without them, what the load/store path and the SM's share of L2 need
      for a request. Averages over unlike requests are exact: equations 10 to 18 are linear in them.
    - Issue_cycles is the profile's; without one, the average of the kernel's instructions at their throughputs.
    - Shared-memory requests are computation, as in the paper. With their conflicts they occupy the load/store path, as
      global requests do: a pipeline beside issue, and the busier of the two counts.
    - #synch_insts are the barriers around copies to shared memory: no memory instruction follows those of a reduction's
      tree, and their departure is what equation 26 charges.
    - #Active_SMs and with it #Rep are those of the fullest SM (`even_sms`).

    Source: Hong & Kim, table 1, sections 2.3, 3.4.5 and 4. Assumes: a warp waits at once for all copies of a filling of
    shared memory.
    Not modelled: latency of arithmetic and of shared memory; the wait for the slowest warp of a block.
    """
    work = with_fitted_latency(work)
    requests = requests_of(work)
    gpu = work.gpu
    staging, spills = work.staging_requests_per_warp, work.spill_requests_per_warp
    to_shared = np.where(work.is_staged, work.requests_per_warp, 0.0).sum(axis=1) + staging
    issued = requests.count.sum(axis=1) + staging + spills
    total_insts = work.arithmetic_per_warp.sum(axis=1) + to_shared + issued
    pipes = pipe_cycles(work)
    computing = np.maximum(pipes.computation, np.where(to_shared > 0, pipes.load_store, 0.0))
    fillings = np.minimum(staging, fillings_per_block(work))
    waits = requests.waits.sum(axis=1) + fillings + work.spill_reloads_per_warp
    waited = (
        (requests.waits * request_latency_cycles(work)).sum(axis=1)
        + fillings * staging_latency_cycles(work)
        + work.spill_reloads_per_warp * spill_latency_cycles(work)
    )
    # A warp that only stores still ends with what it stored.
    mem_insts = np.minimum(issued, np.maximum(waits, 1.0))
    together = quotient(issued, mem_insts, 1.0)
    uncoalesced = np.where(requests.is_coalesced, 0.0, requests.count)
    coalesced = requests.count - uncoalesced
    transactions = (uncoalesced * requests.transactions).sum(axis=1)
    coalesced_requests = coalesced.sum(axis=1) + staging + spills
    coalesced_departure = quotient(
        (coalesced * requests.departure_cycles).sum(axis=1)
        + staging * requests.copy_departure_cycles
        + spills * requests.spill_departure_cycles,
        coalesced_requests,
    )
    return MwpCwpInputs(
        # The last of several coalesced requests leaves after the others, as equation 10 has it for transactions.
        mem_ld_cycles=quotient(waited, waits, gpu.dram.latency_cycles) + (together - 1) * coalesced_departure,
        departure_del_uncoal_cycles=quotient((uncoalesced * requests.departure_cycles).sum(axis=1), transactions),
        departure_del_coal_cycles=together * coalesced_departure,
        uncoal_per_mw=together * quotient(transactions, uncoalesced.sum(axis=1), 1.0),
        uncoal_mem_insts=uncoalesced.sum(axis=1) / together,
        coal_mem_insts=coalesced_requests / together,
        comp_insts=total_insts - mem_insts,
        synch_insts=work.barriers_per_warp,
        issue_cycles=(gpu.mwp_cwp and gpu.mwp_cwp.issue_cycles) or quotient(computing, total_insts),
        load_bytes_per_warp=quotient(dram_bytes_per_warp(work), mem_insts),
        freq_hz=gpu.clock_hz,
        mem_bandwidth_bytes_per_s=gpu.dram.bandwidth_bytes_per_s,
        active_sms=even_sms(work),
        active_blocks_per_sm=work.resident_blocks_per_sm,
        blocks=work.blocks,
        warps_per_block=work.warps_per_block,
    )


def predict_mwp_cwp(case: KernelOnGpu) -> Prediction:
    """Time of one launch and why; launch overhead and transfers not included.

    The breakdown is the equation's own sum. Its memory part is bandwidth where memory serves fewer warps together than
    are resident (MWP < N: DRAM's bandwidth or the departures limit it), and latency where more warps would help.
    Units: seconds. Source: Hong & Kim, equations 5 to 27; see `mwp_cwp_inputs`. Assumes: `model_assumptions`.
    """
    work, result = case.work, case.shared(_of_launch)
    second = 1.0 / case.gpu.clock_hz
    memory_s = only(result.exec_cycles - result.computation_cycles) * second
    is_bandwidth = only(result.case) == MEMORY_BOUND
    breakdown: dict[BoundBy, float] = {
        "memory bandwidth": memory_s if is_bandwidth else 0.0,
        "memory latency": 0.0 if is_bandwidth else memory_s,
        "computation": only(result.computation_cycles) * second,
        "synchronisation": only(result.synch_cycles) * second,
    }
    time_s = sum(breakdown.values())
    hotspots = _hotspots(work, result, memory_s, time_s)
    return explained_time(case, MODEL, time_s, breakdown, hotspots, model_assumptions(case.gpu))


def _of_launch(case: KernelOnGpu) -> MwpCwpResult:
    return mwp_cwp_of_work(case.work)


def mwp_cwp_summary(case: KernelOnGpu) -> MwpCwp:
    """The model's own numbers for one launch."""
    result = case.shared(_of_launch)
    return MwpCwp(
        mwp=only(result.mwp),
        cwp=only(result.cwp),
        case=CASES[int(only(result.case))],
        cycles_per_instruction=only(result.cpi),
    )


def _hotspots(work: KernelWork, result: MwpCwpResult, memory_s: float, time_s: float) -> tuple[Hotspot, ...]:
    """Accesses by their part of the memory time; copies to shared memory and spills have theirs beside it."""
    work = with_fitted_latency(work)
    requests = requests_of(work)
    latency = request_latency_cycles(work)
    shares = _shares_of_memory_time(work, requests, result, latency)[0]
    delays = (latency + requests.departure_cycles)[0]
    return memory_hotspots(work.kernel, tuple(shares * memory_s), tuple(delays), time_s)


def _shares_of_memory_time(work: KernelWork, requests: Requests, result: MwpCwpResult, latency: Table) -> Table:
    """What of the memory time each access is for, in the measure of what limits MWP; rows sum to at most 1.

    DRAM's bandwidth: bytes. Departures: their cycles. Few warps, or the period left over: waiting.
    """
    bytes_moved = requests.count * work.dram_sectors_per_request * sector_bytes(work.gpu)
    mem_insts = quotient(result.mem_cycles, result.mem_l_cycles)
    by_bytes = quotient(bytes_moved, dram_bytes_per_warp(work)[:, None])
    by_departure = quotient(
        requests.count * requests.departure_cycles, (result.departure_delay_cycles * mem_insts)[:, None]
    )
    by_waiting = quotient(requests.waits * latency, np.asarray(result.mem_cycles)[:, None])
    is_memory = result.case == MEMORY_BOUND
    at_peak = is_memory & (np.asarray(result.mwp) >= result.mwp_peak_bw)
    nothing_waits = requests.waits.sum(axis=1) == 0
    return np.where(
        at_peak[:, None], by_bytes, np.where((is_memory | nothing_waits)[:, None], by_departure, by_waiting)
    )
