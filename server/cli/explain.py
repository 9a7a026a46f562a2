"""`warplens explain CODE`: a rule's page; all pages into a folder for the documentation."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.markdown import Markdown
from warplens.analysis.advice.catalogue import RULES, rule_page
from warplens.server.cli.arguments import PipeConsole
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
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("code", metavar="CODE", nargs="?", help="a rule's code, such as WL201")
    what.add_argument("--write-pages", metavar="DIR", type=Path, help="write the page of every rule to DIR/CODE.md")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the page; 2 for a code that does not exist, 1 for a folder that can't be written to."""
    if arguments.write_pages is not None:
        return _write_pages(arguments.write_pages)
    page = rule_page(arguments.code)
    if page is None:
        known = ", ".join(rule.code for rule in RULES)
        sys.stderr.write(f"warplens: there is no rule {arguments.code}; there are {known}\n")
        return 2
    console = PipeConsole()
    if console.is_terminal:
        console.print(Markdown(page))
    else:
        sys.stdout.write(page)
    return 0


def _write_pages(folder: Path) -> int:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for rule in RULES:
            (folder / f"{rule.code}.md").write_text(rule_page(rule.code) or "", encoding="utf-8")
    except OSError as error:
        sys.stderr.write(f"warplens: {folder}: {error.strerror or error}\n")
        return 1
    return 0
