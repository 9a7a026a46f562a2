"""What a real GPU took for a nest, beside what was predicted: a row of the hover and of the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from warplens.analysis.gpu.launch.extent import Extent
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.text.quantities import extent_text, time_text
from warplens.server.measure.kernel_times.measured_nest import MeasuredLaunch, MeasuredNest
from warplens.server.render.model_names import model_name

MEASURED_ON = "measured on"
_MOST_ROWS = 3


def timing_rows(timings: Sequence[MeasuredNest], evaluation: NestEvaluation) -> tuple[tuple[str, str], ...]:
    """The fastest launch on each GPU that measured this nest: at the sizes in force, or else at others, which are said.

    Units: seconds, of all launches of the nest's kernels, copies not included.
    """
    sizes = tuple(sorted(evaluation.sizes))
    by_gpu: dict[str, list[MeasuredNest]] = {}
    for one in timings:
        if one.timing is not None:
            by_gpu.setdefault(one.timing.device.name, []).append(one)
    rows = []
    for gpu, found in sorted(by_gpu.items()):
        fitting = [one for one in found if one.sizes == sizes] or found
        fastest = min(fitting, key=lambda one: one.timing.kernels.median_s if one.timing else 0.0)
        rows.append((MEASURED_ON, f"{gpu}: {', '.join(_parts(fastest, dict(sizes), evaluation))}"))
    return tuple(rows[:_MOST_ROWS])


def launches_text(launches: Sequence[MeasuredLaunch]) -> str:
    """The launches of a nest's kernels in a few words; those of several kernels with the kernels' names.

    >>> launches_text([MeasuredLaunch("k", (32, 8, 1), (1, 4, 1), ("a",))])
    'block 32x8, 1x4 outputs per thread, a in shared memory'
    """
    texts = [launch_text(one.block, one.outputs_per_thread, one.shared) for one in launches]
    if len(set(texts)) <= 1:
        return texts[0] if texts else ""
    return "; ".join(f"{one.kernel}: {text}" for one, text in zip(launches, texts, strict=True))


def launch_text(block: Extent | None, outputs: Extent | None, shared: Sequence[str]) -> str:
    """What is said of a launch, empty where nothing is."""
    parts = []
    if block is not None:
        parts.append(f"block {extent_text(block)}")
    if outputs is not None and outputs != (1, 1, 1):
        parts.append(f"{extent_text(outputs)} outputs per thread")
    if shared:
        parts.append(f"{', '.join(shared)} in shared memory")
    return ", ".join(parts)


def _parts(one: MeasuredNest, sizes: Mapping[str, int], evaluation: NestEvaluation) -> Iterator[str]:
    measured_s = one.timing.kernels.median_s if one.timing else 0.0
    yield time_text(measured_s)
    yield launches_text(one.launches)
    other = [f"{name} = {size}" for name, size in one.sizes if sizes.get(name) != size]
    if other:
        yield f"at {', '.join(other)}"
    model = evaluation.kernels[0].prediction.model if evaluation.kernels else ""
    predicted_s = dict(one.predicted_s).get(model)
    if predicted_s is not None and measured_s > 0:
        ratio = f"{predicted_s / measured_s:.2f} of it"
        yield f"predicted {time_text(predicted_s)} ({ratio}, {model_name(model)} for {one.profile})"
