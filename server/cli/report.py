"""`warplens report FILE...`: one HTML page with everything that is known of the files, to open in a browser."""

from __future__ import annotations

import argparse
from pathlib import Path

from warplens.server.cli.arguments import add_analysis_options, gpu, names
from warplens.server.cli.commands import SubParsers, command_parser
from warplens.server.compared_gpus.default_gpus import COMPARED

_EXIT_CODES = """exit codes:
  0  the page was written, with every file and loop nest in it
  1  the page was written without something that could not be read or analysed, or could not be written
  2  the command line was wrong
"""


def add_command(commands: SubParsers, _epilog: str) -> None:
    """Declare the command and its options."""
    parser = command_parser(commands, "report", __doc__, _EXIT_CODES)
    files = "a C file, or a folder for every *.c, and every *.h with loops, in and below it"
    parser.add_argument("files", nargs="+", metavar="FILE", help=files)
    parser.add_argument("-o", "--output", metavar="OUT.html", type=Path, required=True, help="the page to write")
    parser.add_argument("--gpus", metavar="A,B", type=_gpus, default=COMPARED,
                        help=f"profiles to compare, '' for none (default: {','.join(COMPARED)})")  # fmt: skip
    add_analysis_options(parser)
    parser.add_argument("--no-progress", action="store_true", help="show no progress bar on standard error")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Analyse and write; the exit code tells whether everything is in the page."""
    from warplens.server.cli.write_report import write_report  # noqa: PLC0415 - no help needs it

    return write_report(arguments)


def _gpus(text: str) -> tuple[str, ...]:
    return tuple(map(gpu, names(text)))
