"""Running the program that measures a CPU: every quantity in several rounds, for a shared machine changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from warplens.hwprofiles.calibrate.cpu_machine import CpuMachine
from warplens.server.measure.calibration.cpu_program import CpuProgram
from warplens.server.measure.kernel_times.toolchain import BuildError, Finished, find_tool, last_lines, run_tool

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
    finished = run_tool([str(program.path), "list"], folder, _LIMIT_S, "the measuring program")
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

    What fails once is not tried again. Raises BuildError: there is no `env`.
    """
    lines: list[str] = []
    refused: dict[str, str] = {}
    for _ in range(plan.rounds):
        for quantity in quantities:
            at_each(quantity)
            if quantity in refused:
                continue
            command = _command(program, quantity, machine, plan)
            try:
                finished = run_tool(command, folder, _LIMIT_S, f"the program that measures {quantity}")
            except BuildError as error:
                refused[quantity] = str(error)
                continue
            if finished.code:
                refused[quantity] = _why(finished)
            else:
                lines += finished.output.splitlines()
    return CpuRun(tuple(lines), tuple(refused.items()))


def _command(program: CpuProgram, quantity: str, machine: CpuMachine, plan: CpuPlan) -> list[str]:
    settings = [f"OMP_NUM_THREADS={machine.core_count}", "OMP_DYNAMIC=false"]
    if quantity == _BY_CPU_TIME:
        settings.append("OMP_WAIT_POLICY=passive")
    sizes = [str(machine.cache_bytes(level)) for level in _LEVELS]
    return [find_tool("env"), *settings, str(program.path), "run", quantity, str(plan.samples), *sizes]


def _why(finished: Finished) -> str:
    return last_lines(finished.messages) or f"exit code {finished.code}"
