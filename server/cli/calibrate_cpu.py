"""`warplens calibrate cpu`: measure this machine's CPU, and write a profile of it for --cpu.

Builds a C program with gcc, cc or clang and runs it for about a minute: clock, latencies and rates of instructions,
bandwidth and latency of caches and memory, page walks, the start of threads. Other programs that run meanwhile take no
time away from it, but they share caches and memory: the samples' spread is in the profile. What is not measured here
is inherited from a generic profile.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from rich.progress import Progress
from warplens.hwprofiles.loader import cpu_names, load_cpu
from warplens.hwprofiles.profile import ProfileError
from warplens.server.cli.calibrate_cpu_report import print_calibration
from warplens.server.cli.calibration_options import profile_file, quantity_progress, shown_name
from warplens.server.cli.command_help import CommandHelp
from warplens.server.cli.commands import SubParsers, failed
from warplens.server.cli.streams import write_error, write_out
from warplens.server.cli.terminal import console_for
from warplens.server.files.atomic_file import replace_file
from warplens.server.files.project import worked_on
from warplens.server.measure.calibration.cpu_machine import this_cpu
from warplens.server.measure.calibration.cpu_profile import CpuCalibration, calibrated_profile
from warplens.server.measure.calibration.cpu_program import build_cpu_program
from warplens.server.measure.calibration.cpu_run import QUICK, THOROUGH, CpuPlan, cpu_quantities, run_cpu_program
from warplens.server.measure.kernel_times.toolchain import BuildError
from warplens.server.programs.programs import Programs
from warplens.server.settings.nearest import meant

_EXIT_CODES = """exit codes:
  0  the profile is written
  1  there is no compiler, nothing could be measured, or the profile could not be written: the reason is said
  2  the command line was wrong: no such profile to extend, the file is there already
"""


def add_command(commands: SubParsers) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "cpu",
        help="measure this machine's CPU",
        description=__doc__,
        epilog=_EXIT_CODES,
        formatter_class=CommandHelp,
    )
    parser.add_argument("-o", "--output", metavar="MY-CPU.toml", type=profile_file, default=Path("my-cpu.toml"),
                        help="the profile to write (default: %(default)s)")  # fmt: skip
    parser.add_argument("--extends", metavar="NAME", type=_base, default="desktop",
                        help=f"whose values stand for what is not measured: {', '.join(cpu_names())} "
                        "(default: %(default)s)")  # fmt: skip
    parser.add_argument(
        "--name", metavar="NAME", type=shown_name, help="the CPU's name (default: what the system calls it)"
    )
    parser.add_argument("--quick", action="store_true", help="fewer samples: some seconds, and less to rely on")
    parser.add_argument("--force", action="store_true", help="replace the file if it is there")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="(default: %(default)s)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Measure, write and print; 2 for a file that is there already, 1 for what could not be done."""
    output: Path = arguments.output
    if os.path.lexists(output) and not arguments.force:
        return failed(str(output), "is there already; --force replaces it", 2)
    try:
        if not output.absolute().parent.is_dir():
            return failed(str(output), f"there is no folder {output.parent}", 2)
        with tempfile.TemporaryDirectory(prefix="warplens-calibrate-") as folder:
            made = _calibrate(arguments, Path(folder))
            cpu = _checked(made.text, Path(folder))
        replace_file(output, made.text.encode())
    except (BuildError, OSError, ProfileError) as error:
        return failed("calibrate cpu", str(error))
    print_calibration(console_for(arguments.color), made, arguments.extends)
    write_out(f"\nWrote {output}: {cpu}. Use it with --cpu {output}\n")
    return 0


def _calibrate(arguments: argparse.Namespace, folder: Path) -> CpuCalibration:
    """Raises BuildError."""
    plan = QUICK if arguments.quick else THOROUGH
    machine = this_cpu()
    program = build_cpu_program(folder, Programs.outside_of(worked_on()))
    quantities = cpu_quantities(program, folder)
    write_error(f"warplens: measuring {machine.name} with what {program.compiler} built\n")
    with _progress(plan, len(quantities)) as progress:
        task = progress.add_task("", total=plan.rounds * len(quantities))
        ran = run_cpu_program(
            program, quantities, machine, plan, folder, lambda name: progress.update(task, advance=1, description=name)
        )
    today = datetime.now(UTC).date().isoformat()
    return calibrated_profile(ran, machine, program, today, extends=arguments.extends, name=arguments.name)


def _checked(text: str, folder: Path) -> str:
    """Load the profile as a user's is loaded, and say in a word what it is of; raises ProfileError."""
    path = folder / "profile.toml"
    path.write_text(text, encoding="utf-8")
    cpu = load_cpu(str(path))
    return f"{cpu.name}, {cpu.core_count} cores at {cpu.clock_hz / 1e9:.2f} GHz"


def _progress(plan: CpuPlan, quantity_count: int) -> Progress:
    progress = quantity_progress()
    if progress.disable:
        write_error(f"warplens: {quantity_count} quantities, in {plan.rounds} rounds\n")
    return progress


def _base(name: str) -> str:
    if name not in cpu_names():
        raise argparse.ArgumentTypeError(f"no CPU profile {name!r} comes with warplens: {meant(name, cpu_names())}")
    return name
