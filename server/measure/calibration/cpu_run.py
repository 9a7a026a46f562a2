"""Running the program that measures a CPU: every quantity in several rounds, for a shared machine changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from warplens.hwprofiles.calibrate.cpu_machine import CpuMachine
from warplens.server.measure.calibration.cpu_program import CpuProgram
from warplens.server.measure.kernel_times.toolchain import BuildError, Finished, last_lines, run_tool

_LIMIT_S = 300.0
_LEVELS = (1, 2, 3)
_BY_CPU_TIME = "dram.bandwidth_all_cores_gb_per_s"
"""Threads that wait for others must sleep here, for the CPU time of all counts. Elsewhere the user's setting does."""


@dataclass(frozen=True, slots=True)
class CpuPlan:
    """How often each quantity is measured: `samples` in each of the rounds."""

    rounds: int
    samples: int


THOROUGH = CpuPlan(rounds=5, samples=5)
QUICK = CpuPlan(rounds=1, samples=3)


@dataclass(frozen=True, slots=True)
class CpuRun:
    """What the program wrote, and the quantities that it could not measure with the reason."""

    lines: tuple[str, ...]
    refused: tuple[tuple[str, str], ...]


def cpu_quantities(program: CpuProgram, folder: Path) -> tuple[str, ...]:
    """What the program measures on this architecture; raises BuildError."""
    environment = program.programs.environment()
    finished = run_tool([str(program.path), "list"], folder, _LIMIT_S, "the measuring program", environment)
    if finished.code:
        raise BuildError(f"the measuring program failed: {_why(finished)}")
    return tuple(finished.output.split())


def run_cpu_program(
    program: CpuProgram,
    quantities: tuple[str, ...],
    machine: CpuMachine,
    plan: CpuPlan,
    folder: Path,
    at_each: Callable[[str], None],
) -> CpuRun:
    """Measure each quantity in a process of its own, so that one that fails is one; `at_each` is told which begins.

    What fails once is not tried again.
    """
    sizes = [str(machine.cache_bytes(level)) for level in _LEVELS]
    lines: list[str] = []
    refused: dict[str, str] = {}
    for _ in range(plan.rounds):
        for quantity in quantities:
            at_each(quantity)
            if quantity in refused:
                continue
            command = [str(program.path), "run", quantity, str(plan.samples), *sizes]
            environment = _environment(program, quantity, machine)
            try:
                finished = run_tool(command, folder, _LIMIT_S, f"the program that measures {quantity}", environment)
            except BuildError as error:
                refused[quantity] = str(error)
                continue
            if finished.code:
                refused[quantity] = _why(finished)
            else:
                lines += finished.output.splitlines()
    return CpuRun(tuple(lines), tuple(refused.items()))


def _environment(program: CpuProgram, quantity: str, machine: CpuMachine) -> dict[str, str]:
    settings = {"OMP_NUM_THREADS": str(machine.core_count), "OMP_DYNAMIC": "false"}
    if quantity == _BY_CPU_TIME:
        settings["OMP_WAIT_POLICY"] = "passive"
    return program.programs.environment() | settings


def _why(finished: Finished) -> str:
    return last_lines(finished.messages) or f"exit code {finished.code}"
