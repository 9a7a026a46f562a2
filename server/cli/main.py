"""`warplens`: the one command."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from warplens.server.cli.streams import give_up_output, prepare_streams, write_error, write_out
from warplens.server.render.visible_text import visible_name

_COMMANDS = (
    "check",
    "report",
    "search",
    "what-if",
    "compare",
    "port",
    "measure",
    "lsp",
    "explain",
    "doctor",
    "profile",
    "profiles",
    "calibrate",
    "counters",
    "cache",
)
"""Each is a module of this package, with `_` for `-`."""
_EXIT_CODES = """exit codes:
  0  everything was analysed
  1  a file could not be read, or the analysis of a file or of a loop nest failed or was ended by its limit
  2  the command line was wrong
"""


class _Version(argparse.Action):
    """Looks for the version once it is asked for: that takes as long as all else in front of a command."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version  # noqa: PLC0415 - only this action needs it

        write_out(f"warplens {version('warplens')}\n")
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the process's exit code."""
    prepare_streams()
    parser = argparse.ArgumentParser(
        prog="warplens",
        description="Says, on every loop nest of plain C, what it would do on a GPU.",
        epilog=_EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show program's version number and exit")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    given = sys.argv[1:] if arguments is None else arguments
    # Only the command that is asked for is loaded: the others hold up the start of the language server.
    for name in given[:1] if given and given[0] in _COMMANDS else _COMMANDS:
        import_module(f"warplens.server.cli.{name.replace('-', '_')}").add_command(commands, _EXIT_CODES)
    try:
        try:
            parsed = parser.parse_args(given)
            return int(parsed.run(parsed))
        finally:
            if not sys.stdout.closed:
                sys.stdout.flush()  # at the end of the program nobody would catch that it can't be written
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # as in `| head`: what is left in the buffer must not raise again at the end
        give_up_output()
        return 0
    except OSError as error:  # a full disk, above all: what a command can say of a file it has said
        give_up_output()
        where = f"{visible_name(os.fsdecode(error.filename))}: " if isinstance(error.filename, str | bytes) else ""
        write_error(f"warplens: {where}{error.strerror or error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
