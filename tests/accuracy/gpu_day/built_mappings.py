"""Mappings of a nest beside each other: a check of all their ports, and a step that times them at each of its sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from accuracy.gpu_day.built_nests import NestPlan
from accuracy.gpu_day.mapping_nests import MappingNest
from accuracy.gpu_day.mapping_ports import MappedPort, mapped_ports
from accuracy.gpu_day.nest_steps import port_step, sizes_text
from accuracy.gpu_day.subjects import at_sizes
from accuracy.gpu_day.there.steps import Step
from warplens.server.measure.kernel_times.harness_run import Machine, port_file
from warplens.server.measure.kernel_times.measure_nest import PlannedNest, Subject, planned_nest
from warplens.server.measure.kernel_times.measured_nest import as_json
from warplens.server.render.measured_times import launches_text

PURPOSE = "mappings"
_MODEL = "resios"
"""Whose times estimates of long kernels are made of."""


def mapping_plan(nest: MappingNest, subject: Subject, machine: Machine) -> NestPlan:
    """Write ports and steps; the check has each port once, whichever sizes it is for.

    It runs the ports of the large sizes: at small ones other mappings are tried, or none. Raises NoMemoryPlanError and
    SignatureError.
    """
    refused: list[str] = []
    checked: dict[str, MappedPort] = {}
    rounds = []
    for sizes in nest.sizes:
        there = at_sizes(subject, sizes)
        found = mapped_ports(there, nest.staged)
        refused += (f"{nest.name} at {sizes_text(sizes)}, {reason}" for reason in found.refused)
        ports = dict[str, MappedPort]()
        for port in found.ports:
            ports.setdefault(port_file(port.source, machine), port)
        checked = ports | checked
        rounds.append(_planned(nest, there, tuple(ports.values()), sizes, machine, is_check=False))
    small = at_sizes(subject, nest.check_sizes)
    check = _planned(nest, small, tuple(checked.values()), nest.check_sizes, machine, is_check=True)
    return NestPlan(check, tuple(rounds), tuple(refused))


def _planned(
    nest: MappingNest,
    there: Subject,
    ports: Sequence[MappedPort],
    sizes: Mapping[str, int],
    machine: Machine,
    *,
    is_check: bool,
) -> tuple[PlannedNest, Step]:
    """Ports with the C and the data of some sizes, and the step that runs them."""
    program = planned_nest(there, ()).program
    planned = PlannedNest(program, tuple(port.source for port in ports), ())
    at = sizes_text(sizes)
    step = port_step(
        planned,
        machine,
        step_id=f"check/{nest.name}, {PURPOSE}/{at}" if is_check else f"{PURPOSE}/{nest.name}/{at}",
        folder=f"nests/{nest.name}/{at},{PURPOSE}",
        is_check=is_check,
        data_bytes=max((port.measured.data_bytes for port in ports), default=0),
        about={
            "parts": [f"{port.mapping}, {launches_text(port.measured.launches)}" for port in ports],
            "planned": [as_json(port.measured) for port in ports],
            "mappings": [port.mapping for port in ports],
        },
        kernels_s=sum(dict(port.measured.predicted_s)[_MODEL] for port in ports),
        purpose=PURPOSE,
    )
    return planned, step
