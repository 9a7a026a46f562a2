"""`warplens calibrate gpu`'s program in a kit: a step for each quantity."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from accuracy.gpu_day.nvcc_targets import target_flags
from accuracy.gpu_day.there.steps import Step
from support.nvidia_tools import nvidia_tools_on_path
from warplens.server.measure.calibration.gpu_program import build_gpu_program, gpu_quantities, miscompiled
from warplens.server.measure.calibration.gpu_run import DEVICE, SEVERAL_PROCESSES
from warplens.server.measure.kernel_times.toolchain import BuildError
from warplens.server.programs.programs import ANYWHERE

FOLDER = "calibrate"
_SECTIONS = ("device", "dram", "l2", "host", "shared", "l1", "instructions", "atomics")
"""Atomics last: no key of a profile is made of them. Without the device's properties there is no profile."""
_PROCESS_S = 1.2
"""Starting, the GPU's context, and 150 ms that raise the clock."""
_ESTIMATES_S = {
    "host.transfers": 12.0,
    "dram.latency_cycles": 6.0,
    "dram.bytes_in_flight": 5.0,
    "dram.bandwidth_gb_per_s": 3.0,
    "dram.stride": 3.0,
    "l1.size_bytes": 8.0,
    "l1.latency_cycles": 2.0,
    "l2.latency_cycles": 3.0,
    "atomics.same_address": 4.0,
    "atomics.spread": 4.0,
    "device.sm_clock_mhz": 2.5,
}
"""Those that take much longer than their process."""


@dataclass(frozen=True, slots=True)
class BuiltCalibration:
    """The step that identifies the GPU, one for each quantity, and quantities that were compiled to something else."""

    identify: Step
    steps: tuple[Step, ...]
    refused: tuple[str, ...]


ON_CPU = BuiltCalibration(
    Step(
        id="identify",
        stage="calibrate",
        digest="on the CPU",
        folder=".",
        argv=("echo", '{"series": "name", "text": "no GPU, CUDA on the CPU"}'),
    ),
    (),
    (),
)
"""Of a kit that runs without a GPU."""


def built_calibration(kit: Path) -> BuiltCalibration:
    """Build the program and check its machine code; raises BuildError."""
    folder = kit / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    program = build_gpu_program(folder, target_flags(), ANYWHERE)
    try:
        with nvidia_tools_on_path():
            wrong = miscompiled(program, folder)
    except BuildError as error:
        wrong = {}
        unchecked = (f"what the compiler made of the kernels of `calibrate gpu` is not checked: {error}",)
    else:
        unchecked = ()
    steps = tuple(
        step for step in calibration_steps(program.path.name, program.digest) if step.about["quantity"] not in wrong
    )
    identify = next(step for step in steps if step.about["quantity"] == DEVICE)
    return BuiltCalibration(identify, steps, (*(f"{quantity}: {why}" for quantity, why in wrong.items()), *unchecked))


def calibration_steps(program: str, digest: str) -> tuple[Step, ...]:
    """A step for each quantity, what says most first: `program` is a file's name, `digest` that of its sources."""
    names = [quantity.name for quantity in gpu_quantities()]
    names.sort(key=lambda name: (name != DEVICE, _SECTIONS.index(name.partition(".")[0])))
    return tuple(_step(name, program, digest) for name in names)


def _step(quantity: str, program: str, digest: str) -> Step:
    repeat = SEVERAL_PROCESSES.get(quantity, 1)
    return Step(
        id=f"calibrate/{quantity}",
        stage="calibrate",
        digest=f"{digest} {quantity}",
        folder=FOLDER,
        argv=(f"./{program}", "run", quantity),
        repeat=repeat,
        limit_s=90.0,
        estimate_s=max(_ESTIMATES_S.get(quantity, 0.0), repeat * _PROCESS_S),
        about={"quantity": quantity, "digest": digest},
    )
