"""`warplens calibrate gpu`: measure the GPU of this machine, and write a profile of it for --gpu.

Builds a CUDA program with nvcc and runs it for some minutes: latency and rate of every class of instructions, shared
memory, L1, L2 and DRAM, copies to and from the host, launches. Each quantity is kept as soon as it is measured, so that
a run that was ended goes on where it was. What is not measured is taken from the profile that is most like it. With
--update the measured values go into a profile of this GPU that is there already, and all else in it stays.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from warplens.hwprofiles.calibrate.measurement import MeasurementError
from warplens.hwprofiles.loader import gpu_names, load_gpu
from warplens.hwprofiles.profile import ProfileError
from warplens.server.cli.arguments import names, seconds
from warplens.server.cli.calibrate_gpu_report import print_gpu_calibration
from warplens.server.cli.calibration_options import profile_file, quantity_progress, shown_name
from warplens.server.cli.command_help import CommandHelp
from warplens.server.cli.commands import SubParsers, failed
from warplens.server.cli.streams import write_error, write_out
from warplens.server.cli.terminal import console_for
from warplens.server.cli.updated_profile_report import print_updated_profile
from warplens.server.files.atomic_file import replace_file
from warplens.server.files.output_file import PAGE, RAW_RESULTS, require_replaceable, write_output
from warplens.server.files.project import worked_on
from warplens.server.measure.calibration.gpu_profile import GpuCalibration, calibrated_gpu
from warplens.server.measure.calibration.gpu_program import GpuProgram, build_gpu_program, gpu_quantities, miscompiled
from warplens.server.measure.calibration.gpu_results import GpuResults, ResultsError, load_results
from warplens.server.measure.calibration.gpu_run import DEVICE, GpuPlan, measure_gpu, measured_device
from warplens.server.measure.calibration.gpu_sheet import gpu_sheet
from warplens.server.measure.calibration.gpu_update import (
    UpdatedProfile,
    WrongGpuError,
    gpu_profile_at,
    require_gpu_of,
    updated_profile,
    write_update,
)
from warplens.server.measure.kernel_times.build_folder import build_folder
from warplens.server.measure.kernel_times.toolchain import BuildError
from warplens.server.programs.programs import Programs
from warplens.server.settings.nearest import meant

_EXIT_CODES = """exit codes:
  0  everything was measured, and the profile is written
  1  there is no GPU or no nvcc, or something could not be measured: it is said, what was measured is written;
     a profile that would contradict itself is not
  2  the command line was wrong: no such quantity or profile, the file is there already, the profile to update is of
     another GPU
