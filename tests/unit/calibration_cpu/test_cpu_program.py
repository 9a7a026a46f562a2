"""The program that measures a CPU: built without a warning, and run for what takes little time."""

from __future__ import annotations

import os
import platform
import shutil
from pathlib import Path

import pytest
from warplens.hwprofiles.calibrate.cpu_machine import CpuMachine, StatedCache
from warplens.hwprofiles.calibrate.measurement import parse_measurements
from warplens.server.measure.calibration.cpu_program import CpuProgram, build_cpu_program
from warplens.server.measure.calibration.cpu_run import CpuPlan, cpu_quantities, run_cpu_program
from warplens.server.measure.kernel_times.toolchain import BuildError, run_tool
from warplens.server.programs.programs import ANYWHERE

MACHINE = CpuMachine("any", platform.machine(), 1, 4096, False, (StatedCache(1, 32768, 8, 64, 1),))
PLAN = CpuPlan(rounds=2, samples=1)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> CpuProgram:
    return build_cpu_program(
        tmp_path_factory.mktemp("calibrate_cpu"), ANYWHERE, "-Werror", "-pedantic", "-Wno-overlength-strings"
    )


def _run(program: CpuProgram, *quantities: str) -> tuple[dict[tuple[str, str], list[float]], dict[str, str]]:
    told: list[str] = []
    ran = run_cpu_program(program, quantities, MACHINE, PLAN, program.path.parent, told.append)
    assert told == [*quantities] * PLAN.rounds
    samples: dict[tuple[str, str], list[float]] = {}
    for one in parse_measurements("\n".join(ran.lines)):
        samples.setdefault((one.quantity, one.series), []).extend(one.samples)
    return samples, dict(ran.refused)


def test_a_clock_and_a_latency_lie_in_the_bounds_of_any_machine(program: CpuProgram) -> None:
    samples, refused = _run(program, "device.clock_mhz", "l1.latency_ns")
    assert refused == {}
    assert len(samples["device.clock_mhz", "value"]) == PLAN.rounds
    assert all(50 < mhz < 20_000 for mhz in samples["device.clock_mhz", "value"])
    assert all(0.05 < ns < 1000 for ns in samples["l1.latency_ns", "dependent"])


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the chains of instructions are those of x86-64")
def test_a_chain_takes_cycles(program: CpuProgram) -> None:
    samples, _ = _run(program, "instructions.fp32_mul")
    assert all(0.2 < cycles < 200 for cycles in samples["instructions.fp32_mul", "dependent"])
    assert all(0.01 < cycles < 50 for cycles in samples["instructions.fp32_mul", "independent"])


def test_what_needs_a_cache_that_is_not_known_is_refused_and_the_rest_goes_on(program: CpuProgram) -> None:
    samples, refused = _run(program, "l2.latency_ns", "device.clock_mhz")
    assert refused == {"l2.latency_ns": "the size of a cache is not known"}
    assert set(samples) == {("device.clock_mhz", "value")}


def test_the_list_is_what_runs_and_nothing_else_does(program: CpuProgram) -> None:
    listed = cpu_quantities(program, program.path.parent)
    assert len(set(listed)) == len(listed)
    assert {"device.clock_mhz", "translation", "dram.latency_ns"} <= set(listed)
    command = [str(program.path), "run", "no.such", "1", "1", "1", "1"]
    finished = run_tool(command, program.path.parent, 60, "it", os.environ)
    assert (finished.code, finished.output) == (2, "")


def test_without_openmp_there_is_nothing_of_threads(tmp_path: Path) -> None:
    built = build_cpu_program(tmp_path, ANYWHERE, "-Werror", "-U_OPENMP")
    listed = cpu_quantities(built, tmp_path)
    assert "dram.bandwidth_one_core_gb_per_s" in listed
    assert not {"dram.bandwidth_all_cores_gb_per_s", "device.parallel_region_overhead_us"} & set(listed)


def test_no_compiler_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BuildError, match="gcc or cc or clang is not on PATH"):
        build_cpu_program(tmp_path, ANYWHERE)


def test_a_compiler_that_knows_no_openmp_still_builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = shutil.which("gcc") or shutil.which("cc")
    stub = tmp_path / "bin" / "gcc"
    stub.parent.mkdir()
    refuse = 'for one in "$@"; do [ "$one" = -fopenmp ] && { echo "no OpenMP" >&2; exit 1; }; done'
    stub.write_text(f'#!/bin/sh\n{refuse}\nexec {real} "$@"\n', encoding="utf-8")
    stub.chmod(0o755)
    monkeypatch.setenv("PATH", f"{stub.parent}:/usr/bin:/bin")
    (tmp_path / "build").mkdir()
    built = build_cpu_program(tmp_path / "build", ANYWHERE)
    assert "OpenMP" in built.no_threads
    assert "device.parallel_region_overhead_us" not in cpu_quantities(built, tmp_path)
