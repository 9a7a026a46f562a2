"""`warplens explain CODE|WORD`: a rule's page, what a word means; all pages into a folder for the documentation."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from rich.markdown import Markdown
from warplens.analysis.advice.catalogue import RULES, rule_page
from warplens.server.cli.commands import SubParsers
from warplens.server.cli.streams import write_error, write_out
from warplens.server.cli.terminal import TerminalConsole
from warplens.server.files.atomic_file import make_folder, replace_file
from warplens.server.render.glossary import find_term, glossary_links, nearest_term, terms


def add_command(commands: SubParsers, epilog: str) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "explain",
        help="print the page of a rule, or what a word means",
        description=__doc__,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "what",
        metavar="CODE|WORD",
        nargs="*",
        default=(),
        help="a rule's code, such as WL201, or a word, such as occupancy",
    )
    what.add_argument("--write-pages", metavar="DIR", type=Path, help="write the page of every rule to DIR/CODE.md")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the page; 2 for a code or word that does not exist, 1 for a folder that can't be written to."""
    if arguments.write_pages is not None:
        return _write_pages(arguments.write_pages)
    what = " ".join(arguments.what)
    term = find_term(what)
    page = f"# {term.name}\n\n{term.meaning}\n" if term else rule_page(what)
    if page is None:
        write_error(f"warplens: {_unknown(what)}\n")
        return 2
    console = TerminalConsole()
    if console.is_terminal:
        console.print(Markdown(page))
    else:
        write_out(page)
    return 0


def _unknown(what: str) -> str:
    codes = [rule.code for rule in RULES]
    if re.fullmatch(r"(?i)wl\w*", what):
        return f"there is no rule {what}; there are {', '.join(codes)}"
    near = nearest_term(what)
    meant = f"; did you mean {near}?" if near else ""
    words = ", ".join(term.name for term in terms())
    return f"there is no rule and no word {what}{meant}\n  rules: {', '.join(codes)}\n  words: {words}"


def linked_page(code: str) -> str:
    """A rule's page as it stands in docs/rules/, its words linked to the glossary beside that folder."""
    return glossary_links(rule_page(code) or "", lambda term: f"../glossary.md#{term.anchor}")


def _write_pages(folder: Path) -> int:
    try:
        make_folder(folder)
        for rule in RULES:
            replace_file(folder / f"{rule.code}.md", linked_page(rule.code).encode())
    except OSError as error:
        write_error(f"warplens: {folder}: {error.strerror or error}\n")
        return 1
    return 0
