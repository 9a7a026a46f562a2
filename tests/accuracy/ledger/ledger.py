"""The whole ledger: errors of time, of the choice of the block and of the work per thread."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from accuracy.gpu_day.recorded import RecordedDay, recorded_days, recorded_mappings
from accuracy.ledger.all_measurements import all_measurements
from accuracy.ledger.block_choice import Choice, choose
from accuracy.ledger.errors import Errors, errors, nine_of_ten, spearman
from accuracy.ledger.groups import by_block, by_launch
from accuracy.ledger.kernels import kernel_of
from accuracy.ledger.mapping_ranking import Ranking, rankings
from accuracy.ledger.measured_nests import measured_nests, predict_nests
from accuracy.ledger.models import ESTIMATE, MODELS
from accuracy.ledger.own_runs import MECHANISMS, OwnRun, has_own_time, own_runs
from accuracy.ledger.predictions import Predicted, is_plain, missing_profiles, predict
from accuracy.ledger.registers import RegisterErrors, register_errors
from accuracy.ledger.work_per_thread import WorkPerThread, work_per_thread
from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.models.results.kernel_family import family_of

Subject = tuple[str, str, bool]
"""Kernel, GPU, whether each thread computes one output."""


@dataclass(frozen=True, slots=True)
class BlockErrors:
    """Measured times of the recommended blocks over the best, and of 256 threads where they were run in all groups."""

    groups: int
    mean: float
    worst: float
    always_256_mean: float | None
    always_256_worst: float | None


@dataclass(frozen=True, slots=True)
class WorkSweep:
    """A sweep of outputs per thread."""

    kernel: str
    gpu: str
    staged: tuple[str, ...]
    result: WorkPerThread


@dataclass(frozen=True, slots=True)
class Ledger:
    """Everything by model; the orders are those of `MODELS` and of the names.

    `blocks`, `all_blocks` and `families` leave out the kernels of `MECHANISMS`, `families` also unshown times.
    """

    time: Mapping[str, Mapping[Subject, Errors]]
    blocks: Mapping[str, Mapping[tuple[str, str], BlockErrors]]
    all_blocks: Mapping[str, BlockErrors]
    work: Mapping[str, Sequence[WorkSweep]]
    families: tuple[ModelError, ...]
    missing: tuple[str, ...]
    registers: Mapping[tuple[str, str], RegisterErrors]
    own: Sequence[OwnRun]
    mappings: Sequence[Ranking]
    days: Sequence[RecordedDay]
    stale: Sequence[str]


def make_ledger() -> Ledger:
    """Predict everything that was measured on a GPU that has a profile."""
    found = predict(all_measurements())
    plain = [one for one in found if is_plain(one.measured) and one.measured.kernel not in MECHANISMS]
    nests, stale = predict_nests(measured_nests())
    days = recorded_days()
    mappings, stale_mappings = rankings(one for day in days for one in recorded_mappings(day))
    return Ledger(
        time={model: _time(found, model) for model in MODELS},
        blocks={model: _blocks(plain, model) for model in MODELS},
        all_blocks={
            model: _block_errors([choose(group, model) for group in by_block(plain).values()]) for model in MODELS
        },
        work={model: _work(found, model) for model in MODELS},
        families=tuple(error for model in MODELS if model != ESTIMATE for error in _families(plain, model)),
        missing=missing_profiles(all_measurements()),
        registers=register_errors(),
        own=own_runs(found, nests),
        mappings=mappings,
        days=days,
        stale=(*stale, *stale_mappings),
    )


def _time(found: Iterable[Predicted], model: str) -> dict[Subject, Errors]:
    subjects: dict[Subject, list[Predicted]] = {}
    for one in found:
        m = one.measured
        subjects.setdefault((m.kernel, m.gpu, is_plain(m)), []).append(one)
    return {
        subject: errors([one.ratio(model) for one in members], _ranks(members, model))
        for subject, members in sorted(subjects.items(), key=lambda item: (item[0][0], item[0][1], not item[0][2]))
    }


def _ranks(members: Iterable[Predicted], model: str) -> list[float]:
    """Rank correlations in the groups of at least three launches."""
    ranks = (
        spearman([one.time_s(model) for one in group], [one.measured.time_s for one in group])
        for group in by_launch(members).values()
        if len(group) > 2
    )
    return [0.0 if rank is None else rank for rank in ranks]


def _blocks(plain: Iterable[Predicted], model: str) -> dict[tuple[str, str], BlockErrors]:
    subjects: dict[tuple[str, str], list[Choice]] = {}
    for group in by_block(plain).values():
        measured = group[0].measured
        subjects.setdefault((measured.kernel, measured.gpu), []).append(choose(group, model))
    return {subject: _block_errors(choices) for subject, choices in sorted(subjects.items())}


def _block_errors(choices: Sequence[Choice]) -> BlockErrors:
    rels = [choice.rel for choice in choices]
    default = [choice.always_256 for choice in choices if choice.always_256 is not None]
    return BlockErrors(
        len(rels),
        sum(rels) / len(rels),
        max(rels),
        sum(default) / len(default) if default else None,
        max(default) if default else None,
    )


def _work(found: Iterable[Predicted], model: str) -> list[WorkSweep]:
    sweeps = []
    for (_, gpu, kernel, _, _, staged), group in sorted(by_launch(found).items()):
        result = work_per_thread(group, model)
        if result is not None:
            sweeps.append(WorkSweep(kernel, gpu, staged, result))
    return sweeps


def _families(plain: Iterable[Predicted], model: str) -> list[ModelError]:
    """Errors by family, and of all families together as the family "", of times that are shown."""
    shown = [one for one in plain if has_own_time(one, model)]
    families: dict[str, list[Predicted]] = {"": shown}
    for one in families[""]:
        families.setdefault(family_of(kernel_of(one.measured)), []).append(one)
    result = []
    for family, members in sorted(families.items()):
        ratios = [one.ratio(model) for one in members]
        error = errors(ratios, ())
        gpus = tuple(sorted({one.measured.gpu for one in members}))
        result.append(ModelError(model, family, error.ratio, *nine_of_ten(ratios), error.mape, error.count, gpus))
    return result