"""


def add_command(commands: SubParsers) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "gpu",
        help="measure this machine's GPU",
        description=__doc__,
        epilog=_EXIT_CODES,
        formatter_class=CommandHelp,
    )
    written = parser.add_mutually_exclusive_group()
    written.add_argument("-o", "--output", metavar="MY-GPU.toml", type=profile_file, default=Path("my-gpu.toml"),
                         help="the profile to write (default: %(default)s); raw results go beside it, into "
                         "MY-GPU.raw.jsonl, curves into MY-GPU.html")  # fmt: skip
    written.add_argument("--update", metavar="PROFILE.toml", type=_gpu_file,
                         help="put what is measured into this profile of the same GPU, in place of what was assumed, "
                         "recalled, derived or measured otherwise; what the maker promises and fits stay")  # fmt: skip
    parser.add_argument("--extends", metavar="NAME", type=_base,
                        help="whose values stand for what is not measured (default: the GPU most like it)")  # fmt: skip
    parser.add_argument("--name", metavar="NAME", type=shown_name, help="the GPU's name (default: what it says)")
    parser.add_argument("--only", metavar="A,B", type=_quantities, default=(), help="measure these quantities alone")
    parser.add_argument("--again", action="store_true", help="measure anew what was measured before")
    parser.add_argument("--quick", action="store_true", help="fewer samples of fewer points: less to rely on")
    parser.add_argument("--arch", metavar="sm_90", type=_architecture, default="native",
                        help="build for this architecture (default: that of the GPU)")  # fmt: skip
    parser.add_argument("--quantity-limit", metavar="S", type=seconds, default=300.0,
                        help="end the measurement of a quantity after this (default: %(default)g s)")  # fmt: skip
    parser.add_argument("--keep", metavar="DIR", type=Path, help="build here, and leave the program there")
    parser.add_argument("--from-raw", metavar="FILE", type=Path, help="measure nothing: take these raw results")
    parser.add_argument("--force", action="store_true", help="replace the profile if it is there")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="(default: %(default)s)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Measure, write and print; 2 for a file that must not be written, 1 for what could not be done."""
    output: Path = arguments.update or arguments.output
    if wrong := _wrong_file(arguments, output):
        return failed(str(output), wrong, 2)
    refused: dict[str, str] = {}
    raw = output.with_suffix(".raw.jsonl")
    updated: UpdatedProfile | None = None
    try:
        for path, kind in ((output.with_suffix(".html"), PAGE), (raw, RAW_RESULTS)):
            require_replaceable(path, kind)
        if arguments.from_raw is not None:
            results = load_results(arguments.from_raw)
            if results is None:
                return failed(str(arguments.from_raw), "there is no such file", 2)
            _require_gpu(arguments.update, results.device, results.lines.get(DEVICE, ""))
        else:
            results, refused = _measured(arguments, raw)
        base = load_gpu(str(output)).id if arguments.update else arguments.extends
        made = calibrated_gpu(results, extends=base, name=arguments.name)
        if arguments.update:
            updated = _update(made, output, refused, draws=arguments.from_raw is None)
        else:
            _write(made, output, refused)
    except WrongGpuError as error:
        return failed(str(output), str(error), 2)
    except KeyboardInterrupt:
        return failed("calibrate gpu", f"ended; what was measured is in {raw}, the same command goes on from there")
    except (BuildError, MeasurementError, OSError, ProfileError, ResultsError) as error:
        return failed("calibrate gpu", str(error))
    if updated is not None:
        print_updated_profile(console_for(arguments.color), updated, made, refused)
        done = f"Wrote {output}, comments as they were." if updated.is_changed else f"{output} is as it was."
    else:
        print_gpu_calibration(console_for(arguments.color), made, refused)
        done = f"Wrote {output}: {load_gpu(str(output)).name}. Use it with --gpu {output}."
    has_sheet = updated is None or arguments.from_raw is None
    curves = f" Curves and fits: {output.with_suffix('.html')}" if has_sheet else ""
    write_out(f"\n{done}{curves}\n")
    return 1 if refused or made.made.refused else 0


def _wrong_file(arguments: argparse.Namespace, output: Path) -> str:
    """Why a file can't be written as the command line says; empty where it can."""
    if arguments.update:
        stays = "--update changes neither a profile's name nor what it extends: --name and --extends go with -o"
        return stays if arguments.name or arguments.extends else ""
    if os.path.lexists(output) and not arguments.force:
        return "is there already; --force replaces it, --update puts what is measured into it"
    return "" if output.absolute().parent.is_dir() else f"there is no folder {output.parent}"


def _require_gpu(updated: Path | None, device: str, properties: str) -> None:
    """Raise WrongGpuError where a profile is to be updated that is another GPU's."""
    if updated is not None:
        require_gpu_of(gpu_profile_at(updated), device, properties)


