"""The manual page warplens(1), from the parsers.

Not by argparse-manpage: 4.8 takes a line that starts with ' for a macro, so that it is lost, breaks examples in
descriptions, and says the options that seven commands share seven times.
"""

import re
from argparse import PARSER, Action, ArgumentParser
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from pathlib import Path
from typing import Final

from support.command_line.every_command import all_parsers, arguments, below, value_name, whole_parser
from warplens.server.cli.command_list import EXAMPLES, PURPOSE
from warplens.server.cli.command_table import GROUPS

MAN_PAGE: Final = Path(__file__).parents[3] / "docs" / "man" / "warplens.1"
_SHARED_BY = 4
"""An option that so many commands have in the same words is said once."""
_OWN_TITLES = {"positional arguments", "options"}

Key = tuple[str, str, str]
"""What makes two options the same: how they are called, their value, their help."""


def man_page() -> str:
    """The page's roff source."""
    parser = whole_parser()
    commands = [each for each in all_parsers(parser) if each is not parser]
    counts = Counter(_key(action, each) for each in commands for action in arguments(each) if action.option_strings)
    shared = {key for key, count in counts.items() if count >= _SHARED_BY}
    return "\n".join((*_beginning(), *_commands(commands, shared), *_shared_options(commands, shared), *_END, ""))


def _beginning() -> Iterator[str]:
    yield '.\\" Written by `make docs` from the parsers.'
    yield '.TH WARPLENS 1 "" Warplens "User Commands"'
    yield from (".SH NAME", f"warplens \\- {_inline(PURPOSE[0].lower() + PURPOSE[1:].rstrip('.'))}")
    yield from (".SH SYNOPSIS", r"\fBwarplens\fR \fICOMMAND\fR ...", ".br", r"\fBwarplens help\fR \fICOMMAND\fR", ".br")
    yield r"\fBwarplens\fR [\fB\-\-help\fR | \fB\-\-version\fR]"
    yield ".SH DESCRIPTION"
    for group in GROUPS:
        yield f".SS {_quoted(group.title[0].upper() + group.title[1:])}"
        for command in group.commands:
            yield from (".TP 12", rf"\fB{_plain(command.name)}\fR", _inline(command.summary))
    yield ".SH EXAMPLES"
    for call, what in EXAMPLES:
        yield from (".TP", rf"\fB{_plain(call)}\fR", _inline(what))


def _commands(commands: Iterable[ArgumentParser], shared: set[Key]) -> Iterator[str]:
    yield ".SH COMMANDS"
    for parser in commands:
        yield f".SS {_quoted(_usage(parser))}"
        yield from islice(_text(parser.description or ""), 1, None)  # its .PP: the heading has begun a paragraph
        own = [action for action in arguments(parser) if _key(action, parser) not in shared]
        for group in parser._action_groups:
            found = [action for action in own if action in group._group_actions]
            if found and group.title not in _OWN_TITLES:
                yield from (".PP", f"{_inline((group.title or '').capitalize())}:")
            yield from (line for action in found for line in _argument(action, parser))
        also = [action for action in arguments(parser) if _key(action, parser) in shared]
        if also:
            called = ", ".join(rf"\fB{_plain(action.option_strings[-1])}\fR" for action in also)
            yield from (".PP", rf"Also {called}: see \fBOPTIONS OF SEVERAL COMMANDS\fR.")
        yield from _text(parser.epilog or "")


def _shared_options(commands: Iterable[ArgumentParser], shared: set[Key]) -> Iterator[str]:
    yield ".SH OPTIONS OF SEVERAL COMMANDS"
    left = set(shared)
    for parser in commands:
        for action in arguments(parser):
            if (key := _key(action, parser)) in left:
                left.remove(key)
                yield from _argument(action, parser)


_END = (
    ".SH FILES",
    *(".TP", r"\fB.warplens.toml\fR", "what a project says of itself: the GPU, folders of headers, sizes"),
    *(".TP", r"\fB.warplens/profiles/\fINAME\fB.toml\fR", "GPUs and CPUs of your own, by name"),
    *(".TP", r"\fB.warplens/profile.json\fR", r"what \fBwarplens profile import\fR took of real runs"),
    *(".TP", r"\fB.warplens/counters/\fINAME\fB.counters\fR", r"what \fBwarplens counters fit\fR learned"),
)


def _key(action: Action, parser: ArgumentParser) -> Key:
    return " ".join(action.option_strings), value_name(action), _help(action, parser)


def _usage(parser: ArgumentParser) -> str:
    words = [parser.prog]
    actions = list(arguments(parser))
    if any(each.required and each.nargs == PARSER for each in parser._actions):
        words.append("|".join(below(parser)))
    if any(action.option_strings for action in actions):
        words.append("[OPTION...]")
    needed = (each for each in actions if each.option_strings and each.required)
    words += (f"{each.option_strings[0]} {value_name(each)}" for each in needed)
    words += (_positional(each) for each in actions if not each.option_strings)
    return " ".join(words)


def _positional(action: Action) -> str:
    name = value_name(action) + ("..." if action.nargs in {"+", "*"} else "")
    return f"[{name}]" if action.nargs in {"?", "*"} else name


def _argument(action: Action, parser: ArgumentParser) -> Iterator[str]:
    value = rf" \fI{_plain(value_name(action))}\fR" if value_name(action) else ""
    called = ", ".join(rf"\fB{_plain(each)}\fR" for each in action.option_strings)
    yield from (".TP", f"{called}{value}".strip(), _inline(_help(action, parser)))


def _help(action: Action, parser: ArgumentParser) -> str:
    return " ".join(parser._get_formatter()._expand_help(action).split()) if action.help else ""


def _text(text: str) -> Iterator[str]:
    """Paragraphs and exit codes are set by the reader's terminal, other indented lines stay as they are."""
    for kind, group in groupby(text.strip("\n").splitlines(), _kind):
        lines = list(group)
        match kind:
            case "words":
                yield from (".PP", _inline(" ".join(lines)))
            case "code":
                codes = (line.strip().partition("  ") for line in lines)
                yield from (part for code, _, what in codes for part in (".TP 4", rf"\fB{code}\fR", _inline(what)))
            case "example":
                yield from (".PP", ".RS 2", ".nf", *(_inline(line[2:]) for line in lines), ".fi", ".RE")


def _kind(line: str) -> str:
    if not line.strip():
        return "nothing"
    if re.match(r"  \d  ", line):
        return "code"
    return "example" if line.startswith(" ") else "words"


def _quoted(text: str) -> str:
    return '"' + _plain(text).replace('"', r"\(dq") + '"'


def _inline(text: str) -> str:
    """Text with what stands between backticks in bold."""
    return re.sub(r"`([^`]+)`", r"\\fB\1\\fR", _plain(text))


def _plain(text: str) -> str:
    escaped = text.replace("\\", r"\e").replace("-", r"\-").replace("~", r"\(ti").replace("^", r"\(ha")
    return rf"\&{escaped}" if escaped.startswith((".", "'")) else escaped
