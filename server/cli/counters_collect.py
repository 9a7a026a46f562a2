"""`warplens counters collect`: run a GPU program under Nsight Compute at several sizes, and keep the counters.

    warplens counters collect -D n=256,512,1024,2048 -o runs -- ./matmul {n}

runs `./matmul 256` and so on, each under ncu, and writes runs/n=256.csv and so on, which `warplens counters fit
runs/*.csv` reads. Files that are there are kept, so that a sweep that was stopped goes on. It asks for the counters
that Warplens has a word for, as far as this machine's GPU has them; the GPU's clock is left as it is.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping
from pathlib import Path

from warplens.hwprofiles.counter_metrics import counter_vocabulary
from warplens.server.cli.arguments import names, positive, seconds
from warplens.server.cli.calibration_options import steps_progress
from warplens.server.cli.command_help import CommandHelp
from warplens.server.cli.commands import SubParsers, failed
from warplens.server.cli.counters_options import sweep
from warplens.server.cli.streams import write_out
from warplens.server.files.atomic_file import make_folder
from warplens.server.files.project import worked_on
from warplens.server.measure.counters.asked_sizes import PLACEHOLDER, combinations, number_text, sizes_text
from warplens.server.measure.counters.collecting import (
    CollectError,
    Collection,
    collect_one,
    found_ncu,
    metrics_for,
    wanted_metrics,
)
from warplens.server.programs.programs import Programs

_EXIT_CODES = """exit codes:
  0  the counters of every size are in files
  1  there is no ncu or no GPU, or a run failed: the reason is said, what other runs gave is kept
  2  the command line was wrong
"""


def add_command(commands: SubParsers) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "collect",
        help="run a GPU program under Nsight Compute at several sizes",
        description=__doc__,
        epilog=_EXIT_CODES,
        formatter_class=CommandHelp,
    )
    parser.add_argument(
        "program", metavar="CMD", nargs="+", help="what to run, after `--`, with {n} where a size stands"
    )
    parser.add_argument("-D", "--size", dest="sizes", metavar="NAME=SIZES", type=sweep, action="append", default=[],
                        help="sizes to run: -D n=256,512,1024, for any number of names")  # fmt: skip
    parser.add_argument("-o", "--output", metavar="FOLDER", type=Path, default=Path("counters"),
                        help="where the files go (default: %(default)s)")  # fmt: skip
    parser.add_argument("--kernel", dest="kernels", metavar="NAMES", type=names, default=(),
                        help="only these kernels, with commas between")  # fmt: skip
    parser.add_argument("--launches", metavar="COUNT", type=positive, default=20,
                        help="of each run, at most (default: %(default)s)")  # fmt: skip
    parser.add_argument("--again", action="store_true", help="run what is in files already, too")
    parser.add_argument("--time-limit", metavar="SECONDS", type=seconds, default=600.0,
                        help="of one run: it is replayed for its counters (default: %(default)g)")  # fmt: skip
    parser.add_argument("--dry-run", action="store_true", help="print the commands instead of running them")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run every size; 1 where something could not be measured."""
    program = tuple(arguments.program)
    try:
        wanted = combinations(arguments.sizes)
    except ValueError as error:
        return failed("-D", str(error), 2)
    unused = [name for name, _ in arguments.sizes if not any(f"{{{name}}}" in word for word in program)]
    if unused:
        return failed("-D", f"{{{unused[0]}}} is not in the command: every run would be of one size", 2)
    unsaid = [name for word in program for name in PLACEHOLDER.findall(word) if name not in dict(arguments.sizes)]
    if unsaid:
        return failed("-D", f"{{{unsaid[0]}}} is in the command: say its sizes, as in -D {unsaid[0]}=256,512", 2)
    output: Path = arguments.output
    files = [(sizes, output / _file_name(sizes)) for sizes in wanted]
    vocabulary = counter_vocabulary()
    programs = Programs.outside_of(worked_on())
    try:
        ncu = "ncu" if arguments.dry_run else found_ncu(programs)
        metrics = (
            wanted_metrics(vocabulary) if arguments.dry_run else metrics_for(ncu, vocabulary, Path.cwd(), programs)
        )
    except CollectError as error:
        return failed("counters collect", str(error))
    collection = Collection(ncu, metrics, program, arguments.kernels, arguments.launches, arguments.time_limit)
    if arguments.dry_run:
        commands = [("mkdir", "-p", str(output)), *(collection.command(sizes, path) for sizes, path in files)]
        write_out("".join(f"{shlex.join(command)}\n" for command in commands))
        return 0
    return _collected(collection, files, output, again=arguments.again)


def _collected(collection: Collection, files: list[tuple[dict[str, float], Path]], output: Path, *, again: bool) -> int:
    failures = 0
    try:
        make_folder(output)
    except OSError as error:
        return failed(str(output), error.strerror or str(error))
    with steps_progress(34) as progress:
        task = progress.add_task("", total=len(files))
        for sizes, path in files:
            progress.update(task, description=sizes_text(sizes)[:34])
            text = _run(collection, sizes, path, again=again)
            failures += text.startswith("failed")
            progress.console.print(f"{path}: {text}", markup=False, highlight=False, soft_wrap=True)
            progress.advance(task)
    if failures == len(files):
        return failed("counters collect", "no run gave counters")
    write_out(f"Fit them: warplens counters fit {shlex.quote(str(output))}/*.csv\n")
    return 1 if failures else 0


def _run(collection: Collection, sizes: Mapping[str, float], path: Path, *, again: bool) -> str:
    if path.is_symlink():
        return "failed: a symbolic link stands there, which is not written through"
    if path.exists() and not again:
        return "is there already (--again runs it again)"
    try:
        launches = collect_one(collection, sizes, path.absolute(), Path.cwd())
    except CollectError as error:
        return f"failed: {error}"
    text = f"{launches} launch{'' if launches == 1 else 'es'}"
    return f"{text}, as many as --launches lets" if launches == collection.launches else text


def _file_name(sizes: Mapping[str, float]) -> str:
    return ",".join(f"{name}={number_text(size)}" for name, size in sizes.items()) + ".csv" if sizes else "run.csv"
