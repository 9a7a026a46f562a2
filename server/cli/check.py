"""`warplens check FILE...`: which loops of C files, or of all C files of folders, are worth porting to a GPU.

`warplens check FILE:LINE` prints everything about the loop there.
"""

from __future__ import annotations

import argparse

from warplens.server.cli.arguments import add_analysis_options, add_noise_options
from warplens.server.cli.commands import SubParsers, command_parser


def add_command(commands: SubParsers, epilog: str) -> None:
    """Declare the command and its options."""
    parser = command_parser(commands, "check", __doc__, epilog)
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a C file, or a folder for every *.c, and every *.h with loops, in and below it; `-` reads standard "
        "input; FILE:LINE for one loop in full",
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="print everything about every loop")
    add_analysis_options(parser)
    add_noise_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    parser.add_argument("--no-progress", action="store_true", help="show no progress bar on standard error")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Analyse and print; the exit code tells whether every file was analysed."""
    from warplens.server.cli.check_files import check  # noqa: PLC0415 - no help needs it

    return check(arguments)
