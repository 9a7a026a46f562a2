"""`warplens compare FILE:LINE`: a loop nest on several GPUs, each with its own best launch, fastest first."""

from __future__ import annotations

import argparse

from warplens.server.cli.arguments import (
    add_cpu_and_size_options,
    add_source_options,
    gpu,
    milliseconds,
    names,
    place,
)
from warplens.server.cli.commands import SubParsers, command_parser
from warplens.server.compared_gpus.default_gpus import COMPARED
from warplens.server.what_if.data_places import DATA_PLACES

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
    parser.add_argument("--data", choices=DATA_PLACES, default="cold",
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
    from warplens.server.cli.compare_gpus import compare  # noqa: PLC0415 - no help needs it

    return compare(arguments)


def _gpus(text: str) -> tuple[str, ...]:
    chosen = names(text)
    if chosen == ("all",):
        from warplens.hwprofiles.loader import gpu_names  # noqa: PLC0415 - no help needs it

        return gpu_names()
    if not chosen:
        raise argparse.ArgumentTypeError("name at least one GPU")
    return tuple(map(gpu, chosen))
