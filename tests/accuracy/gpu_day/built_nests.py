"""Nests, built: a folder for each with its ports, and in it one for each of its sizes with what runs them there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from accuracy.gpu_day.day_nests import DayNest, Sizes
from accuracy.gpu_day.subjects import at_sizes
from accuracy.gpu_day.there.steps import Step
from warplens.analysis.ports.fix import LaunchWish
from warplens.server.measure.kernel_times.harness_run import (
    Machine,
    build_ports,
    build_program,
    port_file,
    runtime_digest,
)
from warplens.server.measure.kernel_times.measure_nest import PlannedNest, Subject, planned_nest
from warplens.server.measure.kernel_times.measured_nest import as_json
from warplens.server.render.measured_times import launch_text, launches_text

RUNS = 5
"""Times that count of each port; one more comes before them."""
_CONTEXT_S = 0.8
_CHECK_S = 0.5
"""Contexts are made one after the other, whatever runs beside."""
_COPY_BYTES_PER_S = 3e9
"""Of what a run does beside the kernels: writing the data again, copies from and to pageable memory, allocations."""


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


def built_nest(nest: DayNest, subject: Subject, kit: Path, machine: Machine, pool: Executor) -> BuiltNest:
    """Build all that is to run of a nest; raises BuildError, NoMemoryPlanError and SignatureError."""
    planned = nest_plan(nest, subject, machine)
    for nest_at_sizes, step in (planned.check, *planned.rounds):
        place = kit / step.folder
        place.mkdir(parents=True, exist_ok=True)
        program = pool.submit(build_program, nest_at_sizes.program, machine, place)
        build_ports(nest_at_sizes.sources, machine, place.parent, pool)
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
    at = ",".join(f"{name}={size}" for name, size in sizes.items())
    measured = [each.measured for each in planned.outcomes if each.measured]
    ports = tuple(port_file(source, machine) for source in planned.sources)
    is_check = kind == "check"
    data_bytes = max((one.data_bytes for one in measured), default=0)
    argv = ("./measured", "results.jsonl", str(1 if is_check else RUNS + 1), "0", "./reference.so")
    texts = (planned.program.tables, planned.program.reference, *ports, *argv, runtime_digest())
    return Step(
        id=f"{kind}/{nest.name}/{at}",
        stage="check" if is_check else "measure",
        digest=_digest(texts),
        folder=f"nests/{nest.name}/{at}",
        argv=argv,
        parts=tuple(f"../{port}" for port in ports),
        output="results.jsonl",
        alone=False,
        takes_turns=not is_check,
        limit_s=60.0 if is_check else 180.0,
        estimate_s=_CHECK_S if is_check else _estimate_s(len(ports), data_bytes),
        host_bytes=4 * data_bytes,
        about={"parts": [launches_text(one.launches) for one in measured], "planned": list(map(as_json, measured))},
    )


def _estimate_s(ports: int, data_bytes: int) -> float:
    return round(_CONTEXT_S + ports * (RUNS + 1) * (0.005 + data_bytes / _COPY_BYTES_PER_S), 1)


def _refusals(nest: DayNest, sizes: Sizes, planned: PlannedNest) -> Iterator[str]:
    at = ", ".join(f"{name} = {size}" for name, size in sizes.items())
    for each in planned.outcomes:
        if not each.measured:
            yield f"{nest.name} at {at}, {_wished(each.wish)}: {each.refusal}"


def _wished(wish: LaunchWish) -> str:
    return launch_text(wish.block, wish.outputs_per_thread, wish.shared or ()) or "as predicted best"


def _digest(texts: Sequence[str]) -> str:
    return sha256("\0".join(texts).encode()).hexdigest()[:16]
