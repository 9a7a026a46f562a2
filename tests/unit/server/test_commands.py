"""How commands are found, named and explained, before any of them runs."""

import re
from argparse import ArgumentParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.command_line.every_command import all_parsers, below, whole_parser
from warplens.analysis.advice.catalogue import RULES
from warplens.server.cli.command_help import wrapped
from warplens.server.cli.command_list import overview
from warplens.server.cli.command_table import COMMANDS
from warplens.server.cli.main import main
from warplens.server.render.glossary import terms

pytestmark = pytest.mark.process

WORDS = st.text(st.characters(codec="ascii", categories=("L", "N", "P")), min_size=1, max_size=30)
PARTS = st.lists(st.tuples(st.sampled_from(("", "  ", "  0  ", "    ")), st.lists(WORDS, min_size=1)) | st.none())


def ended(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[object, str, str]:
    """Exit code, output and errors of a command, however it ends."""
    try:
        code: object = main(arguments)
    except SystemExit as end:
        code = end.code
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def calls(parser: ArgumentParser) -> list[list[str]]:
    return [each.prog.split()[1:] for each in all_parsers(parser) if each is not parser]


def test_the_overview_fits_a_terminal_and_has_every_command_once() -> None:
    lines = overview().splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 55
    listed = [line.split()[0] for line in lines if re.match(r"  [a-z-]+ {2,}\S", line) and not line.startswith("  -")]
    assert listed == [command.name for command in COMMANDS]
    assert all(f"  {command.summary}" in overview() for command in COMMANDS)


@pytest.mark.parametrize("asked", [["--help"], ["-h"], ["help"], ["-h", "check"]])
def test_the_overview_is_printed(asked: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(capsys, *asked) == (0, overview(), "")


def test_without_a_command_it_is_printed_as_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(capsys) == (2, "", overview())


@pytest.mark.parametrize("call", calls(whole_parser()), ids=" ".join)
def test_help_of_a_command(
    call: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    said = ended(capsys, *call, "--help")
    assert said[0] == 0
    assert said[1].startswith(f"usage: warplens {' '.join(call)} ")
    assert ended(capsys, "help", *call) == said
    assert [line for line in said[1].splitlines() if len(line) > 80] == []


def test_a_command_that_there_is_not(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    def said(*words: str) -> str:
        code, out, err = ended(capsys, *words)
        assert (code, out) == (2, "")
        usage, _, message = err.partition("\n")
        assert usage == "usage: warplens COMMAND ..."
        return message.removeprefix("warplens: error: ").removesuffix("\n")

    assert said("chek") == said("help", "chek") == "there is no command chek; did you mean check?"
    assert said("Check") == "there is no command Check; did you mean check?"
    assert said("main.c") == "there is no command main.c; did you mean warplens check main.c?"
    assert said("main.c:26") == "there is no command main.c:26; did you mean warplens check main.c:26?"
    assert said(str(tmp_path)).endswith(f"did you mean warplens check {tmp_path}?")
    assert said("a\x1b[2Jb\n").startswith("there is no command a\\x1b[2Jb\\x0a;")
    lines = said("frobnicate").splitlines()
    assert lines[0] == "there is no command frobnicate; there are"
    assert " ".join(lines[1:]).replace(",", "").split() == [command.name for command in COMMANDS]
    assert max(map(len, lines)) <= 80
    assert said("--frob", "check") == "unrecognized arguments: --frob check"


def test_an_older_name_still_works_and_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(capsys, "profiles", "show", "a100") == ended(capsys, "machines", "show", "a100")
    assert ended(capsys, "help", "profiles") == ended(capsys, "help", "machines")
    assert "profiles" not in below(whole_parser())
    assert " profiles " not in overview()


def test_explain_without_a_word_lists_rules_and_words(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = ended(capsys, "explain")
    assert (code, err) == (0, "")
    assert all(re.search(rf"^  {rule.code}  {re.escape(rule.title)}$", out, re.MULTILINE) for rule in RULES)
    words = " ".join(out.partition("words (")[2].partition(":\n")[2].split()).split(", ")
    assert words == [term.name for term in terms()]
    assert max(map(len, out.splitlines())) <= 80
    code, out, err = ended(capsys, "explain", "occupanzy")
    assert (code, out, err) == (2, "", "warplens: there is no rule and no word occupanzy; did you mean occupancy?\n")


@given(PARTS, st.integers(20, 120))
def test_wrapped_help_loses_no_word_and_is_no_wider_than_it_may_be(
    parts: list[tuple[str, list[str]] | None], width: int
) -> None:
    text = "\n".join("" if part is None else part[0] + " ".join(part[1]) for part in parts)
    lines = wrapped(text, width)
    assert " ".join(lines).split() == text.split()
    assert all(len(line) <= width or len(line.split()) <= 2 for line in lines)
