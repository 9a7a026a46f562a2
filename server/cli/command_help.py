"""How the help of commands is set: as wide as the terminal, with examples and tables as they were written."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from itertools import groupby

_TO_SECOND_COLUMN = r" *(?:\S.*? {2,})?"


class CommandHelp(argparse.HelpFormatter):
    """Wraps paragraphs; an indented line stands alone, and goes on below its second column where it is too long."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(f"{indent}{line}".rstrip() for line in wrapped(text, width - len(indent)))


def wrapped(text: str, width: int) -> list[str]:
    r"""Lines of at most that many columns, where words are no longer.

    >>> wrapped("one two\nthree\n\n  0  four five", 12)
    ['one two', 'three', '', '  0  four', '     five']
    """
    groups = groupby(text.strip("\n").splitlines(), _is_set)
    return [line for is_set, lines in groups for line in (_rows if is_set else _paragraph)(lines, width)]


def _is_set(line: str) -> bool:
    return not line or line.startswith(" ")


def _paragraph(lines: Iterable[str], width: int) -> list[str]:
    return _wrap(" ".join(lines), width)


def _rows(lines: Iterable[str], width: int) -> list[str]:
    return [part for line in lines for part in ([line] if len(line) <= width else _hanging(line, width))]


def _hanging(line: str, width: int) -> list[str]:
    begin = re.match(_TO_SECOND_COLUMN, line)
    below = " " * min(begin.end() if begin else 0, width // 2)
    return _wrap(line, width, below)


def _wrap(text: str, width: int, below: str = "") -> list[str]:
    from textwrap import wrap  # noqa: PLC0415 - the language server makes a parser, and shows no help

    return wrap(text, width, subsequent_indent=below, break_long_words=False, break_on_hyphens=False)
