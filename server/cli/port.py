"""`warplens port FILE:LINE`: what can be written for a loop; with `--to`, the directives, CUDA file or change."""

from __future__ import annotations

import argparse
from pathlib import Path

from warplens.server.cli.arguments import add_analysis_options, extent, names, place
from warplens.server.cli.commands import SubParsers, command_parser
from warplens.server.cli.fix_names import NAMES, fix

_EXIT_CODES = """exit codes:
  0  the fixes were listed, or the result was printed or written
  1  the file could not be read or written, its analysis failed, or the fix is refused: the reason is said
  2  the command line was wrong: no such option or fix, no loop at the line
"""


def add_command(commands: SubParsers, _epilog: str) -> None:
    """Declare the command and its options."""
    parser = command_parser(commands, "port", __doc__, _EXIT_CODES)
    parser.add_argument("place", metavar="FILE:LINE", type=place, help="a loop's header, or a line inside the loop")
    parser.add_argument(
        "--to", metavar="FIX", type=fix, help=f"what to write: {', '.join(NAMES)} (default: list what is offered)"
    )
    launch = parser.add_argument_group("launch (default: as predicted best)")
    launch.add_argument("--block", metavar="XxYxZ", type=extent, help="threads per block, such as 32x8")
    launch.add_argument("--outputs", metavar="XxYxZ", type=extent, help="outputs per thread, such as 1x4")
    launch.add_argument("--mapping", metavar="NAME", help="a mapping that `warplens search` lists, or `source`")
    launch.add_argument("--shared", metavar="A,B", type=names, help="arrays to stage in shared memory; '' for none")
    result = parser.add_argument_group("result (default: a new file's text, else a diff, on standard output)")
    result.add_argument(
        "-o", "--output", metavar="OUT", type=Path, help="write the new file, or the changed source, here"
    )
    result.add_argument("--write", action="store_true", help="change the source in place, put new files beside it")
    result.add_argument("--force", action="store_true", help="replace a file that holds other text")
    result.add_argument("--diff", action="store_true", help="print a unified diff, of new files too")
    result.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    add_analysis_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """List, print or write; 2 for a line without a loop, 1 for a refusal or a file that can't be used."""
    from warplens.server.cli.port_loop import port  # noqa: PLC0415 - no help needs it

    return port(arguments)
