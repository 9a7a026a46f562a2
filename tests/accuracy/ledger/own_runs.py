"""Errors of what we measured ourselves: by GPU and family of kernels, one column a model.

Some kernels were written to have one bottleneck (`MECHANISMS`). They say what the models lack, not how far off they are
on a loop that somebody wants to port: they stand by themselves, and in no family's error of hwprofiles/validation.toml.
Neither are launches that are predicted to take less than launching: no time is shown of them, only that bound. They
are chosen by the prediction, so the worst of short launches are among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from accuracy.ledger.errors import errors
from accuracy.ledger.kernels import kernel_of
from accuracy.ledger.known_bottlenecks import DATASET
from accuracy.ledger.measured_nests import PredictedNest
from accuracy.ledger.models import MODELS
from accuracy.ledger.predictions import Predicted
from accuracy.real_c.tables import table
from warplens.analysis.models.results.kernel_family import family_of
from warplens.hwprofiles.loader import load_gpu

MECHANISMS = frozenset({"chain_of_loads", "divergent", "fma_chains", "local_array"})
_SHOWN = "resios"
_SHORT = "predicted to be shorter than launching"


@dataclass(frozen=True, slots=True)
class OwnRun:
    """One launch: GPU's profile, group of the table, kernel, and predicted over measured time by model."""

    gpu: str
    group: str
    kernel: str
    ratios: dict[str, float]


def has_own_time(one: Predicted, model: str) -> bool:
    """Whether the launch is predicted to take longer than launching it."""
    return one.time_s(model) >= load_gpu(one.measured.gpu).host.launch_overhead_s


def own_runs(predicted: Iterable[Predicted], nests: Iterable[PredictedNest]) -> tuple[OwnRun, ...]:
    """Those of the measurements that are ours, then the nests of the corpus."""
    found = [_launch(one) for one in predicted if one.measured.dataset == DATASET]
    return (*found, *(_nest(one) for one in nests))


def own_table(runs: Sequence[OwnRun]) -> str:
    """Markdown: a row for each GPU and group, all families of a GPU together before what is in no family."""
    groups: dict[tuple[str, int, str], list[OwnRun]] = {}
    for run in runs:
        is_family = run.group not in MECHANISMS and run.group != _SHORT
        groups.setdefault((run.gpu, 0 if is_family else 2, run.group), []).append(run)
        if is_family:
            groups.setdefault((run.gpu, 1, "all of these"), []).append(run)
    rows: list[list[object]] = [
        [gpu, group, ", ".join(sorted({run.kernel for run in members})) if place != 1 else "", len(members),
         *(_error(members, model) for model in MODELS)]
        for (gpu, place, group), members in sorted(groups.items())
    ]  # fmt: skip
    return table(["GPU", "family", "kernels", "launches", *MODELS], rows, 3)


def _error(members: Sequence[OwnRun], model: str) -> str:
    found = errors([run.ratios[model] for run in members], ())
    return f"{found.ratio:.2f} ({100 * found.mape:.0f} %)"


def _launch(one: Predicted) -> OwnRun:
    measured = one.measured
    group: str = family_of(kernel_of(measured))
    if measured.kernel in MECHANISMS:
        group = measured.kernel
    elif not has_own_time(one, _SHOWN):
        group = _SHORT
    return OwnRun(measured.gpu, group, measured.kernel, {model: one.ratio(model) for model in MODELS})


def _nest(one: PredictedNest) -> OwnRun:
    is_short = one.times_s[_SHOWN] < load_gpu(one.measured.profile).host.launch_overhead_s
    ratios = {model: one.times_s[model] / one.measured_s for model in MODELS}
    name = one.measured.path.removesuffix(".c")
    return OwnRun(one.measured.profile, _SHORT if is_short else one.family, name, ratios)
