"""Rows of a comparison as JSON values (docs/compare.md)."""

from __future__ import annotations

from typing import Any

from warplens.server.compared_gpus.job import ComparedGpu


def row_as_json(row: ComparedGpu) -> dict[str, Any]:
    """One GPU; times in seconds, those of the CPU None where a speedup over it has no ground."""
    return {
        "gpu": row.gpu,
        "name": row.name,
        "is_current": row.is_current,
        "cold_s": row.cold_s,
        "resident_s": row.resident_s,
        "kernels_s": row.kernels_s,
        "kernels_range_s": None if row.range_s is None else list(row.range_s),
        "one_core_s": row.one_core_s if row.has_ground else None,
        "cpu_s": row.cpu_s if row.has_ground else None,
        "against": row.against,
        "bound": row.bound,
        "model": row.model,
        "launch": row.launch,
        "break_even": None if row.break_even is None else list(row.break_even),
        "values_assumed": row.values_assumed,
        "profile_factor": row.profile_factor,
        "caveat": row.caveat,
    }
