"""Nests of the corpus that `measure_all` timed, predicted again by the models as they are now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from accuracy.ledger.errors import errors, spearman
from accuracy.ledger.models import MODELS, predicted_times_s
from accuracy.measured_nests.corpus import NESTS, RESULTS
from accuracy.real_c.tables import table
from warplens.analysis.engine.memo import Memo
from warplens.analysis.facts.analyse_nest import analyse_nest
from warplens.analysis.facts.derived import extend_sizes
from warplens.analysis.facts.kernel_at import kernel_at
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.python_preprocessor import preprocess_in_python
from warplens.analysis.gpu.gpu import Gpu
from warplens.analysis.gpu.launch import LaunchConfig
from warplens.analysis.gpu.shared_memory import shared_opportunities
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.kernel_family import family_of
from warplens.analysis.models.kernel_on_gpu import kernel_on_gpu
from warplens.hwprofiles.loader import load_gpu
from warplens.server.gpu_measurement.measured_file import load_measured
from warplens.server.gpu_measurement.measured_nest import MeasuredLaunch, MeasuredNest


@dataclass(frozen=True, slots=True)
class PredictedNest:
    """A measurement with the times that the models predict now, in seconds, of all launches of the nest's kernels."""

    measured: MeasuredNest
    family: str
    measured_s: float
    times_s: dict[str, float]


class StaleError(Exception):
    """A measurement of something that the corpus does not have, or no longer has."""


def measured_nests(folder: Path = RESULTS) -> tuple[MeasuredNest, ...]:
    """All measurements with times, by the files' names."""
    found = (one for path in sorted(folder.glob("*.json")) for one in load_measured(path))
    return tuple(one for one in found if one.timing is not None)


def predict_nests(found: Iterable[MeasuredNest]) -> tuple[PredictedNest, ...]:
    """Predict what was measured, at its sizes and launches; raises StaleError."""
    return tuple(_predict(one) for one in found)


def nest_tables(found: Sequence[PredictedNest]) -> str:
    """Errors by GPU and family of kernels, as markdown; empty without measurements."""
    groups: dict[tuple[str, str], list[PredictedNest]] = {}
    for one in found:
        assert one.measured.timing is not None
        gpu = one.measured.timing.device.name
        groups.setdefault((gpu, one.family), []).append(one)
        groups.setdefault((gpu, "all"), []).append(one)
    rows = []
    for (gpu, family), members in sorted(groups.items()):
        for model in MODELS:
            found_errors = errors([m.times_s[model] / m.measured_s for m in members], _ranks(members, model))
            rank = "" if found_errors.rank is None else f"{found_errors.rank:.2f}"
            ratio, within = f"{found_errors.ratio:.2f}", f"{found_errors.within:.2f}"
            rows.append([gpu, family, model, found_errors.count, ratio, within, rank])
    head = ["GPU", "family", "model", "measurements", "ratio", "within", "rank"]
    return f"### Nests of the corpus\n\n{table(head, rows)}" if rows else ""


def _ranks(members: Sequence[PredictedNest], model: str) -> list[float]:
    """Rank correlations over the launches of one nest at one set of sizes, where there are three or more."""
    groups: dict[tuple[str, object], list[PredictedNest]] = {}
    for one in members:
        groups.setdefault((one.measured.path, one.measured.sizes), []).append(one)
    ranks = (
        spearman([m.times_s[model] for m in group], [m.measured_s for m in group])
        for group in groups.values()
        if len(group) > 2
    )
    return [0.0 if rank is None else rank for rank in ranks]


def _predict(one: MeasuredNest) -> PredictedNest:
    assert one.timing is not None
    facts = _facts(one.path)
    sizes = extend_sizes(dict(one.sizes), facts.nest)
    if len(facts.kernels) != len(one.launches):
        raise StaleError(f"{one.path}: {len(one.launches)} kernels were measured, there are {len(facts.kernels)}")
    gpu = load_gpu(one.profile)
    times: dict[str, float] = dict.fromkeys(MODELS, 0.0)
    for kernel, launch in zip(facts.kernels, one.launches, strict=True):
        sized = kernel_at(kernel, sizes)
        case = kernel_on_gpu(sized, _launch(sized, launch, sizes, gpu, one.path), sizes, gpu)
        launches = float(kernel.launches.evaluate(sizes))
        for model, time_s in predicted_times_s(case).items():
            times[model] += launches * time_s
    family = family_of(kernel_at(facts.kernels[0], sizes))
    return PredictedNest(one, family, one.timing.kernels.median_s, times)


def _launch(kernel: Kernel, launch: MeasuredLaunch, sizes: dict[str, int], gpu: Gpu, path: str) -> LaunchConfig:
    found = shared_opportunities(kernel, launch.block, sizes, gpu, launch.outputs_per_thread)
    staged = tuple(choice for choice in found if c_name(choice.array) in launch.shared)
    if len(staged) != len(launch.shared):
        raise StaleError(f"{path}: the models find no region of {', '.join(launch.shared)} to stage")
    return LaunchConfig(launch.block, staged, launch.outputs_per_thread)


@cache
def _facts(name: str) -> NestFacts:
    path = NESTS / name
    if not path.is_file():
        raise StaleError(f"{name} is no nest of the corpus")
    text = path.read_text(encoding="utf-8")
    unit = parse_unit(text, preprocess_in_python(f"/{name}", text, lambda _path: None, (), ()), Memo())
    return analyse_nest(next(nest for function in unit.functions for nest in function.nests).nest)
