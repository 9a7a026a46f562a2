"""The parser of the command line, made of the commands that are needed: each takes time to load."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from importlib import import_module

from warplens.server.cli.command_table import Command
from warplens.server.cli.commands import EXIT_CODES
from warplens.server.cli.streams import write_out


class _Version(argparse.Action):
    """Looks for the version once it is asked for: that takes as long as all else in front of a command."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version  # noqa: PLC0415 - only this action needs it

        write_out(f"warplens {version('warplens')}\n")
        parser.exit()


class _Parser(argparse.ArgumentParser):
    """Its help is the overview, which no command has to be loaded for."""

    def format_help(self) -> str:
        from warplens.server.cli.command_list import overview  # noqa: PLC0415 - only a help that is printed needs it

        return overview()


def parser_of(commands: Iterable[Command]) -> argparse.ArgumentParser:
    """The parser of these commands, whose modules are loaded; without any it knows only --help and --version."""
    parser = _Parser(prog="warplens", usage="warplens COMMAND ...")
    parser.add_argument("--version", action=_Version, nargs=0, help="show program's version number and exit")
    known = tuple(commands)
    if known:
        below = parser.add_subparsers(
            required=True, metavar="COMMAND", prog="warplens", parser_class=argparse.ArgumentParser
        )
        for command in known:
            import_module(command.module).add_command(below, EXIT_CODES)
    return parser
