"""Raw results as the text of a profile, with what is to be said about it."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.hwprofiles.calibrate.gpu_entries import GpuEntries, gpu_entries
from warplens.hwprofiles.calibrate.gpu_points import GpuPoints, gpu_points
from warplens.hwprofiles.calibrate.measurement import parse_measurements
from warplens.hwprofiles.calibrate.written_profile import profile_text
from warplens.server.measure.calibration.cpu_profile import profile_id
from warplens.server.measure.calibration.gpu_base import nearest_profile
from warplens.server.measure.calibration.gpu_results import GpuResults


@dataclass(frozen=True, slots=True)
class GpuCalibration:
    """The profile's name and text, what it extends, and what it was made of."""

    name: str
    text: str
    extends: str
    made: GpuEntries
    points: GpuPoints


def calibrated_gpu(results: GpuResults, *, extends: str | None, name: str | None) -> GpuCalibration:
    """Make the profile of what was measured; raises MeasurementError for lines that no program wrote."""
    points = gpu_points(parse_measurements(results.text))
    made = gpu_entries(points, f"warplens calibrate gpu, {results.device}, {results.date}")
    capability = made.entries.get("device.compute_capability")
    sm_count = made.entries.get("device.sm_count")
    base = extends or nearest_profile(
        results.device,
        str(capability.value) if capability else "",
        int(sm_count.value) if sm_count and isinstance(sm_count.value, int) else 0,
    )
    said = name or results.device
    text = profile_text(
        id=profile_id(said),
        name=said,
        vendor="NVIDIA",
        aliases=(),
        extends=base,
        comment=f"Measured by `warplens calibrate gpu` on {results.date}; what is not here is taken from {base}.",
        entries=made.entries,
    )
    return GpuCalibration(said, text, base, made, points)
