"""`warplens doctor`: whether everything that Warplens needs is there and works, and what to do where it does not.

Each line starts with `ok`, `note` (it works, something could be better) or `WRONG`.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path

from warplens.server.cli.commands import SubParsers, command_parser
from warplens.server.cli.streams import write_out
from warplens.server.cli.write_json import json_text
from warplens.server.doctor.check import Check, State

_MARKS: dict[State, str] = {"ok": "ok   ", "note": "note ", "wrong": "WRONG"}
_EPILOG = """exit codes:
  0  everything that is needed works
  1  something is wrong
  2  the command line was wrong
"""


def add_command(commands: SubParsers, _epilog: str) -> None:
    """Declare the command."""
    parser = command_parser(commands, "doctor", __doc__, _EPILOG)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(), help="the folder you work in (default: this)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Check and print as it goes; 1 if anything is wrong."""
    from warplens.server.doctor.all_checks import all_checks  # noqa: PLC0415 - loads all of Warplens, its help needs none

    found: list[Check] = []
    for check in all_checks(arguments.folder.resolve()):
        found.append(check)
        if not arguments.json:
            write_out(_line(check))
            sys.stdout.flush()
    is_well = all(check.state != "wrong" for check in found)
    if arguments.json:
        write_out(f"{json_text({'ok': is_well, 'checks': [asdict(check) for check in found]}, 2)}\n")
    else:
        write_out(_summary(found))
    return 0 if is_well else 1


def _line(check: Check) -> str:
    text = f"{_MARKS[check.state]}  {check.name}: {check.found}\n"
    return f"{text}       what to do: {check.remedy}\n" if check.remedy else text


def _summary(found: list[Check]) -> str:
    wrong = [check.name for check in found if check.state == "wrong"]
    if wrong:
        return f"\nWrong: {', '.join(wrong)}.\n"
    noted = sum(check.state == "note" for check in found)
    notes = f" ({noted} {'note' if noted == 1 else 'notes'} above)" if noted else ""
    return f"\nEverything that is needed works{notes}. How editors are set up: docs/editors.md.\n"
