"""Which of the profiles that come along a measured GPU is most like: what was not measured is taken from it."""

from __future__ import annotations

from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.hwprofiles.loader import gpu_names, load_gpu
from warplens.hwprofiles.profile import ProfileError


def nearest_profile(device: str, compute_capability: str, sm_count: int) -> str:
    """The GPU of that name, else of the nearest compute capability with the nearest SM count and most words in common.

    >>> nearest_profile("NVIDIA H200", "9.0", 132), nearest_profile("NVIDIA H200 NVL", "9.0", 132)
    ('h200', 'h200')
    >>> nearest_profile("NVIDIA GeForce RTX 3060", "8.6", 28)
    'a4000'
    """
    try:
        return load_gpu(device).id
    except ProfileError:
        pass
    wanted = _version(compute_capability)
    candidates = [load_gpu(name) for name in gpu_names() if not load_gpu(name).compute_capability.startswith("gfx")]
    return min(candidates, key=lambda gpu: _distance(gpu, device, wanted, sm_count)).id


def _distance(gpu: Gpu, device: str, wanted: float, sm_count: int) -> tuple[float, int, int]:
    alike = len({*gpu.name.casefold().split()} & {*device.casefold().split()})
    return abs(_version(gpu.compute_capability) - wanted), abs(gpu.sm_count - sm_count), -alike


def _version(compute_capability: str) -> float:
    try:
        return float(compute_capability)
    except ValueError:
        return 0.0
