"""The whole ledger: errors of time, of the choice of the block and of the work per thread."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from accuracy.gpu_day.recorded import RecordedDay, recorded_days, recorded_mappings
from accuracy.ledger.all_measurements import all_measurements
from accuracy.ledger.block_choice import Choice, choose
from accuracy.ledger.correction_trial import correction_table
from accuracy.ledger.errors import Errors, errors, spearman
from accuracy.ledger.groups import by_block, by_launch
from accuracy.ledger.left_out import Judged, fitted_errors, judged, unfitted_launches, without_family, without_gpu
from accuracy.ledger.mapping_ranking import Ranking, rankings
from accuracy.ledger.measured_nests import measured_nests, predict_nests
from accuracy.ledger.models import MODELS
from accuracy.ledger.own_runs import MECHANISMS, OwnRun, own_runs
from accuracy.ledger.pairs import pair_launches
from accuracy.ledger.predictions import Predicted, is_plain, missing_profiles, predict
from accuracy.ledger.registers import RegisterErrors, register_errors
from accuracy.ledger.work_per_thread import WorkPerThread, work_per_thread
from warplens.analysis.gpu.machine.model_error import ModelError

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

    `shown` are all launches as they are shown with `families`, `left_out` the same with the kernel's family left out
    and with the GPU, `correction` how one correction for all did. `blocks` and `all_blocks` leave out the kernels of
    `MECHANISMS`.
    """

    shown: Sequence[Judged]
    left_out: tuple[Sequence[Judged], Sequence[Judged]]
    correction: str
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
    launches, unfitted = pair_launches(found, nests), unfitted_launches()
    families = fitted_errors(launches)
    days = recorded_days()
    mappings, stale_mappings = rankings(one for day in days for one in recorded_mappings(day))
    return Ledger(
        shown=judged(launches, families),
        left_out=(without_family(launches), without_gpu(launches, unfitted)),
        correction=correction_table(launches, unfitted),
        time={model: _time(found, model) for model in MODELS},
        blocks={model: _blocks(plain, model) for model in MODELS},
        all_blocks={
            model: _block_errors([choose(group, model) for group in by_block(plain).values()]) for model in MODELS
        },
        work={model: _work(found, model) for model in MODELS},
        families=families,
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
