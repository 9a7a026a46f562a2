"""What measured counters look like when something particular holds a kernel back: the table, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sign:
    """A level that tells from `notable` on (below it where `notable` > `severe`), and fully at `severe`.

    `words` is formatted with the value. It weighs as much as the level `part` says, where that is known: stores are
    no bottleneck of a kernel that hardly stores, and warps wait for a memory that is busy.
    """

    level: str
    notable: float
    severe: float
    words: str
    part: str = ""


@dataclass(frozen=True, slots=True)
class Pattern:
    """`rises` are metrics that the time rises with when this holds a kernel back, `falls` those it falls with.

    `rule` is the code of the static analysis that speaks of the same, None where there is none. It is not this where
    a level in `only_if` is known and lower than said there, or one in `unless` as high. What is in `causes` explains
    it: mended, this goes too; only what is busy or waited for has causes.
    """

    key: str
    title: str
    rule: str | None
    finding: str
    fix: str
    signs: tuple[Sign, ...]
    rises: tuple[str, ...] = ()
    falls: tuple[str, ...] = ()
    only_if: tuple[tuple[str, float], ...] = ()
    unless: tuple[tuple[str, float], ...] = ()
    causes: tuple[str, ...] = ()


_LOADS, _STORES = "global_load_share", "global_store_share"

PATTERNS: tuple[Pattern, ...] = (
    Pattern(
        "bank_conflicts",
        "shared-memory bank conflicts",
        "WL203",
        "Threads of a warp ask one bank of shared memory for different words, and are served one after the other.",
        "Pad the rows of the shared array by one element, or let neighbouring threads touch neighbouring words.",
        (
            Sign("shared_conflicts_per_request", 0.25, 4, "{:.3g} conflicts per request of shared memory"),
            Sign("shared_replays_per_instruction", 0.02, 0.3, "{:.0%} more instructions are issued for shared memory"),
            Sign("shared_load_transactions_per_request", 1.6, 8, "{:.3g} transactions per load from shared memory"),
            Sign("shared_store_transactions_per_request", 1.6, 8, "{:.3g} transactions per store to shared memory"),
            Sign("shared_efficiency", 0.5, 0.1, "{:.0%} of shared memory's bandwidth is used for what was asked"),
        ),
        rises=(
            "shared_load_bank_conflicts", "shared_store_bank_conflicts", "shared_replays_per_instruction",
            "shared_load_transactions_per_request", "shared_store_transactions_per_request",
        ),
        falls=("shared_efficiency",),
        only_if=(("shared_conflicts_per_request", 0.05),),
    ),
    Pattern(
        "uncoalesced",
        "uncoalesced access to global memory",
        "WL201",
        "The threads of a warp touch addresses far from each other: most of what is moved is thrown away.",
        "Let threadIdx.x run along the subscript that is contiguous in memory, or copy tiles through shared memory.",
        (
            Sign("global_load_efficiency", 0.6, 0.15, "{:.0%} of the loaded bytes were asked for", _LOADS),
            Sign("global_store_efficiency", 0.6, 0.15, "{:.0%} of the stored bytes were asked for", _STORES),
            Sign("global_load_transactions_per_request", 8, 32, "{:.3g} transactions per load of a warp", _LOADS),
            Sign("global_store_transactions_per_request", 8, 32, "{:.3g} transactions per store of a warp", _STORES),
            Sign("global_replays_per_instruction", 0.3, 2, "{:.0%} more instructions are issued for global memory"),
        ),
        rises=(
            "global_load_transactions_per_request", "global_store_transactions_per_request",
            "global_replays_per_instruction",
        ),
        falls=("global_load_efficiency", "global_store_efficiency"),
    ),
    Pattern(
        "occupancy",
        "low occupancy",
        "WL302",
        "Too few warps are resident on a multiprocessor to work while others wait.",
        "Launch more blocks where the grid is small; else a block size that fits more warps (`warplens search` ranks "
        "them), fewer registers, less shared memory.",
        (Sign("achieved_occupancy", 0.4, 0.1, "{:.0%} of the possible warps are resident"),),
        falls=("achieved_occupancy",),
    ),
    Pattern(
        "latency",
        "waiting for memory's latency",
        "WL202",
        "Neither memory nor the instruction units are busy: warps wait for what they asked for.",
        "Have more requests on their way: more warps, several independent outputs per thread, or an earlier load.",
        (
            Sign("idle_share", 0.6, 0.9, "neither memory nor instruction units are busier than {:.0%}"),
            Sign("stall_memory_dependency", 0.5, 0.8, "{:.0%} of the stalls wait for data", "idle_share"),
        ),
        rises=("stall_memory_dependency",),
        only_if=(("stall_memory_dependency", 0.2),),
        unless=(
            ("dram_share", 0.6), ("l2_share", 0.6), ("l1_share", 0.6), ("issue_share", 0.6), ("stall_pipe_busy", 0.3),
        ),
        causes=("bank_conflicts", "uncoalesced", "occupancy", "divergence", "spills"),
    ),
    Pattern(
        "bandwidth",
        "memory bandwidth",
        "WL202",
        "The memory moves bytes as fast as it can.",
        "Move fewer bytes: reuse them in shared memory or registers, fuse loops over one array, use smaller types.",
        (
            Sign("dram_share", 0.6, 0.95, "{:.0%} of the bandwidth of device memory is used"),
            Sign("l2_share", 0.6, 0.95, "{:.0%} of the bandwidth of the L2 cache is used"),
            Sign("stall_memory_throttle", 0.3, 0.7, "{:.0%} of the stalls are memory that takes no more requests"),
        ),
        rises=("stall_memory_throttle",),
        only_if=(("memory_share", 0.3),),
        causes=("uncoalesced", "spills"),
    ),
    Pattern(
        "l1_bandwidth",
        "bandwidth of L1 and shared memory",
        "WL202",
        "The load and store units of the multiprocessors pass words on as fast as they can.",
        "Keep what is used again in registers (several outputs per thread), load wider words (float4).",
        (Sign("l1_share", 0.6, 0.95, "{:.0%} of the bandwidth of the L1 cache and shared memory is used"),),
        causes=("bank_conflicts", "uncoalesced", "spills"),
    ),
    Pattern(
        "divergence",
        "divergence",
        "WL402",
        "Threads of one warp take different ways, and the warp walks them all.",
        "Make the condition the same for all threads of a warp, or sort the work by it.",
        (
            Sign("branch_efficiency", 0.9, 0.5, "{:.0%} of the branches are taken by whole warps"),
            Sign("divergent_branch_share", 0.1, 0.5, "{:.0%} of the branches divide a warp"),
            Sign("warp_execution_efficiency", 0.75, 0.3, "{:.0%} of a warp's threads work on average"),
        ),
        rises=("divergent_branches",),
        falls=("branch_efficiency", "warp_execution_efficiency"),
    ),
    Pattern(
        "issue",
        "issuing instructions",
        None,
        "The schedulers issue instructions nearly whenever they can: it is as fast as its instructions let it be.",
        "Execute fewer: strength-reduce index arithmetic, unroll, use wider loads, drop needless precision.",
        (Sign("issue_share", 0.6, 0.95, "{:.0%} of the issue slots are used"),),
        causes=("bank_conflicts", "divergence", "spills"),
    ),
    Pattern(
        "spills",
        "register spills",
        "WL401",
        "Values that find no register are written to local memory, which is device memory, and read back.",
        "Lower the unrolling or the outputs per thread, or raise the limit of registers (__launch_bounds__).",
        (
            Sign("local_replays_per_instruction", 0.01, 0.2, "{:.0%} more instructions issued for local memory"),
            Sign("local_transactions_per_instruction", 0.01, 0.2, "{:.2g} local-memory transactions per instruction"),
        ),
        rises=("local_load_transactions", "local_store_transactions", "local_replays_per_instruction"),
    ),
)  # fmt: skip

LIMITS = tuple(pattern.key for pattern in PATTERNS if pattern.causes)
"""What is busy, or waited for: the others are why."""
