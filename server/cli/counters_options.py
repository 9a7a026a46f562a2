"""What the commands on counters have in common: sizes, models, and the choice of a kernel in one."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from warplens.analysis.advice.studied_kernel import StudiedKernel
from warplens.server.files.folder_files import MODEL_SUFFIX
from warplens.server.measure.counters.asked_sizes import Sweep, sizes_in_name, sweep_of
from warplens.server.measure.counters.reading.formats import ReadOptions
from warplens.server.settings.nearest import meant


class CountersCommandError(Exception):
    """Why a command can't be done, and what its exit code is."""

    def __init__(self, where: str, message: str, code: int = 1) -> None:
        super().__init__(where, message)
        self.where, self.message, self.code = where, message, code


def sweep(text: str) -> Sweep:
    """NAME=SIZE,SIZE,..; raises ArgumentTypeError."""
    try:
        return sweep_of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def model_path(text: str) -> Path:
    """A model's file ends in `.counters`; raises ArgumentTypeError."""
    if not text.endswith(MODEL_SUFFIX):
        raise argparse.ArgumentTypeError(f"{text!r} does not end in {MODEL_SUFFIX}, as a model's file must")
    return Path(text)


def add_reading_options(parser: argparse.ArgumentParser, sizes: str) -> None:
    """Declare what the files don't say; `sizes` is what -D is for."""
    parser.add_argument("-D", "--size", dest="sizes", metavar="NAME=SIZE", type=sweep, action="append", default=[],
                        help=sizes)  # fmt: skip
    parser.add_argument("--sizes-from-name", metavar="PATTERN", default="",
                        help="where the files' names say the sizes: 'mm_{n}.csv' (n=256,m=64.csv is understood as it "
                        "is)")  # fmt: skip
    table = parser.add_argument_group("plain tables", "which columns hold what")
    table.add_argument("--kernel-column", metavar="NAME", default="kernel", help="(default: %(default)s)")
    table.add_argument("--gpu-column", metavar="NAME", default="gpu", help="(default: %(default)s)")
    table.add_argument("--time-column", metavar="NAME", default="", help="(default: time_s, time_ms, time_us, time_ns)")
    table.add_argument("--time-unit", metavar="UNIT", choices=("s", "ms", "us", "ns"), default="",
                       help="of --time-column: s, ms, us or ns")  # fmt: skip
    table.add_argument("--size-column", metavar="NAME", action="append", default=[],
                       help="a problem size; may be given several times (default: n, and size:NAME)")  # fmt: skip


def read_options(arguments: argparse.Namespace, files: Sequence[Path], gpu: str = "") -> ReadOptions:
    """As the command line says; raises CountersCommandError."""
    given: dict[str, float] = {}
    for name, values in arguments.sizes:
        if len(values) > 1 or name in given:
            raise CountersCommandError("-D", f"{name} has one size here: all runs of the files are of that size", 2)
        given[name] = values[0]
    sizes = {}
    for path in files:
        try:
            sizes[str(path)] = given | sizes_in_name(path, arguments.sizes_from_name)
        except ValueError as error:
            raise CountersCommandError(str(path), str(error), 2) from error
    return ReadOptions(
        kernels=frozenset(getattr(arguments, "kernels", ())),
        kernel_column=arguments.kernel_column,
        gpu_column=arguments.gpu_column,
        time_column=arguments.time_column,
        time_unit=arguments.time_unit,
        size_columns=tuple(arguments.size_column),
        sizes=sizes,
        gpu=gpu,
    )


def chosen(kernels: Sequence[StudiedKernel], kernel: str, gpu: str) -> tuple[StudiedKernel, ...]:
    """Those with this name and on this GPU, all where nothing is asked for; raises CountersCommandError if none is."""
    found = tuple(
        one
        for one in kernels
        if (not kernel or one.fit.kernel == kernel) and (not gpu or gpu in {one.gpu, one.profile})
    )
    if found:
        return found
    names = tuple(dict.fromkeys(one.fit.kernel for one in kernels))
    if kernel and kernel not in names:
        raise CountersCommandError("--kernel", f"no kernel {kernel!r} was fitted: {meant(kernel, names)}", 2)
    gpus = tuple(dict.fromkeys(one.gpu for one in kernels if not kernel or one.fit.kernel == kernel))
    raise CountersCommandError("--gpu", f"not fitted on {gpu!r}: {meant(gpu, gpus)}", 2)
