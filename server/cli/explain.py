"""`warplens explain CODE|WORD`: a rule's page, or what a word means; without one, which rules and words there are."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill

from warplens.server.cli.commands import SubParsers, command_parser
from warplens.server.cli.streams import write_error, write_out
from warplens.server.files.atomic_file import make_folder, replace_file
from warplens.server.render.glossary import find_term, glossary_links, nearest_term, terms


def add_command(commands: SubParsers, epilog: str) -> None:
    """Declare the command."""
    parser = command_parser(commands, "explain", __doc__, epilog)
    what = parser.add_mutually_exclusive_group()
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
    """Print the page or the lists; 2 for a code or word that there is not, 1 for a folder that can't be written to."""
    if arguments.write_pages is not None:
        return _write_pages(arguments.write_pages)
    if not arguments.what:
        write_out(_lists())
        return 0
    what = " ".join(arguments.what)
    page = _page(what)
    if page is None:
        write_error(f"warplens: {_unknown(what)}\n")
        return 2
    _print_page(page)
    return 0


def _page(what: str) -> str | None:
    if (term := find_term(what)) is not None:
        return f"# {term.name}\n\n{term.meaning}\n"
    from warplens.analysis.advice.catalogue import rule_page  # noqa: PLC0415 - loads the models, which no word needs

    return rule_page(what)


def _print_page(page: str) -> None:
    from warplens.server.cli.terminal import TerminalConsole  # noqa: PLC0415 - rich takes long to load, lists need none

    console = TerminalConsole()
    if not console.is_terminal:
        write_out(page)
        return
    from rich.markdown import Markdown  # noqa: PLC0415 - as above, text into a pipe needs none

    console.print(Markdown(page))


def _unknown(what: str) -> str:
    if re.fullmatch(r"(?i)wl\w*", what):
        return f"there is no rule {what}; warplens explain lists those that there are"
    near = nearest_term(what)
    more = f"did you mean {near}?" if near else "warplens explain lists those that there are"
    return f"there is no rule and no word {what}; {more}"


def _lists() -> str:
    return f"rules (warplens explain WL201):\n{_rules()}\n\nwords (warplens explain occupancy):\n{_words()}\n"


def _rules() -> str:
    from warplens.analysis.advice.catalogue import RULES  # noqa: PLC0415 - loads the models, which no word needs

    return "\n".join(f"  {rule.code}  {rule.title}" for rule in RULES)


def _words() -> str:
    text = ", ".join(term.name.replace(" ", "\N{NO-BREAK SPACE}") for term in terms())
    width = min(get_terminal_size().columns, 100)
    lines = fill(text, width, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    return lines.replace("\N{NO-BREAK SPACE}", " ")


def linked_page(code: str) -> str:
    """A rule's page as it stands in docs/rules/, its words linked to the glossary beside that folder."""
    from warplens.analysis.advice.catalogue import rule_page  # noqa: PLC0415 - as above

    return glossary_links(rule_page(code) or "", lambda term: f"../glossary.md#{term.anchor}")


def _write_pages(folder: Path) -> int:
    from warplens.analysis.advice.catalogue import RULES  # noqa: PLC0415 - as above

    try:
        make_folder(folder)
        for rule in RULES:
            replace_file(folder / f"{rule.code}.md", linked_page(rule.code).encode())
    except OSError as error:
        write_error(f"warplens: {folder}: {error.strerror or error}\n")
        return 1
    return 0
