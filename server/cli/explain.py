"""`warplens explain CODE`: a rule's page."""

from __future__ import annotations

import argparse
import sys

from rich.console import Console
from rich.markdown import Markdown
from warplens.analysis.advice.catalogue import RULES, rule_page
from warplens.server.cli.commands import SubParsers


def add_command(commands: SubParsers, epilog: str) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "explain",
        help="print the page of a rule",
        description=__doc__,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("code", metavar="CODE", help="a rule's code, such as WL201")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the page; 2 for a code that does not exist."""
    page = rule_page(arguments.code)
    if page is None:
        known = ", ".join(rule.code for rule in RULES)
        sys.stderr.write(f"warplens: there is no rule {arguments.code}; there are {known}\n")
        return 2
    console = Console()
    if console.is_terminal:
        console.print(Markdown(page))
    else:
        sys.stdout.write(page)
    return 0
