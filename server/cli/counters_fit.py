"""`warplens counters fit`: learn from a profiler's files what a kernel's time hangs on, and keep it as a model.

Reads what `ncu --csv` (raw and details pages) and `nvprof --csv` (metrics, events, traces) write, and plain tables,
also compressed. Each kernel is fitted on each GPU that has runs of it: a forest finds what the time hangs on, splines
carry the counters to other sizes, and how far off that is is measured on sizes that were left out. In
.warplens/counters the editor finds the model, and shows it beside the loops of that name.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from warplens.analysis.advice.studied_kernel import StudiedKernel
from warplens.analysis.counters.counter_table import CounterTable, kernels_in, part_of
from warplens.analysis.counters.predictors import TooFewRunsError
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.hwprofiles.counter_metrics import counter_vocabulary
from warplens.hwprofiles.loader import load_gpu
from warplens.server.cli.arguments import gpu, names
from warplens.server.cli.calibration_options import steps_progress
from warplens.server.cli.command_help import CommandHelp
from warplens.server.cli.commands import SubParsers, failed
from warplens.server.cli.counters_options import (
    CountersCommandError,
    add_reading_options,
    model_path,
    read_options,
)
from warplens.server.cli.layout import print_list, print_table
from warplens.server.cli.streams import write_error, write_out
from warplens.server.cli.terminal import console_for
from warplens.server.files.atomic_file import make_folder
from warplens.server.files.folder_files import MODEL_SUFFIX, MODELS
from warplens.server.files.project import worked_on
from warplens.server.measure.counters.extra import FITTING, missing_extra
from warplens.server.measure.counters.fit_table import fit_table
from warplens.server.measure.counters.known_gpu import known_gpu
from warplens.server.measure.counters.model_file import ModelFileError, save_model
from warplens.server.measure.counters.reading.counter_file_error import CounterFileError
from warplens.server.measure.counters.reading.read_counter_files import read_counter_files
from warplens.server.programs.programs import Programs

_EXIT_CODES = """exit codes:
  0  the model is written
  1  a file could not be read (its line and column are said), or no kernel has runs enough
  2  the command line was wrong
"""


def add_command(commands: SubParsers) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "fit",
        help="learn what kernels' times hang on from a profiler's files",
        description=__doc__,
        epilog=_EXIT_CODES,
        formatter_class=CommandHelp,
    )
    parser.add_argument("files", metavar="FILE", type=Path, nargs="+", help="files of one or several kernels and GPUs")
    parser.add_argument("-o", "--output", metavar="MODEL.counters", type=model_path,
                        help=f"the model to write (default: in {MODELS}/, called as the file, or as the folder of "
                        "several)")  # fmt: skip
    parser.add_argument("--kernel", dest="kernels", metavar="NAMES", type=names, default=(),
                        help="only these, with commas between (default: all)")  # fmt: skip
    parser.add_argument(
        "--gpu",
        metavar="NAME",
        type=gpu,
        help="the profile of the GPU that the runs were made on (default: by the name in the files)",
    )
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="(default: %(default)s)")
    add_reading_options(parser, sizes="a problem size of all runs, where their file does not say it")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read, fit, write and print; 1 for what could not be done."""
    if (missing := missing_extra(FITTING)) is not None:
        return failed("counters fit", missing)
    if arguments.output is not None and not arguments.output.absolute().parent.is_dir():
        return failed(str(arguments.output), "there is no such folder", 2)
    known = load_gpu(arguments.gpu) if arguments.gpu else None
    try:
        table = read_counter_files(
            arguments.files, read_options(arguments, arguments.files, known.name if known else "")
        )
        found = known_gpus(table, known)
        with Programs.outside_of(worked_on(*arguments.files)).alone():
            kernels, too_few = _fitted(table, found)
        output: Path = arguments.output or Path(MODELS) / f"{_name(arguments.files)}{MODEL_SUFFIX}"
        if not kernels:
            return failed("counters fit", "; ".join(too_few) + "; nothing is written")
        if arguments.output is None:
            make_folder(output.parent)
        save_model(output, kernels)
    except CountersCommandError as error:
        return failed(error.where, error.message, error.code)
    except (CounterFileError, ModelFileError) as error:
        write_error(f"warplens: {error}\n")
        return 1
    except OSError as error:
        return failed(str(error.filename or "counters fit"), error.strerror or str(error))
    console = console_for(arguments.color)
    print_table(console, fit_table(kernels), 0, right=(2, 3, 4, 5))
    print_list(console, "Not fitted", too_few, 0)
    print_list(console, "Of the files", table.remarks, 0)
    write_out(f"\nWrote {output}. What it says in full: warplens counters report {output}\n")
    return 0


def known_gpus(table: CounterTable, known: Gpu | None) -> dict[str, Gpu | None]:
    """The profiles of the GPUs in a table, by the names that they have there; `known` is that of all of them."""
    names = {name for _, name in kernels_in(table)}
    return {name: known or known_gpu(name, (Path.cwd(),)) for name in names}


def _fitted(table: CounterTable, gpus: Mapping[str, Gpu | None]) -> tuple[tuple[StudiedKernel, ...], list[str]]:
    """What could be fitted, and why the rest could not."""
    from warplens.analysis.engine.counter_study import study_kernel  # noqa: PLC0415 - needs the extra, a second to load

    metrics = counter_vocabulary().metrics
    found: list[StudiedKernel] = []
    too_few: list[str] = []
    pairs = kernels_in(table)
    with steps_progress(50) as progress:
        task = progress.add_task("", total=len(pairs))
        for kernel, name in pairs:
            progress.update(task, description=f"{kernel} on {name}"[:50])
            try:
                found.append(study_kernel(part_of(table, kernel, name), metrics, gpus[name]))
            except TooFewRunsError as error:
                too_few.append(f"{kernel} on {name}: {error}")
            progress.advance(task)
    return tuple(found), too_few


def _name(files: Sequence[Path]) -> str:
    """Of one file its name without what says its format, of several that of the first one's folder."""
    name = files[0].absolute().parent.name if len(files) > 1 else files[0].name.removesuffix(".gz").removesuffix(".csv")
    return name or "kernels"
