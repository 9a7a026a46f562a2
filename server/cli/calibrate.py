"""`warplens calibrate`: measure this machine's GPU or CPU, and write a profile of it."""

from __future__ import annotations

from warplens.server.cli import calibrate_cpu, calibrate_gpu
from warplens.server.cli.commands import SubParsers, command_parser


def add_command(commands: SubParsers, _epilog: str) -> None:
    """Declare the command and what can be measured."""
    parser = command_parser(commands, "calibrate", __doc__)
    measured = parser.add_subparsers(metavar="{gpu,cpu}", required=True)
    calibrate_gpu.add_command(measured)
    calibrate_cpu.add_command(measured)
