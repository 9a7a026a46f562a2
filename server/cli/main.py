"""`warplens`: the one command."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from warplens.server.cli.command_table import find_command
from warplens.server.cli.parsers import parser_of
from warplens.server.cli.streams import give_up_output, prepare_streams, write_error
from warplens.server.render.visible_text import visible_name


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the process's exit code."""
    prepare_streams()
    try:
        try:
            return _run(sys.argv[1:] if arguments is None else arguments)
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


def _run(given: Sequence[str]) -> int:
    """Only the command that is asked for is loaded: the others hold up the start of the language server."""
    command = find_command(given[0]) if given else None
    if command is None:
        return _run_none(given)
    parsed = parser_of((command,)).parse_args([command.name, *given[1:]])
    return int(parsed.run(parsed))


def _run_none(given: Sequence[str]) -> int:
    """Help, the version, or what is wrong; argparse ends the process where there is something to say."""
    from warplens.server.cli.command_list import overview, unknown_command  # noqa: PLC0415 - no command needs it

    parser = parser_of(())
    if given and not given[0].startswith("-"):
        parser.error(unknown_command(given[0]))
    parser.parse_args(given)
    write_error(overview())
    return 2


if __name__ == "__main__":
    sys.exit(main())
