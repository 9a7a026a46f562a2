"""Which of the profiles that come along a measured GPU is most like: what was not measured is taken from it."""

from __future__ import annotations

from warplens.hwprofiles.loader import gpu_names, load_gpu
from warplens.hwprofiles.profile import ProfileError


def nearest_profile(device: str, compute_capability: str, sm_count: int) -> str:
    """The GPU of that name, else of the same compute capability (else of the nearest one) with the nearest SM count."""
    try:
        return load_gpu(device).id
    except ProfileError:
        pass
    wanted = _version(compute_capability)
    candidates = [load_gpu(name) for name in gpu_names() if not load_gpu(name).compute_capability.startswith("gfx")]
    nearest = min(
        candidates, key=lambda gpu: (abs(_version(gpu.compute_capability) - wanted), abs(gpu.sm_count - sm_count))
    )
    return nearest.id


def _version(compute_capability: str) -> float:
    try:
        return float(compute_capability)
    except ValueError:
        return 0.0
