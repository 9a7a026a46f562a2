"""What Warplens predicts for runs of a measured kernel, from the C alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from warplens.analysis.advice.measured_runs import MeasuredRuns
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.nest.what_if import Changes, what_if
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.launch_pin import FREE, LaunchPin
from warplens.hwprofiles.validation import model_errors
from warplens.server.measure.counters.known_gpu import known_gpu
from warplens.server.measure.counters.linked_kernel import LinkedKernel
from warplens.server.measure.counters.static_job import StaticTimes, StaticTimesJob
from warplens.server.render.loop_card import kernel_of
from warplens.server.render.model_names import model_name
from warplens.server.worker.packing import unpack


def static_times(job: StaticTimesJob) -> tuple[StaticTimes, ...]:
    """For each linked kernel."""
    return static_times_of_nest(unpack(job.packed), job.kernels, tuple(map(Path, job.roots)))


def static_times_of_nest(
    base: NestEvaluation, kernels: Sequence[LinkedKernel], roots: tuple[Path, ...]
) -> tuple[StaticTimes, ...]:
    """The same of a nest's evaluation; `roots` may have profiles of one's own."""
    return tuple(_of_kernel(base, kernel, roots) for kernel in kernels)


def _of_kernel(base: NestEvaluation, kernel: LinkedKernel, roots: tuple[Path, ...]) -> StaticTimes:
    none = (None,) * len(kernel.measured)
    gpu = known_gpu(kernel.profile, roots) if kernel.profile else None
    if gpu is None:
        return StaticTimes(none, notes=(f"There is no profile of {kernel.gpu}, so nothing is predicted for it.",))
    if not base.kernels:
        return StaticTimes(none, notes=("No loop here is known to be parallel, so no kernel is predicted.",))
    parameters = {c_name(name): name for name, _ in base.sizes}
    asked = {name for one in kernel.measured for name, _ in one.problem}
    if asked - parameters.keys() or not asked:
        return StaticTimes(none, notes=(_unmatched(asked - parameters.keys(), tuple(parameters)),))
    notes: dict[str, None] = {}
    others = [f"{name} = {dict(base.sizes)[known]}" for name, known in parameters.items() if name not in asked]
    if others:
        notes[f"The runs do not say {', '.join(others)}: that is taken from here."] = None
    if len(base.kernels) > 1:
        notes[f"The nest is {len(base.kernels)} kernels: what is predicted is one launch of the longest."] = None
    times = tuple(_time_s(base, one, parameters, gpu, notes) for one in kernel.measured)
    model = base.kernels[0].prediction.model
    return StaticTimes(times, f"{model_name(model)}, profile {gpu.id}", tuple(notes))


def _time_s(
    base: NestEvaluation, runs: MeasuredRuns, parameters: Mapping[str, str], gpu: Gpu, notes: dict[str, None]
) -> float | None:
    sizes = tuple((parameters[name], round(size)) for name, size in runs.problem)
    pin = LaunchPin(block=runs.block) if runs.block else FREE
    found = what_if(base, Changes(sizes, gpu=gpu, pin=pin), model_errors())
    if found.refusals:
        notes[f"Not with the measured block everywhere: {found.refusals[0].message}."] = None
    kernel = kernel_of(found.evaluation, NodeId(0))
    return kernel.prediction.time_s if kernel is not None and kernel.prediction.time_s > 0 else None


def _unmatched(missing: set[str], parameters: tuple[str, ...]) -> str:
    known = f"its sizes are {', '.join(parameters)}" if parameters else "it has no sizes that vary"
    if not missing:
        return f"The runs do not say their sizes ({known}): fit them again with -D or --sizes-from-name."
    return (
        f"The runs vary {', '.join(sorted(missing))}, which this loop does not know: {known}. Fit them by these names."
    )
