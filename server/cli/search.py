"""`warplens search FILE:LINE`: every launch of a loop's kernel by its predicted time, as a table and a heat map."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from warplens.server.cli.arguments import add_analysis_options, place, positive
from warplens.server.cli.commands import SubParsers, command_parser
from warplens.server.render.model_names import MODEL_NAMES

_EXIT_CODES = """exit codes:
  0  the launches were ranked
  1  the file could not be read or written, its analysis failed, or the loop has no launch
  2  the command line was wrong: no such option, model or GPU, no loop at the line
"""
ALL_LAUNCHES = sys.maxsize
SHOWN_ON_TERMINAL = 20


def add_command(commands: SubParsers, _epilog: str) -> None:
    """Declare the command and its options."""
    parser = command_parser(commands, "search", __doc__, _EXIT_CODES)
    parser.add_argument("place", metavar="FILE:LINE", type=place, help="a loop's header, or a line inside the loop")
    parser.add_argument("--model", choices=tuple(MODEL_NAMES), help="whose times to rank by (default: the report's)")
    top = f"how many launches to list, or `all` (default: all; on a terminal {SHOWN_ON_TERMINAL})"
    parser.add_argument("--top", metavar="N", type=_top, help=top)
    parser.add_argument("--svg", metavar="OUT.svg", type=Path, help="write the heat map to this file too")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    add_analysis_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Search and print; 2 for a line without a loop, 1 for a loop without a launch or a file that can't be used."""
    from warplens.server.cli.search_launches import search_loop  # noqa: PLC0415 - no help needs it

    return search_loop(arguments)


def _top(text: str) -> int:
    return ALL_LAUNCHES if text == "all" else positive(text)
