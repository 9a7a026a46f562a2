"""`warplens counters`: what holds a measured GPU kernel back, and how long it takes at sizes that were not run."""

from __future__ import annotations

from warplens.server.cli import counters_collect, counters_fit, counters_predict, counters_report
from warplens.server.cli.commands import SubParsers, command_parser


def add_command(commands: SubParsers, _epilog: str) -> None:
    """Declare the command and what it can do."""
    parser = command_parser(commands, "counters", __doc__)
    verbs = parser.add_subparsers(metavar="{collect,fit,report,predict}", required=True)
    for module in (counters_collect, counters_fit, counters_report, counters_predict):
        module.add_command(verbs)
