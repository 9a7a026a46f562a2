"""What a command's module is to the parser, and how it says that it failed."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, TypeAlias

from warplens.server.cli.command_help import CommandHelp
from warplens.server.cli.command_table import find_command
from warplens.server.cli.streams import write_error
from warplens.server.render.visible_text import visible_name

if TYPE_CHECKING:
    SubParsers: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - the only name it has
else:
    SubParsers = object

EXIT_CODES = """exit codes:
  0  everything was analysed
  1  a file could not be read, or the analysis of a file or of a loop nest failed or was ended by its limit
  2  the command line was wrong
"""


def command_parser(
    commands: SubParsers, name: str, description: str | None, epilog: str | None = None
) -> argparse.ArgumentParser:
    """The parser of a command of the table, without its options.

    Raises:
        ValueError: the table has no such command

    """
    if (command := find_command(name)) is None:
        raise ValueError(name)
    return commands.add_parser(
        command.name, help=command.summary, description=description, epilog=epilog, formatter_class=CommandHelp
    )


def failed(where: str, message: str, code: int = 1) -> int:
    """Say on standard error what could not be done with a file or a line of it; the exit code."""
    write_error(f"warplens: {visible_name(where)}: {message}\n")
    return code
