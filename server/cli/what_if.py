"""`warplens what-if FILE:LINE`: a loop nest's prediction with another size, GPU, CPU or launch, beside the one now."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from warplens.server.cli.arguments import add_machine_options, add_source_options, extent, names, place, positive
from warplens.server.cli.commands import SubParsers, command_parser
from warplens.server.what_if.data_places import DATA_PLACES

_EXIT_CODES = """exit codes:
  0  the prediction was made with all the changes
  1  a change could not be made: the reason is said; or the file could not be read or its analysis failed
  2  the command line was wrong: no such option or GPU, no loop at the line
"""


def add_command(commands: SubParsers, _epilog: str) -> None:
    """Declare the command and its options."""
    parser = command_parser(
        commands,
        "what-if",
        f"{__doc__} Options of the first groups are the changes; without any the choices are listed.",
        _EXIT_CODES,
    )
    parser.add_argument("place", metavar="FILE:LINE", type=place, help="a loop's header, or a line inside the loop")
    add_machine_options(parser)
    launch = parser.add_argument_group("launch (what is not said is chosen as best for the rest)")
    launch.add_argument("--block", metavar="XxYxZ", type=extent, help="threads per block, such as 32x8")
    launch.add_argument("--work", metavar="N", type=positive, help="outputs that a thread computes")
    launch.add_argument(
        "--shared", metavar="A,B", type=_arrays, help="exactly these arrays in shared memory, or `none`"
    )
    launch.add_argument("--mapping", metavar="NAME", help="a mapping that `warplens search` lists, or `source`")
    launch.add_argument("--kernel", metavar="N", type=positive, help="of several kernels this one, counted from 1")
    parser.add_argument(
        "--data", choices=DATA_PLACES, help="cold (default): it is copied in and out; resident: it is on the GPU"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object (docs/what-if.md) instead of text")
    add_source_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Predict and print; 2 for a line without a loop, 1 for a change or a file that can't be used."""
    from warplens.server.cli.what_if_loop import predict_changed  # noqa: PLC0415 - no help needs it

    return predict_changed(arguments)


def _arrays(text: str) -> Sequence[str]:
    return () if text == "none" else names(text)
