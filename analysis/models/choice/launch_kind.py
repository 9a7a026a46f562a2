"""Kinds of launches whose predictions go wrong alike, by what they do: how errors are listed, and said."""

from __future__ import annotations

from typing import Literal, get_args

from warplens.analysis.models.choice.launch_traits import LaunchTraits

LaunchKind = Literal[
    "atomic updates", "gathered", "decided by data", "short", "waits for latency", "slow arithmetic", "arithmetic",
    "load/store", "L2", "DRAM",
]  # fmt: skip

KINDS: tuple[LaunchKind, ...] = get_args(LaunchKind)

MOSTLY = 0.3
"""A share of the time from which on it says what a launch is: half of the time is another kind's then at most."""


def kind_of(traits: LaunchTraits) -> LaunchKind:
    """Kind of a launch, the first that fits.

    - atomic updates: they queue for a large part of the time, or threads add to one value;
    - gathered: data, or a subscript that is not understood, decides where threads access;
    - decided by data: branches or trip counts are not known, so that what is counted may be far off;
    - short: starting the grid is a large part of the time;
    - waits for latency: too little runs at once to keep any part of the GPU busy;
    - else what is busy longest: arithmetic (slow: divisions, roots, double precision), load/store units, L2, DRAM.
    """
    if traits.atomic > MOSTLY or traits.reduced:
        return "atomic updates"
    if traits.gathered:
        return "gathered"
    if traits.unknown_branch or traits.unknown_trips:
        return "decided by data"
    if traits.start > MOSTLY:
        return "short"
    if traits.latency > MOSTLY:
        return "waits for latency"
    busy: dict[LaunchKind, float] = {
        "slow arithmetic" if traits.slow_arithmetic > traits.issue / 2 else "arithmetic": traits.issue,
        "load/store": traits.load_store,
        "L2": traits.l2,
        "DRAM": traits.dram,
    }
    return max(busy, key=lambda kind: busy[kind])
