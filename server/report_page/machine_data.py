"""The GPU and the CPU of a report as JSON values: the roofs, and every value of their profiles with its source."""

from __future__ import annotations

from typing import Any

from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.models.launch_work.roofline import roofs
from warplens.hwprofiles.loader import load_cpu, load_gpu, load_profile


def machine_data(gpu_name: str, cpu_name: str) -> dict[str, Any]:
    """A GPU and a CPU by the names of their profiles; raises ProfileError."""
    gpu, cpu = load_gpu(gpu_name), load_cpu(cpu_name)
    return {
        "gpu": {
            "id": gpu.id,
            "name": gpu.name,
            "roofs": roofs_as_json(gpu),
            "launch_overhead_s": gpu.host.launch_overhead_s,
            "profile": _profile(gpu_name),
        },
        "cpu": {"id": cpu.id, "name": cpu.name, "cores": cpu.core_count, "profile": _profile(cpu_name)},
    }


def roofs_as_json(gpu: Gpu) -> list[dict[str, Any]]:
    """Bandwidths in bytes per second, peaks in floating-point operations per second."""
    return [
        {"kind": roof.kind, "name": roof.name, "per_s": roof.per_s, "profile_key": roof.profile_key}
        for roof in roofs(gpu)
    ]


def _profile(name: str) -> list[dict[str, str]]:
    return [
        {
            "key": key,
            "value": str(entry.value),
            "unit": entry.unit,
            "kind": entry.kind,
            "source": entry.source,
            "measured_on": entry.measured_on,
        }
        for key, entry in load_profile(name).entries.items()
    ]
