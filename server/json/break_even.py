"""From which size on the GPU wins, and the speedups between the smallest and the largest size, as JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from warplens.analysis.models.sizes.break_even import BreakEven
from warplens.analysis.models.sizes.work_break_even import WorkBreakEven, WorkWins

BreakEvens = Mapping[bytes, BreakEven | None]
"""By the packed evaluations of an answer's nests; one that could not be found is left out."""


def break_even_as_json(found: BreakEven | None) -> dict[str, Any] | None:
    """Sizes in the parameter's own unit, times in seconds; None of a nest with nothing for a GPU."""
    if found is None:
        return None
    curve = found.curve
    return {
        "name": found.name,
        "why_not": found.why_not or None,
        "current": found.current,
        "least": found.least,
        "most": found.most,
        "ends_at": found.ends_at,
        "is_guessed": found.is_guessed,
        "iterations": None if found.by_work is None else _by_work(found.by_work),
        "others": [[name, value] for name, value in found.others],
        "wins": [
            {
                "data": each.data,
                "cores": each.cores,
                "size": each.size,
                "earliest": each.earliest,
                "latest": each.latest,
            }
            for each in found.wins
        ],
        "has_band": found.has_band,
        "sizes": list(curve.sizes),
        "gpu_cold_s": list(curve.gpu_cold_s),
        "gpu_resident_s": list(curve.gpu_resident_s),
        "one_core_s": list(curve.one_core_s),
        "all_cores_s": list(curve.all_cores_s),
        "resident_band_s": [list(band) for band in curve.resident_band_s],
    }


def _by_work(found: WorkBreakEven) -> dict[str, Any]:
    """Iterations from which it wins against one core, from the least to the most; None where their shape decides."""

    def as_json(wins: WorkWins | None) -> dict[str, Any] | None:
        return None if wins is None else {"least": wins.least, "most": wins.most}

    return {"resident": as_json(found.resident), "cold": as_json(found.cold)}
