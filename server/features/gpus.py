"""`warplens/gpus`: the profiles that a client can offer in a picker, the user's own first."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.text.quantities import count_text
from warplens.hwprofiles.loader import gpu_names, is_cpu, load_gpu
from warplens.hwprofiles.profile import ProfileError
from warplens.server.settings.own_profiles import own_profiles

logger = logging.getLogger(__name__)


def gpu_list(roots: Sequence[Path]) -> list[dict[str, str]]:
    """Id, name and a line of detail of each GPU; files that are no profile of one are left out, and logged."""
    bundled = gpu_names()
    entries = []
    for name, path in own_profiles(roots).items():
        try:
            if name not in bundled and not is_cpu(str(path)):
                entries.append(_entry(name, load_gpu(str(path)), f"your own ({path}), "))
        except ProfileError as error:
            logger.warning("not offered as a GPU: %s", error)
    return [*entries, *(_entry(name, load_gpu(name), "") for name in bundled)]


def _entry(name: str, gpu: Gpu, origin: str) -> dict[str, str]:
    detail = (
        f"{origin}compute capability {gpu.compute_capability}, {gpu.sm_count} SMs, "
        f"{count_text(round(gpu.dram.theoretical_bandwidth_bytes_per_s / 1e9))} GB/s"
    )
    return {"id": name, "name": gpu.name, "detail": detail}
