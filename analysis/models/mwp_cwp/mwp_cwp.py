"""MWP-CWP's equations: how many warps wait for memory together, how many compute meanwhile, and what a launch takes.

Every argument may be a number or a column of numbers, one per launch. Granularity: instructions are those of one warp
over its life, cycles those of one SM; names are the paper's, with their unit.
Source: S. Hong, H. Kim, "An analytical model for a GPU architecture with memory-level and thread-level parallelism
awareness", ISCA 2009, equations 5 to 27.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.gpu.launch.launches import Column
from warplens.analysis.models.results.quantity import Quantity, quotient

NO_MEMORY, NOT_ENOUGH_WARPS, MEMORY_BOUND, COMPUTATION_BOUND = 0, 22, 23, 24
"""Cases, by the number of the equation that gives the cycles; 0 where no instruction goes to memory."""


@dataclass(frozen=True, slots=True, eq=False)
class MwpCwpInputs:
    """Table 1 of the paper. Instructions are per warp (per thread in the paper: a warp's threads run them together)."""

    mem_ld_cycles: Quantity
    """Round trip of one transaction."""
    departure_del_uncoal_cycles: Quantity
    departure_del_coal_cycles: Quantity
    uncoal_per_mw: Quantity
    """Transactions of an uncoalesced memory instruction (a coalesced one has one)."""
    uncoal_mem_insts: Quantity
    coal_mem_insts: Quantity
    comp_insts: Quantity
    synch_insts: Quantity
    issue_cycles: Quantity
    """Per instruction of a warp."""
    load_bytes_per_warp: Quantity
    """Per memory instruction."""
    freq_hz: Quantity
    mem_bandwidth_bytes_per_s: Quantity
    active_sms: Quantity
    active_blocks_per_sm: Quantity
    blocks: Quantity
    warps_per_block: Quantity

    @property
    def mem_insts(self) -> Quantity:
        """#Mem_insts."""
        return self.uncoal_mem_insts + self.coal_mem_insts

    @property
    def total_insts(self) -> Quantity:
        """#Total_insts."""
        return self.comp_insts + self.mem_insts


@dataclass(frozen=True, slots=True, eq=False)
class MwpCwpResult:
    """The model's quantities by their names in the paper; `case` is one of the constants above."""

    mem_l_cycles: Quantity
    departure_delay_cycles: Quantity
    mwp_without_bw: Quantity
    mwp_peak_bw: Quantity
    mwp: Quantity
    mem_cycles: Quantity
    comp_cycles: Quantity
    cwp_full: Quantity
    cwp: Quantity
    n: Quantity
    rep: Quantity
    case: NDArray[np.int64]
    exec_cycles: Quantity
    computation_cycles: Quantity
    """Of `exec_cycles`; the rest is memory."""
    synch_cycles: Quantity
    total_cycles: Quantity
    cpi: Quantity


def mwp_cwp(inputs: MwpCwpInputs) -> MwpCwpResult:
    """Apply equations 5 to 27 to the letter.

    Two of the cases do not meet at their border, so that a faster memory can take longer: where MWP passes CWP,
    equation 23 gives way to 24, which is larger by nearly N · Comp_cycles / CWP. And equation 23 holds "or where
    Comp_cycles > Mem_cycles", though the text gives that case (its figure 7) equation 24: with much computation per
    memory instruction the result falls below the cycles that issuing the instructions takes.
    `mwp_cwp_continuous` has neither.
    Defined beyond the paper: without memory instructions the time is Comp_cycles · N · #Rep; a warp with less than one
    on average (a branch that some warps take) has one computation period and waits as much less; what nothing limits
    is limited by N; an MWP below 1 (a request that takes longer to leave than to be answered) hides no computation.
    Not modelled: latency of arithmetic, caches, divergence, the last wave of blocks.
    """
    return _result(inputs, to_the_letter=True)


def mwp_cwp_continuous(inputs: MwpCwpInputs) -> MwpCwpResult:
    """Apply the same equations with the largest of 22, 23 and 24 as the cycles: this project's form.

    None of the three is left by a jump: each is a bound that holds whatever the case (one warp's life, the memory's
    throughput, the issue of all instructions). It is equation 22 where the paper takes 22, and 24 where the paper
    takes 24; where it takes 23, no less than that, and no more than twice as much while Mem_cycles >= Comp_cycles.
    Exec_cycles never rise when bandwidth rises or a latency or departure delay falls.
    In equation 26 no more warps wait together than a block has: a barrier holds one block. That is the paper's where
    MWP is below it, as in its example; with many small blocks the paper's costs several times the kernel. It grows with
    MWP, so a barrier costs more cycles, up to those, where bandwidth rises.
    """
    return _result(inputs, to_the_letter=False)


def _result(inputs: MwpCwpInputs, *, to_the_letter: bool) -> MwpCwpResult:
    i = inputs
    n = i.active_blocks_per_sm * i.warps_per_block  # equation 20
    mem_l_uncoal = mem_l_uncoal_cycles(i.mem_ld_cycles, i.uncoal_per_mw, i.departure_del_uncoal_cycles)
    weight_uncoal = quotient(i.uncoal_mem_insts, i.mem_insts)  # equation 13
    weight_coal = quotient(i.coal_mem_insts, i.mem_insts)  # equation 14
    mem_l = mem_l_uncoal * weight_uncoal + i.mem_ld_cycles * weight_coal  # equations 11 and 12
    departure = (  # equation 15
        i.departure_del_uncoal_cycles * i.uncoal_per_mw * weight_uncoal + i.departure_del_coal_cycles * weight_coal
    )
    without_bw = np.minimum(quotient(mem_l, departure, np.inf), n)  # equations 16 and 17
    bw_per_warp = quotient(i.freq_hz * i.load_bytes_per_warp, mem_l)  # equation 7
    peak_bw = quotient(i.mem_bandwidth_bytes_per_s, bw_per_warp * i.active_sms, np.inf)  # equation 6
    mwp = np.minimum(np.minimum(without_bw, peak_bw), n)  # equation 5
    mem = mem_l_uncoal * i.uncoal_mem_insts + i.mem_ld_cycles * i.coal_mem_insts  # equation 18
    comp = i.issue_cycles * i.total_insts  # equation 19
    cwp_full = quotient(mem + comp, comp, np.inf)  # equation 8
    cwp = np.minimum(cwp_full, n)  # equation 9
    rep = quotient(i.blocks, i.active_blocks_per_sm * i.active_sms)  # equation 21
    comp_p = quotient(comp, np.maximum(i.mem_insts, 1.0))  # equation 2
    few_warps = not_enough_warps_cycles(mem, comp, comp_p, n)
    memory = memory_bound_cycles(mem, comp_p, n, mwp)
    computation = computation_bound_cycles(np.minimum(mem_l, mem), comp, n)
    case = paper_case(mem, comp, n, mwp, cwp) if to_the_letter else largest_case(few_warps, memory, computation, n, cwp)
    case = np.where(np.greater(i.mem_insts, 0), case, NO_MEMORY)
    exec_cycles = _of_case(case, comp * n, few_warps, memory, computation) * rep
    computing = _of_case(case, comp * n, few_warps - mem, comp_p * np.maximum(mwp - 1, 0.0), comp * n) * rep
    held = mwp if to_the_letter else np.minimum(mwp, i.warps_per_block)
    synch = synch_cycles(departure, held, i.synch_insts, i.active_blocks_per_sm, rep)
    return MwpCwpResult(
        mem_l_cycles=mem_l,
        departure_delay_cycles=departure,
        mwp_without_bw=without_bw,
        mwp_peak_bw=peak_bw,
        mwp=mwp,
        mem_cycles=mem,
        comp_cycles=comp,
        cwp_full=cwp_full,
        cwp=cwp,
        n=n,
        rep=rep,
        case=case,
        exec_cycles=exec_cycles,
        computation_cycles=np.minimum(computing, exec_cycles),
        synch_cycles=synch,
        total_cycles=exec_cycles + synch,  # equation 27
        cpi=quotient(exec_cycles, i.total_insts * i.warps_per_block * quotient(i.blocks, i.active_sms)),
    )


def mem_l_uncoal_cycles(
    mem_ld_cycles: Quantity, uncoal_per_mw: Quantity, departure_del_uncoal_cycles: Quantity
) -> Quantity:
    """Equation 10: latency of an uncoalesced memory instruction, whose last transaction leaves after the others.

    >>> mem_l_uncoal_cycles(420.0, 32.0, 10.0)
    730.0
    """
    return mem_ld_cycles + (uncoal_per_mw - 1) * departure_del_uncoal_cycles


def paper_case(
    mem_cycles: Quantity, comp_cycles: Quantity, n: Quantity, mwp: Quantity, cwp: Quantity
) -> NDArray[np.int64]:
    """Case by the conditions printed with equations 22 to 24, in their order."""
    few_warps = np.equal(mwp, n) & np.equal(cwp, n)
    memory = np.greater_equal(cwp, mwp) | np.greater(comp_cycles, mem_cycles)
    return np.where(few_warps, NOT_ENOUGH_WARPS, np.where(memory, MEMORY_BOUND, COMPUTATION_BOUND))


def largest_case(
    few_warps: Quantity, memory: Quantity, computation: Quantity, n: Quantity, cwp: Quantity
) -> NDArray[np.int64]:
    """Case with the most cycles.

    With one memory instruction 22 and 24 are alike but for rounding: then CWP < N means computation.
    """
    most = np.greater_equal(few_warps, np.maximum(memory, computation))
    is_few = most & (np.greater(few_warps, computation * (1 + 1e-9)) | np.equal(cwp, n))
    rest = np.where(np.greater_equal(computation, memory), COMPUTATION_BOUND, MEMORY_BOUND)
    return np.where(is_few, NOT_ENOUGH_WARPS, rest)


def not_enough_warps_cycles(
    mem_cycles: Quantity, comp_cycles: Quantity, comp_p_cycles: Quantity, n: Quantity
) -> Quantity:
    """Equation 22, where MWP = N: one warp's life, and a computation period of each other warp."""
    return mem_cycles + comp_cycles + comp_p_cycles * np.maximum(n - 1, 0.0)


def memory_bound_cycles(mem_cycles: Quantity, comp_p_cycles: Quantity, n: Quantity, mwp: Quantity) -> Quantity:
    """Equation 23: all warps wait, MWP of them together, and the first MWP - 1 computation periods.

    >>> float(memory_bound_cycles(4380.0, 22.0, 20.0, 2.5))
    35073.0
    """
    return quotient(mem_cycles * n, mwp) + comp_p_cycles * np.maximum(mwp - 1, 0.0)


def computation_bound_cycles(mem_l_cycles: Quantity, comp_cycles: Quantity, n: Quantity) -> Quantity:
    """Equation 24: all warps compute, one memory waiting period is left over."""
    return mem_l_cycles + comp_cycles * n


def synch_cycles(
    departure_delay_cycles: Quantity,
    mwp: Quantity,
    synch_insts: Quantity,
    active_blocks_per_sm: Quantity,
    rep: Quantity,
) -> Quantity:
    """Equation 26: after each barrier the memory instructions of the warps that it held leave one after the other."""
    return departure_delay_cycles * np.maximum(mwp - 1, 0.0) * synch_insts * active_blocks_per_sm * rep


def _of_case(
    case: NDArray[np.int64], no_memory: Quantity, few_warps: Quantity, memory: Quantity, computation: Quantity
) -> Quantity:
    values: Column = np.where(
        case == NO_MEMORY,
        no_memory,
        np.where(case == NOT_ENOUGH_WARPS, few_warps, np.where(case == MEMORY_BOUND, memory, computation)),
    )
    return values
