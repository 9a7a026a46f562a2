"""What days with a GPU left in the tree: results/GPU.jsonl.gz, the lines that the runs wrote, read as values.

Each GPU's file has everything that was measured there: whether ports are right, the samples of `warplens calibrate
gpu`, times of nests and of hand-written programs, ncu's counters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from accuracy.gpu_day.there.checked_parts import Checked, checked_parts, lines_of
from accuracy.gpu_day.there.journal import Ran, Run, best_by_digest, read
from warplens.analysis.models.results.mapping_time import SOURCE_ORDER
from warplens.server.measure.calibration.gpu_base import nearest_profile
from warplens.server.measure.calibration.gpu_results import GpuResults
from warplens.server.measure.kernel_times.measure_nest import with_result
from warplens.server.measure.kernel_times.measured_nest import MeasuredNest, from_json

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True, slots=True)
class RecordedDay:
    """One GPU: `name` as its driver says it, `profile` the one that stands for it, the last run and all steps."""

    name: str
    profile: str
    run: Run
    steps: tuple[Ran, ...]


@dataclass(frozen=True, slots=True)
class RecordedMapping:
    """A nest in a mapping, which was chosen by its name for the GPU profile `planned_for` and measured on this GPU."""

    measured: MeasuredNest
    mapping: str
    planned_for: str


@dataclass(frozen=True, slots=True)
class RecordedProgram:
    """Times of a variant of a hand-written program, in seconds; none where a library is missing, as `missing` says."""

    program: str
    variant: str
    sizes: tuple[tuple[str, int], ...]
    data_bytes: int
    times_s: tuple[float, ...]
    missing: str


def recorded_days(folder: Path = RESULTS) -> tuple[RecordedDay, ...]:
    """By the files' names. Raises OSError and ValueError."""
    return tuple(recorded_day(path) for path in sorted(folder.glob("*.jsonl*")))


def recorded_day(path: Path) -> RecordedDay:
    """What a file holds; raises OSError, and ValueError where it has no run."""
    runs = [line for line in read(path) if isinstance(line, Run)]
    if not runs:
        raise ValueError(f"{path} has no run of a day with a GPU")
    gpu = runs[-1].gpu
    name = str(gpu["name"])
    profile = nearest_profile(name, str(gpu.get("compute_capability", "")), int(gpu.get("sm_count", 0)))
    return RecordedDay(name, profile, runs[-1], tuple(_newest(best_by_digest(name, [path]).values())))


def _newest(steps: Iterable[Ran]) -> Iterator[Ran]:
    """Of each step what came of it as it was last: of a port or a program that has changed since, nothing counts."""
    latest: dict[str, Ran] = {}
    for one in steps:
        if one.step not in latest or one.began >= latest[one.step].began:
            latest[one.step] = one
    return iter(latest.values())


def recorded_checks(day: RecordedDay) -> tuple[Checked, ...]:
    """Every result that was held against the C."""
    return tuple(each for ran in day.steps for each in checked_parts(ran))


def recorded_nests(day: RecordedDay) -> tuple[MeasuredNest, ...]:
    """Right results of nests in the source's order that have times, planned for any GPU and measured on this one."""
    return tuple(
        replace(one.measured, profile=day.profile)
        for ran in day.steps
        if ran.stage == "measure" and "mappings" not in _about(ran)
        for one in _ports(ran)
        if _is_right(one.measured) and one.mapping == SOURCE_ORDER
    )


def recorded_mappings(day: RecordedDay) -> tuple[RecordedMapping, ...]:
    """Right results of the steps that time several mappings of a nest beside each other."""
    return tuple(
        replace(one, measured=replace(one.measured, profile=day.profile))
        for ran in day.steps
        if ran.stage == "measure" and "mappings" in _about(ran)
        for one in _ports(ran)
        if _is_right(one.measured)
    )


def recorded_programs(day: RecordedDay) -> tuple[RecordedProgram, ...]:
    """Variants of the hand-written programs whose results were right, in the order in which they ran."""
    return tuple(
        RecordedProgram(
            str(line["program"]),
            str(line["variant"]),
            tuple((str(name), int(size)) for name, size in line["sizes"].items()),
            int(line.get("data_bytes", 0)),
            tuple(map(float, line.get("times_s", ()))),
            str(line.get("missing", "")),
        )
        for ran in day.steps
        if "program" in (ran.about or {})
        for line in lines_of(ran.output)
        if "variant" in line and not line.get("check", {}).get("differing")
    )


def recorded_calibration(day: RecordedDay) -> GpuResults | None:
    """The samples of the newest build of the calibration program, as its command keeps them; None without any."""
    ran = [one for one in day.steps if one.stage == "calibrate" and one.state == "done"]
    if not ran:
        return None
    newest = max(ran, key=lambda one: one.began)
    digest = _about(newest)["digest"]
    lines = {_about(one)["quantity"]: one.output for one in ran if _about(one)["digest"] == digest}
    return GpuResults(day.name, digest, newest.began[:10], lines)


def _ports(ran: Ran) -> Iterator[RecordedMapping]:
    """Ports of a step that gave a result, each with the reference of its process."""
    about = _about(ran)
    names = about.get("mappings") or ["" if is_mapped else SOURCE_ORDER for is_mapped in about.get("mapped", ())]
    entries = about.get("planned", ())
    named = zip(entries, names or [SOURCE_ORDER] * len(entries), strict=True)
    planned = [(from_json(entry), name) for place, (entry, name) in enumerate(named) if place not in ran.lost]
    reference: dict[str, Any] = {}
    for line in lines_of(ran.output):
        if "reference_s" in line:
            reference = dict(line)
        elif planned and "check" in line:
            one, name = planned.pop(0)
            measured = replace(with_result(one, reference, line), date=ran.began[:10])
            yield RecordedMapping(measured, name, one.profile)


def _is_right(one: MeasuredNest) -> bool:
    return one.timing is not None and not one.check.differing


def _about(ran: Ran) -> dict[str, Any]:
    return ran.about or {}
