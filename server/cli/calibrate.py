"""`warplens calibrate`: measure this machine's GPU or CPU, and write a profile of it."""

from __future__ import annotations

import argparse

from warplens.server.cli import calibrate_cpu, calibrate_gpu
from warplens.server.cli.commands import SubParsers


def add_command(commands: SubParsers, _epilog: str) -> None:
    """Declare the command and what can be measured."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "calibrate", help="measure this machine's GPU or CPU, and write a profile of it", description=__doc__
    )
    measured = parser.add_subparsers(metavar="{gpu,cpu}", required=True)
    calibrate_gpu.add_command(measured)
    calibrate_cpu.add_command(measured)
