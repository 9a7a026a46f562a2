"""Counts of a real run as plain values for JSON."""

from __future__ import annotations

from typing import Any

from warplens.analysis.measured.measured_counts import LoopCounts


def counts_as_json(counts: LoopCounts) -> dict[str, Any]:
    """What a real run counted of a loop."""
    return {
        "iterations": counts.iterations,
        "entries": counts.entries,
        "average_trips": counts.average_trips,
        "line_execution_share": counts.share,
        "is_confirmed": counts.is_confirmed,
        "imported": counts.imported,
    }
