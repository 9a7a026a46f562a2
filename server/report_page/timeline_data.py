"""The timeline of an SM's warps as JSON values, and in words what of it is not shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.simulation.warp_states import STATES, WarpTimeline
from warplens.analysis.text.quantities import count_text
from warplens.server.render.amounts import plural


def timeline_as_json(timeline: WarpTimeline, names: Mapping[NodeId, str], clock_hz: float) -> dict[str, Any]:
    """Intervals as [place, warp, state, begin, end, access]: indices of `states` and `accesses` (-1: none), cycles."""
    states = list(STATES)
    named = {access: names[access] for i in timeline.intervals if (access := i.access) is not None and access in names}
    accesses = list(dict.fromkeys(named.values()))
    shares = dict(timeline.shares)
    return {
        "clock_hz": clock_hz,
        "states": [
            {"name": state, "meaning": meaning, "share": shares.get(state, 0.0)} for state, meaning in STATES.items()
        ],
        "accesses": accesses,
        "places": list(timeline.places),
        "resident_warps": timeline.resident_warps,
        "warps_per_block": timeline.warps_per_block,
        "simulated_warps": timeline.simulated_warps,
        "shown_cycles": timeline.shown_cycles,
        "simulated_cycles": timeline.simulated_cycles,
        "intervals": [
            [
                i.place,
                i.warp,
                states.index(i.state),
                round(i.begin_cycles, 1),
                round(i.end_cycles, 1),
                accesses.index(named[i.access]) if i.access in named else -1,
            ]
            for i in timeline.intervals
        ],
        "cut": cut_sentence(timeline),
    }


def cut_sentence(timeline: WarpTimeline) -> str:
    """What of the grid the timeline has."""
    shown, resident = len(timeline.places), timeline.resident_warps
    places = f"all {plural(resident, 'warp')}" if shown == resident else f"{shown} of the {plural(resident, 'warp')}"
    cycles = f"{count_text(round(timeline.simulated_cycles))} simulated cycles"
    if timeline.shown_cycles < timeline.simulated_cycles:
        time = f"the first {count_text(round(timeline.shown_cycles))} of {cycles}"
    else:
        time = f"all {cycles}"
    waves = (
        f", in which {plural(timeline.simulated_warps, 'warp')} run one after the other"
        if (timeline.simulated_warps > resident)
        else ""
    )
    return f"Shown: {places} that one multiprocessor holds at a time, {time}{waves}."
