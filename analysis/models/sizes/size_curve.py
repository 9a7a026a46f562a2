"""Times of a nest over the values of its main parameter: what a picture of speedup against size is drawn from."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.models.sizes.times_at_size import TimesAtSize


@dataclass(frozen=True, slots=True)
class SizeCurve:
    """Seconds at each of `sizes`, which rise; everything but the one size is as it is shown.

    `resident_band_s` are the times that nine of ten measured ones lie between, by the errors of the GPU's model; those
    with the transfers are longer by `gpu_cold_s` - `gpu_resident_s`. Empty where nothing was measured of such kernels.
    """

    sizes: tuple[int, ...]
    gpu_cold_s: tuple[float, ...]
    gpu_resident_s: tuple[float, ...]
    one_core_s: tuple[float, ...]
    all_cores_s: tuple[float, ...]
    resident_band_s: tuple[tuple[float, float], ...]


def curve_of(times: dict[int, TimesAtSize]) -> SizeCurve:
    """The curve through these sizes; those at which nothing runs are left out."""
    points = [(size, each.offload, each.kernels) for size, each in sorted(times.items()) if each.offload.has_work]
    bands = [
        (offload.resident_s - offload.kernels_s + each.least_s, offload.resident_s - offload.kernels_s + each.most_s)
        for _, offload, each in points
        if each is not None
    ]
    return SizeCurve(
        sizes=tuple(size for size, _, _ in points),
        gpu_cold_s=tuple(offload.cold_s for _, offload, _ in points),
        gpu_resident_s=tuple(offload.resident_s for _, offload, _ in points),
        one_core_s=tuple(offload.one_core_s for _, offload, _ in points),
        all_cores_s=tuple(offload.all_cores_s for _, offload, _ in points),
        resident_band_s=tuple(bands),
    )
