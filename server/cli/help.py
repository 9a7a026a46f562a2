"""`warplens help COMMAND`: how a command is called, as `warplens COMMAND --help` says it."""

from __future__ import annotations

import argparse

from warplens.server.cli.command_list import overview, unknown_command
from warplens.server.cli.command_table import find_command
from warplens.server.cli.commands import SubParsers, command_parser
from warplens.server.cli.parsers import parser_of
from warplens.server.cli.streams import write_out


def add_command(commands: SubParsers, _epilog: str) -> None:
    """Declare the command."""
    parser = command_parser(commands, "help", __doc__)
    parser.add_argument(
        "words", metavar="COMMAND", nargs="*", help="a command, or one and what comes behind it: help counters fit"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print it; 2 for a command that there is not."""
    if not arguments.words:
        write_out(overview())
        return 0
    name, *behind = arguments.words
    command = find_command(name)
    if command is None:
        parser_of(()).error(unknown_command(name))
    parser_of((command,)).parse_args([command.name, *behind, "--help"])
    return 0
