"""A run of the measuring program as a profile that loads. What the program wrote is synthetic here."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from warplens.analysis.cpu.cpu import Cpu
from warplens.hwprofiles.calibrate.cpu_machine import CpuMachine, StatedCache
from warplens.hwprofiles.entry import Entry
from warplens.hwprofiles.loader import load_cpu
from warplens.hwprofiles.profile import parse_profile
from warplens.hwprofiles.schema import CPU_SCHEMA
from warplens.server.cli.calibrate_cpu_report import inherited_lines
from warplens.server.measure.calibration.cpu_profile import CpuCalibration, calibrated_profile
from warplens.server.measure.calibration.cpu_program import CpuProgram
from warplens.server.measure.calibration.cpu_run import CpuRun
from warplens.server.measure.kernel_times.toolchain import BuildError
from warplens.server.programs.programs import ANYWHERE

MACHINE = CpuMachine("Synthetic CPU", "riscv64", 4, 16384, False, (StatedCache(1, 65536, 4, 128, 1),))
PROGRAM = CpuProgram(Path("calibrate_cpu"), "/usr/bin/cc", "", ANYWHERE)


def lines(quantity: str, *samples: float, unit: str = "MHz", series: str = "value") -> list[str]:
    fields = {"quantity": quantity, "series": series, "x": {}, "unit": unit, "samples": samples}
    return [json.dumps(fields), json.dumps({"quantity": quantity, "done": True})]


def made(*written: str, machine: CpuMachine = MACHINE, name: str | None = None) -> CpuCalibration:
    return calibrated_profile(CpuRun(written, ()), machine, PROGRAM, "2026-01-01", extends="server", name=name)


CLOCK = lines("device.clock_mhz", 3000.0, 3010.0, 2990.0)


def loaded(calibration: CpuCalibration, folder: Path) -> tuple[Cpu, dict[str, Entry]]:
    path = folder / "cpu.toml"
    path.write_text(calibration.text, encoding="utf-8")
    return load_cpu(str(path)), dict(parse_profile(calibration.text, "cpu.toml", CPU_SCHEMA).entries)


@pytest.mark.parametrize("name", [None, 'A "quoted" \\ name, #1 = é 😀\x7f'])
def test_the_text_loads_as_the_same_entries(tmp_path: Path, name: str | None) -> None:
    calibration = made(*CLOCK, name=name)
    cpu, entries = loaded(calibration, tmp_path)
    assert entries == dict(calibration.entries)
    assert cpu.name == calibration.name == (name or "Synthetic CPU")
    assert entries["device.clock_mhz"].value == 3000.0
    assert entries["device.clock_mhz"].source == "warplens calibrate cpu, Synthetic CPU, 2026-01-01"
    assert entries["l1.size_bytes"].source.startswith("stated by the system, ")


def test_what_an_architecture_has_no_code_for_is_said() -> None:
    assert ("instructions, issue, loads and stores per cycle", "there is no measuring code for riscv64") in made(
        *CLOCK
    ).not_measured
    chain = lines("instructions.logic", 1.0, unit="cycles", series="dependent")
    assert made(*CLOCK, *chain).not_measured == ()


def test_a_translation_without_walks_is_said() -> None:
    memory = lines("dram.latency_ns", 90.0, unit="ns", series="dependent")
    assert "huge pages" in dict(made(*CLOCK, *memory).not_measured)["translation"]


def test_samples_that_are_far_apart_and_a_virtual_machine_are_to_mind() -> None:
    assert made(*CLOCK).notes == ()
    shaky = made(*lines("device.clock_mhz", 1000.0, 2000.0, 3000.0), machine=replace(MACHINE, is_virtual=True))
    assert "virtual machine" in shaky.notes[0]
    assert "device.clock_mhz" in shaky.notes[1]
    assert all(note in shaky.text.replace("\n# ", " ") for note in shaky.notes), "the profile says so too"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ((), "nothing was measured"),
        (CLOCK[:1], "ended within device.clock_mhz"),
        (("Segmentation fault",), "not JSON"),
        (('{"quantity":"device.clock_mhz","series":"value","unit":"MHz","samples":[NaN]}',), "finite"),
    ],
)
def test_what_the_program_did_not_write_in_full_makes_no_profile(written: tuple[str, ...], said: str) -> None:
    with pytest.raises(BuildError, match=said):
        made(*written)


def test_keys_that_begin_alike_are_one_where_all_are_inherited() -> None:
    known = (
        "l1.ways",
        "instructions.vectorises_a",
        "instructions.vectorises_b",
        "instructions.lat_a",
        "instructions.lat_b",
    )
    assert inherited_lines(known[:4], known) == ["l1: ways", "instructions: vectorises_*, lat_a"]
