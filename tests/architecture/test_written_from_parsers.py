"""What is written from the command line's parsers is what they say today (`make docs` writes it)."""

import re
import subprocess
from argparse import ArgumentParser
from collections.abc import Iterator
from itertools import islice

import pytest
from support.command_line.completions import script
from support.command_line.every_command import all_parsers, arguments, below, whole_parser
from support.command_line.man_page import MAN_PAGE, man_page
from support.real_editors import editor_or_skip
from warplens.server.cli.command_table import COMMANDS, GROUPS
from warplens.server.cli.completion import SCRIPTS, script_path


def test_the_table_has_the_commands_and_their_modules() -> None:
    names = [command.name for command in COMMANDS]
    assert list(below(whole_parser())) == names
    assert len({*names, *(old for command in COMMANDS for old in command.older_names)}) == len(names) + 1
    assert all(group.title and group.commands for group in GROUPS)


def test_the_manual_page_is_what_the_parsers_say() -> None:
    assert MAN_PAGE.read_text(encoding="utf-8") == man_page()


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_scripts_are_what_the_parsers_say(shell: str) -> None:
    assert script_path(shell).read_text(encoding="utf-8") == script(shell)


def test_the_manual_page_is_set_with_all_that_it_has_to_say() -> None:
    """A line that starts with a dot or an apostrophe is an order to roff, and would be lost."""
    command = (str(editor_or_skip("groff")), "-ww", "-man", "-Tutf8", "-P-cbou", str(MAN_PAGE))
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stderr == ""
    text = re.sub(r"‐\n\s+", "", ran.stdout)
    words = "".join(text.replace("−", "-").replace("‐", "-").split())
    for parser in islice(all_parsers(whole_parser()), 1, None):
        assert "".join(parser.prog.split()) in words
        for said in _said(parser):
            assert "".join(re.sub("`", "", said).split()) in words, said


def _said(parser: ArgumentParser) -> Iterator[str]:
    yield from (parser.description or "").split("\n\n")
    for action in arguments(parser):
        yield from action.option_strings
        yield parser._get_formatter()._expand_help(action) if action.help else ""
