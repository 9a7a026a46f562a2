"""Running the program that measures a GPU: each quantity in a process of its own, kept as soon as it has ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from warplens.hwprofiles.calibrate.gpu_points import gpu_points
from warplens.hwprofiles.calibrate.measurement import MeasurementError, parse_measurements
from warplens.server.measure.calibration.gpu_program import GpuProgram
from warplens.server.measure.calibration.gpu_results import GpuResults, save_results
from warplens.server.measure.kernel_times.toolchain import BuildError, NoGpuError, last_lines, run_tool

DEVICE = "device.properties"
"""Measured first: it says which GPU it is."""

_NO_GPU = 4
SEVERAL_PROCESSES = {"host.context_init_ms": 5}
"""Quantities that a process can measure once."""


@dataclass(frozen=True, slots=True)
class GpuPlan:
    """`limit_s`: of one quantity. `is_quick`: fewer samples of fewer points."""

    limit_s: float
    is_quick: bool


def measured_device(program: GpuProgram, plan: GpuPlan, folder: Path) -> tuple[str, str]:
    """The GPU's name and the lines that say what it is; raises NoGpuError and BuildError."""
    lines = _run(program, DEVICE, plan, folder)
    name = gpu_points(parse_measurements(lines)).text(DEVICE, "name")
    if not name:
        raise BuildError("the measuring program does not say which GPU it is")
    return name, lines


def measure_gpu(
    program: GpuProgram,
    quantities: Sequence[str],
    plan: GpuPlan,
    results: GpuResults,
    raw: Path,
    folder: Path,
    at_each: Callable[[str, str], None],
) -> dict[str, str]:
    """Measure what `results` does not have, and write them after each quantity; give those that failed, and why.

    `at_each` is told which quantity begins, and what came of the one before. Raises NoGpuError and OSError; what was
    measured until then is kept.
    """
    refused: dict[str, str] = {}
    for quantity in quantities:
        at_each(quantity, "")
        if quantity in results.lines:
            continue
        try:
            runs = 1 if plan.is_quick else SEVERAL_PROCESSES.get(quantity, 1)
            lines = "".join(_run(program, quantity, plan, folder) for _ in range(runs))
        except NoGpuError:
            raise
        except BuildError as error:
            refused[quantity] = str(error)
            at_each(quantity, str(error))
            continue
        results.lines[quantity] = lines
        save_results(raw, results)
    return refused


def _run(program: GpuProgram, quantity: str, plan: GpuPlan, folder: Path) -> str:
    """The lines of a quantity, checked; raises NoGpuError and BuildError."""
    command = [str(program.path), "run", quantity, *(["--quick"] if plan.is_quick else [])]
    environment = program.programs.environment()
    finished = run_tool(command, folder, plan.limit_s, f"the program that measures {quantity}", environment)
    if finished.code == _NO_GPU:
        raise NoGpuError(last_lines(finished.messages) or "no GPU")
    if finished.code:
        raise BuildError(last_lines(finished.messages) or f"exit code {finished.code}")
    try:
        parse_measurements(finished.output)
    except MeasurementError as error:
        raise BuildError(f"it wrote what it should not: {error}") from error
    return finished.output
