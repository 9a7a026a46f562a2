"""`warplens calibrate`: measure this machine's CPU or GPU, and write a profile of it."""

from __future__ import annotations

import argparse

from warplens.server.cli import calibrate_cpu
from warplens.server.cli.commands import SubParsers


def add_command(commands: SubParsers, _epilog: str) -> None:
    """Declare the command and what can be measured."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "calibrate", help="measure this machine's CPU, and write a profile of it", description=__doc__
    )
    measured = parser.add_subparsers(metavar="cpu", required=True)
    calibrate_cpu.add_command(measured)
