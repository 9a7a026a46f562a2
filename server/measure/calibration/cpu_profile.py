"""A run of the measuring program as the text of a profile, with what is to be said about it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from warplens.hwprofiles.calibrate.cpu_entries import cpu_entries
from warplens.hwprofiles.calibrate.cpu_machine import CpuMachine
from warplens.hwprofiles.calibrate.cpu_samples import pooled
from warplens.hwprofiles.calibrate.cpu_stated_entries import stated_entries
from warplens.hwprofiles.calibrate.measurement import MeasurementError, parse_measurements
from warplens.hwprofiles.calibrate.written_profile import profile_text
from warplens.hwprofiles.entry import Entry
from warplens.hwprofiles.schema import CPU_SCHEMA
from warplens.server.measure.calibration.cpu_program import CpuProgram
from warplens.server.measure.calibration.cpu_run import CpuRun
from warplens.server.measure.kernel_times.toolchain import BuildError

_KEYS = [f"{section}.{key.name}" for section, keys in CPU_SCHEMA.items() for key in keys]

_MOST_SPREAD = 0.1


@dataclass(frozen=True, slots=True)
class CpuCalibration:
    """The profile's text and its entries by key; what was not measured with the reason; what a user should mind."""

    name: str
    text: str
    entries: Mapping[str, Entry]
    not_measured: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


def calibrated_profile(
    ran: CpuRun, machine: CpuMachine, program: CpuProgram, date: str, *, extends: str, name: str | None
) -> CpuCalibration:
    """Make the profile of what was measured and of what the system states; raises BuildError where nothing was."""
    source = f"warplens calibrate cpu, {machine.name}, {date}"
    try:
        measurements = parse_measurements("\n".join(ran.lines))
    except MeasurementError as error:
        raise BuildError(f"the measuring program wrote what it should not: {error}") from error
    measured = cpu_entries(measurements, source)
    if not measured:
        reasons = "\n".join(f"{what}: {why}" for what, why in ran.refused)
        raise BuildError(f"nothing was measured\n{reasons}")
    found = measured | stated_entries(machine, date)
    entries = {key: found[key] for key in _KEYS if key in found}
    notes = _notes(machine, program, pooled(measurements).unsteady(_MOST_SPREAD))
    text = profile_text(
        id=profile_id(name or machine.name),
        name=name or machine.name,
        vendor="",
        aliases=(),
        extends=extends,
        comment=" ".join((f"Measured by `warplens calibrate cpu` on {date} ({program.compiler}).", *notes)),
        entries=entries,
    )
    return CpuCalibration(name or machine.name, text, entries, (*ran.refused, *_not_here(measured, machine)), notes)


def profile_id(name: str) -> str:
    """Small letters and digits of a name, with `-` between its words.

    >>> profile_id("Intel(R) Core(TM) i7-9700K CPU @ 3.60GHz")
    'intel-core-i7-9700k-cpu-3-60ghz'
    >>> profile_id("™")
    'my-cpu'
    """
    plain = re.sub(r"\((?:r|tm|c)\)", " ", name.casefold())
    return "-".join(re.findall(r"[a-z0-9]+", plain)) or "my-cpu"


def _not_here(measured: Mapping[str, Entry], machine: CpuMachine) -> tuple[tuple[str, str], ...]:
    """What the program did not even try, or could not tell."""
    missing = []
    if not any(key.startswith("instructions.") for key in measured):
        what = "instructions, issue, loads and stores per cycle"
        missing.append((what, f"there is no measuring code for {machine.architecture}"))
    if "dram.latency_ns" in measured and "translation.page_walk_ns" not in measured:
        missing.append(("translation", "no page walk was seen: the system may have given huge pages"))
    return tuple(missing)


def _notes(machine: CpuMachine, program: CpuProgram, unsteady: Sequence[str]) -> tuple[str, ...]:
    notes = []
    if machine.is_virtual:
        notes.append("This is a virtual machine: what it shares with others changes what is measured.")
    if program.no_threads:
        notes.append(f"{program.no_threads}: nothing was measured on several threads.")
    if unsteady:
        share = f"{_MOST_SPREAD * 100:.0f} %"
        notes.append(
            f"Other work disturbed what has a middle half of samples wider than {share}: {', '.join(unsteady)}. "
            "Run it again on a quieter machine."
        )
    return tuple(notes)
