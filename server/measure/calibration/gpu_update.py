"""A profile that is there already, with what was measured of its GPU: read, held against it, changed and loaded."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from warplens.hwprofiles.calibrate.gpu_device_entries import device_entries
from warplens.hwprofiles.calibrate.gpu_points import gpu_points
from warplens.hwprofiles.calibrate.measurement import parse_measurements
from warplens.hwprofiles.calibrate.profile_edit import with_entries
from warplens.hwprofiles.calibrate.profile_update import ProfileUpdate, profile_update
from warplens.hwprofiles.calibrate.same_gpu import other_gpu
from warplens.hwprofiles.entry import Entry
from warplens.hwprofiles.loader import gpu_names, is_cpu, load_gpu, load_profile
from warplens.hwprofiles.profile import Profile, ProfileError
from warplens.hwprofiles.schema import GPU_SCHEMA
from warplens.server.files.atomic_file import rewrite_file
from warplens.server.files.regular_file import read_regular

_MAX_BYTES = 1 << 20


class WrongGpuError(Exception):
    """What was measured is of another GPU than the profile's; the message says what tells them apart."""


@dataclass(frozen=True, slots=True)
class UpdatedProfile:
    """The file, its text as it shall be, whether that is another than it was, and what is changed."""

    path: Path
    text: str
    is_changed: bool
    changes: ProfileUpdate


def gpu_profile_at(path: Path) -> Profile:
    """The GPU profile in a file, with what it takes from the one it extends; raises ProfileError."""
    if is_cpu(str(path)):
        raise ProfileError(str(path), "", "is the profile of a CPU")
    return load_profile(str(path))


def require_gpu_of(profile: Profile, device: str, properties: str) -> None:
    """Raise WrongGpuError where the device is not the profile's, by the lines of `device.properties` and by its name.

    The name counts where both are known by it: an A100 of 80 GB is one on a PCIe card or on a module. Raises
    MeasurementError for lines that no program wrote.
    """
    stated = device_entries(gpu_points(parse_measurements(properties)), device)
    why = other_gpu(profile.entries, stated)
    named = _shipped_id(device)
    if not why and named and profile.id in gpu_names() and profile.id != named:
        why = f"that is the GPU of the profile {named}"
    if why:
        raise WrongGpuError(f"is of another GPU than was measured, {device}: {why}; -o writes a profile of its own")


def updated_profile(path: Path, measured: Mapping[str, Entry]) -> UpdatedProfile:
    """The file as it shall be, loaded as a user's is. It is read anew: minutes may have passed since it was checked.

    Raises OSError, and ProfileError for what can't be loaded, before or after, and for a layout that can't be changed.
    """
    changes = profile_update(gpu_profile_at(path).entries, measured)
    content = read_regular(path, _MAX_BYTES)
    try:
        text = with_entries(content.decode("utf-8"), changes.written, GPU_SCHEMA)
    except ValueError as error:  # ProfileEditError, or no text any more
        raise ProfileError(str(path), "", str(error)) from error
    _require_loadable(text, path)
    return UpdatedProfile(path, text, text.encode() != content, changes)


def write_update(updated: UpdatedProfile) -> None:
    """Write the file in one step, if anything is changed in it; raises OSError."""
    if updated.is_changed:
        rewrite_file(updated.path, updated.text.encode())


def _require_loadable(text: str, path: Path) -> None:
    """Load a text as a user's profile; raises ProfileError, with the name of the file that it shall go to."""
    with tempfile.TemporaryDirectory(prefix="warplens-calibrate-") as folder:
        tried = Path(folder) / "profile.toml"
        tried.write_bytes(text.encode())
        try:
            load_gpu(str(tried))
        except ProfileError as error:
            raise ProfileError(f"{path}, as it would be", error.key, error.reason) from error


def _shipped_id(device: str) -> str:
    """The id of the profile that comes along and is known by the device's name; empty where there is none."""
    try:
        return load_gpu(device).id
    except ProfileError:
        return ""
