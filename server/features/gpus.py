"""`warplens/gpus`: the profiles that a client can offer in a picker."""

from __future__ import annotations

from warplens.analysis.advice.quantities import count_text
from warplens.hwprofiles.loader import gpu_names, load_gpu


def gpu_list() -> list[dict[str, str]]:
    """Id, name and a line of detail of each bundled GPU."""
    entries = []
    for name in gpu_names():
        gpu = load_gpu(name)
        detail = (
            f"compute capability {gpu.compute_capability}, {gpu.sm_count} SMs, "
            f"{count_text(round(gpu.dram.theoretical_bandwidth_bytes_per_s / 1e9))} GB/s"
        )
        entries.append({"id": name, "name": gpu.name, "detail": detail})
    return entries
