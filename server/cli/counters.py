"""`warplens counters`: what holds a measured GPU kernel back, and how long it takes at sizes that were not run."""

from __future__ import annotations

import argparse

from warplens.server.cli import counters_collect, counters_fit, counters_predict, counters_report
from warplens.server.cli.commands import SubParsers


def add_command(commands: SubParsers, _epilog: str) -> None:
    """Declare the command and what it can do."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "counters", help="what holds a measured GPU kernel back, from a profiler's counters", description=__doc__
    )
    verbs = parser.add_subparsers(metavar="{collect,fit,report,predict}", required=True)
    for module in (counters_collect, counters_fit, counters_report, counters_predict):
        module.add_command(verbs)
