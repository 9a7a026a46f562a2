"""Nests of the corpus that were timed on days with a GPU, predicted again by the models as they are now."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from accuracy.gpu_day.recorded import RESULTS, recorded_days, recorded_nests
from accuracy.ledger.models import MODELS, Expected, expected_errors, predicted_times_s
from accuracy.measured_nests.corpus import NESTS
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.promise_targets import is_about
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.frontend.comments.warplens_comments import read_promises
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.python_preprocessor import preprocess_in_python
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.staging.staging_opportunities import wished_choice
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu, kernel_on_gpu
from warplens.analysis.models.results.kernel_family import family_of
from warplens.analysis.workload.kernels.kernel_at import kernel_at
from warplens.analysis.workload.loops.derived_symbols import extend_sizes
from warplens.hwprofiles.loader import load_gpu
from warplens.server.measure.kernel_times.measured_nest import MeasuredLaunch, MeasuredNest

_OLD_COUNT = re.compile(r"(\w+)_trips\Z")


@dataclass(frozen=True, slots=True)
class PredictedNest:
    """A measurement with the times that the models predict now, in seconds, of all launches of the nest's kernels.

    `expected` is of the kernel that takes longest.
    """

    measured: MeasuredNest
    family: str
    measured_s: float
    times_s: dict[str, float]
    expected: Mapping[str, Expected] = field(default_factory=dict)


class StaleError(Exception):
    """A measurement of something that the corpus does not have, or no longer has."""


def measured_nests(folder: Path = RESULTS) -> tuple[MeasuredNest, ...]:
    """All measurements with times, by the files' names."""
    return tuple(one for day in recorded_days(folder) for one in recorded_nests(day))


def predict_nests(
    found: Iterable[MeasuredNest], instead: Mapping[str, Gpu] | None = None
) -> tuple[tuple[PredictedNest, ...], tuple[str, ...]]:
    """Predict what was measured, at its sizes and launches; and what no longer can be, with the reason.

    `instead` has other values than the profiles' for GPUs by name.
    """
    predicted, stale = [], dict[str, None]()
    for one in found:
        try:
            predicted.append(_predict(one, (instead or {}).get(one.profile) or load_gpu(one.profile)))
        except StaleError as error:
            stale[str(error)] = None
    return tuple(predicted), tuple(stale)


def _predict(one: MeasuredNest, gpu: Gpu) -> PredictedNest:
    assert one.timing is not None
    facts = nest_facts(NESTS / one.path)
    times: dict[str, float] = dict.fromkeys(MODELS, 0.0)
    expected: dict[str, Expected] = {}
    longest_s = 0.0
    for case, launches in measured_cases(one, facts, gpu):
        of_launch = predicted_times_s(case)
        for model, time_s in of_launch.items():
            times[model] += launches * time_s
        if launches * of_launch[MODELS[0]] > longest_s:
            longest_s, expected = launches * of_launch[MODELS[0]], expected_errors(case, of_launch)
    family = family_of(kernel_at(facts.kernels[0], sizes_now(one, facts)))
    return PredictedNest(one, family, one.timing.kernels.median_s, times, expected)


def measured_cases(one: MeasuredNest, facts: NestFacts, gpu: Gpu) -> tuple[tuple[KernelOnGpu, float], ...]:
    """The kernels of `facts` on a GPU as they were launched, and how often; raises StaleError where they are others.

    What was measured are ports to CUDA: all their pointers are `restrict`.
    """
    sizes = sizes_now(one, facts)
    if missing := sorted({*facts.parameters} - sizes.keys()):
        raise StaleError(f"{one.path}: {missing[0]} has no value in what was measured")
    if len(facts.kernels) != len(one.launches):
        raise StaleError(f"{one.path}: {len(one.launches)} kernels were measured, there are {len(facts.kernels)}")
    found = []
    restricted = {kernel.root: kernel for kernel in facts.restricted}
    for declared, launch in zip(facts.kernels, one.launches, strict=True):
        kernel = restricted.get(declared.root, declared)
        sized = kernel_at(kernel, sizes)
        case = kernel_on_gpu(SizedKernel(sized, sizes), _launch(sized, launch, sizes, gpu, one.path), gpu)
        found.append((case, float(kernel.launches.evaluate(sizes))))
    return tuple(found)


def sizes_now(one: MeasuredNest, facts: NestFacts) -> dict[str, int]:
    """Sizes of a measurement by the names that they have now, with what is derived from them."""
    return extend_sizes(_named_as_now(one), facts.nest)


def _named_as_now(one: MeasuredNest) -> dict[str, int]:
    """Sizes by the names that they have now: counts that data decides were called `k_trips`."""
    return {_OLD_COUNT.sub(r"iterations of \1", name): size for name, size in one.sizes}


def _launch(kernel: Kernel, launch: MeasuredLaunch, sizes: dict[str, int], gpu: Gpu, path: str) -> LaunchConfig:
    sized = SizedKernel(kernel, sizes)
    arrays = {c_name(facts.access.array): facts.access.array for facts in kernel.accesses}
    staged = []
    for name in launch.shared:
        choice = wished_choice(sized, arrays.get(name, ""), launch.block, gpu, launch.outputs_per_thread)
        if choice is None:
            raise StaleError(f"{path}: the models find no region of {name} to stage")
        staged.append(choice)
    return LaunchConfig(launch.block, tuple(staged), launch.outputs_per_thread)


@cache
def nest_facts(path: Path) -> NestFacts:
    """The only nest of a C file; raises StaleError where there is no such file."""
    if not path.is_file():
        raise StaleError(f"{path.name} is no nest of the corpus")
    text = path.read_text(encoding="utf-8")
    unit = parse_unit(text, preprocess_in_python(f"/{path.name}", text, lambda _path: None, (), ()), Memo())
    nest = next(nest for function in unit.functions for nest in function.nests).nest
    said = (directive.promise for directive in read_promises(text))
    return analyse_nest(nest, tuple(promise for promise in said if is_about(promise, nest)))