def _measured(arguments: argparse.Namespace, raw: Path) -> tuple[GpuResults, dict[str, str]]:
    """Results of this run and of earlier ones, and what could not be measured.

    Raises WrongGpuError before anything else is measured, BuildError and ResultsError.
    """
    plan = GpuPlan(arguments.quantity_limit, arguments.quick)
    wanted = [quantity.name for quantity in gpu_quantities() if quantity.name != DEVICE]
    wanted = [name for name in wanted if not arguments.only or name in arguments.only]
    programs = Programs.outside_of(worked_on())
    with build_folder(arguments.keep, "calibrate", programs) as folder:
        write_error("warplens: building the measuring program (about a minute)\n")
        program = build_gpu_program(folder, (f"-arch={arguments.arch}",), programs)
        device, lines = measured_device(program, plan, folder)
        _require_gpu(arguments.update, device, lines)
        wrong = _miscompiled(program, folder)
        wanted = [name for name in wanted if name not in wrong]
        results = _earlier(
            raw, device, f"{program.digest}{' quick' if plan.is_quick else ''}", is_again=arguments.again
        )
        if arguments.again:
            results.lines = {name: kept for name, kept in results.lines.items() if name not in wanted}
        results.lines[DEVICE] = lines
        write_error(f"warplens: measuring {device}, {len(wanted)} quantities\n")
        with quantity_progress() as progress:
            task = progress.add_task("", total=len(wanted))

            def at_each(quantity: str, problem: str) -> None:
                if problem:
                    progress.console.print(f"{quantity}: {problem}", markup=False)
                else:
                    progress.update(task, advance=1, description=quantity)

            failures = measure_gpu(program, wanted, plan, results, raw, folder, at_each)
    for quantity in wrong:
        results.lines.pop(quantity, None)
    return results, wrong | failures


def _miscompiled(program: GpuProgram, folder: Path) -> dict[str, str]:
    """Quantities whose kernels are not what they shall measure, as the disassembler says; raises BuildError."""
    try:
        return miscompiled(program, folder)
    except BuildError as error:
        write_error(f"warplens: what the compiler made of the kernels is not checked: {error}\n")
        return {}


def _earlier(raw: Path, device: str, digest: str, *, is_again: bool) -> GpuResults:
    """What an earlier run measured of the same GPU in the same way; raises ResultsError for another's results."""
    found = load_results(raw)
    if found is not None and (found.device, found.digest) == (device, digest):
        return found
    if found is not None and not is_again:
        what = f"has results of another GPU ({found.device}), another program, or of --quick"
        raise ResultsError(f"{raw} {what}: --again replaces it, another -o leaves it")
    return GpuResults(device, digest, datetime.now(UTC).date().isoformat())


def _write(made: GpuCalibration, output: Path, refused: dict[str, str]) -> None:
    """Write profile and sheet, after the profile was loaded as a user's is; raises ProfileError and OSError."""
    with tempfile.TemporaryDirectory(prefix="warplens-calibrate-") as folder:
        path = Path(folder) / "profile.toml"
        path.write_text(made.text, encoding="utf-8")
        load_gpu(str(path))
    write_output(output.with_suffix(".html"), gpu_sheet(made, refused).encode(), PAGE)
    replace_file(output, made.text.encode())


def _update(made: GpuCalibration, output: Path, refused: dict[str, str], *, draws: bool) -> UpdatedProfile:
    """Change the profile, and draw the sheet beside it where it was measured now; raises ProfileError and OSError."""
    updated = updated_profile(output, made.made.entries)
    if draws:
        write_output(output.with_suffix(".html"), gpu_sheet(made, refused).encode(), PAGE)
    write_update(updated)
    return updated


def _gpu_file(text: str) -> Path:
    try:
        gpu_profile_at(profile_file(text))
    except ProfileError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return Path(text)


def _base(name: str) -> str:
    try:
        return load_gpu(name).id
    except ProfileError:
        raise argparse.ArgumentTypeError(
            f"no GPU profile {name!r} comes with warplens: {meant(name, gpu_names())}"
        ) from None


def _quantities(text: str) -> tuple[str, ...]:
    known = [quantity.name for quantity in gpu_quantities()]
    for name in names(text):
        if name not in known:
            raise argparse.ArgumentTypeError(f"there is no quantity {name!r}: {meant(name, known)}")
    return names(text)


def _architecture(text: str) -> str:
    if text != "native" and not (text.startswith("sm_") and text[3:].isalnum()):
        raise argparse.ArgumentTypeError(f"{text!r} is no architecture such as sm_90")
    return text
