"""What Warplens can do, on one screen; and what is said of a command that there is not."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import fill

from warplens.server.cli.command_help import wrapped
from warplens.server.cli.command_table import COMMANDS, GROUPS, Group
from warplens.server.cli.commands import EXIT_CODES
from warplens.server.render.visible_text import visible_name
from warplens.server.settings.nearest import nearest_name, shortened

_COLUMNS = 80
_SYNOPSIS = """\
usage: warplens COMMAND ...
       warplens help COMMAND
"""
PURPOSE = "Says, on every loop nest of plain C, what it would do on a GPU."
EXAMPLES = (
    ("warplens check main.c", "which loops are worth it, and why"),
    ("warplens report src -o report.html", "all C files below src on one page"),
    ("warplens port main.c:26 --to cuda", "the loop in line 26 as a CUDA file"),
)
"""The calls that are used most, and what they are for."""
_OPTIONS = """\
options:
  -h, --help   show this help and exit
  --version    show the version and exit
"""


def overview() -> str:
    """The help of `warplens` itself, at most 80 columns wide."""
    examples = "".join(f"  {call:<37}{what}\n" for call, what in EXAMPLES)
    head = (_SYNOPSIS, f"{PURPOSE}\n", f"used most:\n{examples}")
    return "\n".join((*head, *map(_listed, GROUPS), _OPTIONS, *wrapped(EXIT_CODES, _COLUMNS), ""))


def unknown_command(name: str) -> str:
    """What is said of a command that there is not."""
    what = f"there is no command {visible_name(shortened(name))}"
    near = nearest_name(name, [command.name for command in COMMANDS])
    if near:
        return f"{what}; did you mean {near}?"
    file = re.sub(r":\d+$", "", name)
    if file.endswith((".c", ".h")) or Path(file).exists():
        return f"{what}; did you mean warplens check {visible_name(name)}?"
    names = ", ".join(command.name for command in COMMANDS)
    lines = fill(names, _COLUMNS, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    return f"{what}; there are\n{lines}"


def _listed(group: Group) -> str:
    rows = (f"  {command.name:<11}  {command.summary}" for command in group.commands)
    return "\n".join((f"{group.title}:", *rows, ""))
