"""`warplens compare FILE:LINE`: a loop nest on several GPUs, each with its own best launch, fastest first."""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import replace
from pathlib import Path

from warplens.hwprofiles.loader import gpu_names
from warplens.server.cli.analyse_files import analyse_file
from warplens.server.cli.arguments import (
    add_cpu_and_size_options,
    add_source_options,
    console_for,
    gpu,
    milliseconds,
    names,
    place,
    settings_of,
)
from warplens.server.cli.commands import SubParsers, command_parser, failed
from warplens.server.cli.compare_report import Compared, compared_as_json, print_compared
from warplens.server.cli.find_loop import NoLoopError, loop_at_line
from warplens.server.cli.write_json import print_json
from warplens.server.compared_gpus.answer import compared
from warplens.server.compared_gpus.job import COMPARED, CompareJob
from warplens.server.lsp.lines import Lines
from warplens.server.lsp.places import line_in
from warplens.server.worker.packing import unpack

_EXIT_CODES = """exit codes:
  0  the comparison was made (and a GPU reaches the time that was asked for)
  1  no GPU reaches it; the loop can't run on a GPU; or the file could not be read or its analysis failed
  2  the command line was wrong: no such option or GPU, no loop at the line
"""


def add_command(commands: SubParsers, _epilog: str) -> None:
    """Declare the command and its options."""
    parser = command_parser(commands, "compare", __doc__, _EXIT_CODES)
    parser.add_argument("place", metavar="FILE:LINE", type=place, help="a loop's header, or a line inside the loop")
    parser.add_argument("--gpu", metavar="A,B", dest="gpus", type=_gpus,
                        help=f"GPUs by name or TOML file, `all` for every one (default: {','.join(COMPARED)}; with "
                        "--reaches: all)")  # fmt: skip
    parser.add_argument("--data", choices=("cold", "resident"), default="cold",
                        help="for the order: cold, the data is copied in and out; resident, it is on the GPU "
                        "(default: %(default)s)")  # fmt: skip
    parser.add_argument("--reaches", metavar="MS", type=milliseconds, dest="limit_s",
                        help="also name the smallest GPU that takes at most so many milliseconds")  # fmt: skip
    parser.add_argument("--no-break-even", action="store_true", help="leave out from which size each GPU is faster")
    parser.add_argument("--json", action="store_true", help="print one JSON object (docs/compare.md) instead of text")
    add_cpu_and_size_options(parser)
    add_source_options(parser)
    parser.set_defaults(run=run, gpu=None)


def run(arguments: argparse.Namespace) -> int:
    """Predict and print; 2 for a line without a loop, 1 where there is nothing to compare or no GPU is fast enough."""
    path, line = arguments.place
    if Path(path).is_dir():
        return failed(path, "a folder has no lines, name a C file")
    gpus = arguments.gpus or (gpu_names() if arguments.limit_s is not None else COMPARED)
    settings = replace(settings_of(arguments), gpu=gpus[0])
    result = asyncio.run(analyse_file(path, settings))
    if result.answer is None:
        return failed(path, result.failure)
    try:
        found = loop_at_line(result.answer, result.text, line)
    except NoLoopError as error:
        return failed(f"{path}:{line}", str(error), 2 if error.is_usage else 1)
    limit_s, with_break_even = settings.analysis_time_limit_s, not arguments.no_break_even
    rows = compared(CompareJob(found.nest.packed, gpus, arguments.data, limit_s, with_break_even=with_break_even))
    if not rows:
        return failed(f"{path}:{line}", "the loop can't run on a GPU, or has nothing to run at its sizes")
    at = line_in(Lines(result.text), found.nest.spans, found.loop)
    evaluation = unpack(found.nest.packed)
    what = Compared(path, at, found.function.name, evaluation, rows, arguments.data, arguments.limit_s)
    if arguments.json:
        print_json(compared_as_json(what))
    else:
        print_compared(console_for(arguments.color), what)
    return 0 if what.limit_s is None or what.smallest is not None else 1


def _gpus(text: str) -> tuple[str, ...]:
    chosen = names(text)
    if chosen == ("all",):
        return gpu_names()
    if not chosen:
        raise argparse.ArgumentTypeError("name at least one GPU")
    return tuple(map(gpu, chosen))
