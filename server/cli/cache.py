"""`warplens cache`: the results that are kept from one session to the next; `warplens cache clear` takes them away."""

from __future__ import annotations

import argparse

from warplens.server.cli.commands import SubParsers, command_parser, failed
from warplens.server.cli.streams import write_out
from warplens.server.result_cache.folder import UnusableFolderError
from warplens.server.result_cache.result_cache import LIMIT_BYTES, cache_size, clear_cache


def add_command(commands: SubParsers, epilog: str) -> None:
    """Declare the command."""
    parser = command_parser(commands, "cache", __doc__, epilog)
    parser.add_argument("action", nargs="?", choices=("show", "clear"), default="show", help="default: %(default)s")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Show or clear; 1 where the folder can't be used or a file not be taken away."""
    try:
        if arguments.action == "clear":
            write_out(f"removed {clear_cache().text}\n")
        else:
            write_out(f"{cache_size().text}; the limit is {LIMIT_BYTES >> 20} MiB\n")
    except UnusableFolderError as error:
        return failed("cache", f"no results are kept: {error}")
    except OSError as error:
        return failed("cache", f"{error.filename or ''}: {error.strerror}")
    return 0
