"""The profile of a GPU by the name that a profiler, a table or a model gives it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.hwprofiles.loader import load_gpu
from warplens.hwprofiles.profile import ProfileError
from warplens.server.settings.own_profiles import profile_name


def known_gpu(name: str, roots: Sequence[Path]) -> Gpu | None:
    """One that comes along, or one's own of the workspace's folders or the user's; None where there is none."""
    if name.endswith(".toml"):  # what a file says must not have another one read
        return None
    for each in (name, name.removeprefix("NVIDIA ")):
        try:
            return load_gpu(profile_name(each, roots))
        except ProfileError:
            continue
    return None
