"""What the program writes, on a runtime without a GPU whose kernels write made-up times: nothing here is a measurement.

Each series is as the README's table says, for the host's fits are written after that table.
"""

import json
import os
import re
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from warplens.analysis.facts.program import PROFILED_OP_CLASSES
from warplens.hwprofiles.calibrate.gpu_entries import gpu_entries
from warplens.hwprofiles.calibrate.gpu_points import gpu_points
from warplens.hwprofiles.calibrate.measurement import parse_measurements
from warplens.server.measure.calibration.gpu_program import gpu_quantities

SOURCES = Path(str(files("warplens.hwprofiles"))) / "calibrate" / "gpu"
README = (SOURCES / "README.md").read_text(encoding="utf-8")
QUANTITIES = sorted(f"{path.parent.name}.{path.stem}" for path in SOURCES.glob("*/*.cu"))
KEYS = {quantity.name: set(quantity.keys) for quantity in gpu_quantities()}
ON_SOME_GPUS = {"memory_clock_peak", "dram.theoretical_bandwidth_gb_per_s"}
"""What the made-up driver does not know, and what follows from it."""


class Described(NamedTuple):
    """A series of the README's table, without its quantity and name."""

    x: frozenset[str]
    unit: str


def quoted(cell: str) -> list[str]:
    return re.findall(r"`(\w[\w.]*)`", cell)


def described_series() -> dict[tuple[str, str], Described]:
    """By quantity and series."""
    table: dict[tuple[str, str], Described] = {}
    for line in README.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("| `") or len(cells) != 5:
            continue
        (quantity,) = quoted(cells[0])
        ops = PROFILED_OP_CLASSES if quantity == "instructions.CLASS" else ("",)
        for op in ops:
            for series in quoted(cells[1]):
                table[quantity.replace("CLASS", op), series] = Described(frozenset(quoted(cells[2])), cells[3])
    numbers = README.partition("Numbers of `device.properties`")[2]
    for names, unit in re.findall(r"((?:`\w+`,?\s+)+)\((\w+)", numbers):
        table |= {("device.properties", name): Described(frozenset(), unit) for name in quoted(names)}
    return table


SERIES = described_series()


def run(program: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program, "run", *arguments],
        capture_output=True,
        text=True,
        env=os.environ | environment,
        check=False,
        timeout=200,
    )


def lines_of(ran: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    assert (ran.returncode, ran.stderr) == (0, "")
    return [json.loads(line) for line in ran.stdout.splitlines()]


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_series_are_as_the_readme_says(host_side: Path, quantity: str) -> None:
    ran = run(host_side, quantity, "--quick")
    *series, last = lines_of(ran)
    assert last == {"quantity": quantity, "done": True}
    for line in series:
        assert line["quantity"] == quantity
        assert SERIES[quantity, line["series"]] == (frozenset(line["x"]), line["unit"])
        assert ("text" in line) != ("samples" in line)
    wanted = {name for of, name in SERIES if of == quantity} - ON_SOME_GPUS
    assert {line["series"] for line in series} == wanted
    made = gpu_entries(gpu_points(parse_measurements(ran.stdout)), "made up")
    assert {*made.entries, *made.refused} >= KEYS[quantity] - ON_SOME_GPUS


def test_the_readme_describes_nothing_else() -> None:
    assert {quantity for quantity, _ in SERIES} == set(QUANTITIES)


@pytest.mark.parametrize("quantity", ["instructions.fp32_add", "l1.size_bytes", "dram.latency_cycles", "dram.stride"])
def test_points_are_not_measured_twice(host_side: Path, quantity: str) -> None:
    *series, _ = lines_of(run(host_side, quantity, "--quick"))
    points = [(line["series"], *line["x"].values()) for line in series]
    assert len(points) == len(set(points))


@pytest.mark.parametrize(("options", "samples"), [((), 15), (("--quick",), 5)])
def test_samples_are_those_after_the_warm_up(host_side: Path, options: tuple[str, ...], samples: int) -> None:
    for quantity in ("instructions.branch", "shared.latency_cycles", "device.block_launch_cycles", "dram.stride"):
        *series, _ = lines_of(run(host_side, quantity, *options))
        assert {len(line["samples"]) for line in series} == {samples}, quantity


def test_rates_are_those_of_the_made_up_times(host_side: Path) -> None:
    """The fake's warps take 20000 cycles, and up to 2 more; each does 256 times 64 operations per lane."""
    *series, _ = lines_of(run(host_side, "instructions.fp32_fma", "--quick"))
    found = {
        (line["x"]["warps_per_sm"], line["x"]["chains"]): line["samples"][0]
        for line in series
        if line["series"] == "independent"
    }
    for (warps, _chains), rate in found.items():
        assert rate == pytest.approx(warps * 32 * 256 * 64 / 20000, rel=1e-3)
    assert {chains for _, chains in found} == {1, 4}


def test_warps_that_are_not_spread_evenly_give_no_rate(host_side: Path) -> None:
    *series, last = lines_of(run(host_side, "instructions.fp32_fma", "--quick", FAKE_SMS="3"))
    assert {line["series"] for line in series} == {"dependent"}
    assert last["done"]


def test_what_is_not_pinned_is_not_copied(host_side: Path) -> None:
    """The fake lets 1 MiB be pinned."""
    *series, _ = lines_of(run(host_side, "host.transfers", "--quick"))
    assert max(line["x"]["size_bytes"] for line in series) == 1 << 20


@pytest.mark.parametrize("call", ["cudaMalloc", "cudaMemcpy", "cudaGetLastError", "cudaDeviceSynchronize"])
def test_a_call_that_fails_is_said_and_nothing_is_done(host_side: Path, call: str) -> None:
    ran = run(host_side, "l2.latency_cycles", "--quick", FAKE_FAILS=call)
    assert ran.returncode == 1
    assert re.search(rf"\.cuh?:\d+: {call}\(.*\): cudaErrorMemoryAllocation: out of memory\n$", ran.stderr)
    assert "done" not in ran.stdout


def test_a_clock_that_stands_still_is_no_bandwidth(host_side: Path) -> None:
    ran = run(host_side, "dram.bandwidth_gb_per_s", "--quick", FAKE_FAILS="clock")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "stood still" in ran.stderr
