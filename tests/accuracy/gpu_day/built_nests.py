"""Nests, built: a folder for each with its ports, and in it one for each of its sizes with what runs them there."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

from accuracy.gpu_day.day_nests import DayNest, Sizes
from accuracy.gpu_day.nest_steps import port_step, sizes_text
from accuracy.gpu_day.subjects import at_sizes
from accuracy.gpu_day.there.steps import Step
from warplens.analysis.ports.fix import LaunchWish
from warplens.server.measure.kernel_times.harness_run import Machine, build_ports, build_program
from warplens.server.measure.kernel_times.measure_nest import PlannedNest, Subject, planned_nest
from warplens.server.measure.kernel_times.measured_nest import as_json
from warplens.server.render.measured_times import launch_text, launches_text


@dataclass(frozen=True, slots=True)
class BuiltNest:
    """Steps of one nest, and the launches whose port was refused, with the reason."""

    check: Step
    rounds: tuple[Step, ...]
    refused: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NestPlan:
    """What is to be built and run of a nest: the check, then its rounds, each with its sizes and its step."""

    check: tuple[PlannedNest, Step]
    rounds: tuple[tuple[PlannedNest, Step], ...]
    refused: tuple[str, ...]


def built_nest(planned: NestPlan, kit: Path, machine: Machine, pool: Executor) -> BuiltNest:
    """Build all that is to run of a nest; raises BuildError."""
    for of_nest, step in (planned.check, *planned.rounds):
        place = kit / step.folder
        place.mkdir(parents=True, exist_ok=True)
        program = pool.submit(build_program, of_nest.program, machine, place)
        build_ports(of_nest.sources, machine, place.parent, pool)
        program.result()
    return BuiltNest(planned.check[1], tuple(step for _, step in planned.rounds), planned.refused)


def nest_plan(nest: DayNest, subject: Subject, machine: Machine) -> NestPlan:
    """Write ports and steps; the check has the ports of all rounds. Raises NoMemoryPlanError and SignatureError."""
    refused: list[str] = []
    rounds, wishes = [], dict.fromkeys(nest.check_wishes)
    for place, (sizes, asked) in enumerate(nest.rounds):
        planned = planned_nest(at_sizes(subject, sizes), asked)
        refused += _refusals(nest, sizes, planned)
        wishes |= {each.wish: None for each in planned.outcomes if each.measured}
        rounds.append((planned, _step(f"measure/{place}", nest, sizes, planned, machine)))
    planned = planned_nest(at_sizes(subject, nest.check_sizes), tuple(wishes))
    refused += _refusals(nest, nest.check_sizes, planned)
    check = planned, _step("check", nest, nest.check_sizes, planned, machine)
    return NestPlan(check, tuple(rounds), tuple(refused))


def _step(kind: str, nest: DayNest, sizes: Sizes, planned: PlannedNest, machine: Machine) -> Step:
    at = sizes_text(sizes)
    measured = [each.measured for each in planned.outcomes if each.measured]
    return port_step(
        planned,
        machine,
        step_id=f"{kind}/{nest.name}/{at}",
        folder=f"nests/{nest.name}/{at}",
        is_check=kind == "check",
        data_bytes=max((one.data_bytes for one in measured), default=0),
        about={
            "parts": [launches_text(one.launches) for one in measured],
            "planned": list(map(as_json, measured)),
            "mapped": [each.is_mapped for each in planned.outcomes if each.measured],
        },
    )


def _refusals(nest: DayNest, sizes: Sizes, planned: PlannedNest) -> Iterator[str]:
    at = ", ".join(f"{name} = {size}" for name, size in sizes.items())
    for each in planned.outcomes:
        if not each.measured:
            yield f"{nest.name} at {at}, {_wished(each.wish)}: {each.refusal}"


def _wished(wish: LaunchWish) -> str:
    return launch_text(wish.block, wish.outputs_per_thread, wish.shared or ()) or "as predicted best"
