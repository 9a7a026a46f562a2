"""The scripts that complete commands in bash, zsh and fish: shtab's, told what stands for each value.

shtab has no names that are found when somebody presses TAB, as profiles of one's own are, and no lists with commas.
`shell_code` has the few functions for that, in each shell's language.
"""

import re
from argparse import Action, ArgumentParser
from pathlib import Path
from typing import Final, NamedTuple

import shtab
from support.command_line.every_command import all_parsers, arguments, below, summaries, value_name, whole_parser
from warplens.analysis.advice.catalogue import RULES
from warplens.hwprofiles.loader import cpu_names, gpu_names
from warplens.server.cli.command_table import COMMANDS
from warplens.server.cli.fix_names import NAMES
from warplens.server.measure.calibration.gpu_program import gpu_quantities
from warplens.server.render.glossary import terms

SHELL_CODE: Final = Path(__file__).with_name("shell_code")

_FILES = {"FILE", "OUT", "CMD"}
_FOLDERS = {"DIR", "FOLDER", "folder"}
_SEVERAL = {"A,B", "CODES"}
"""Values that are several names with commas between them."""
_OF_A_KIND = {
    "--gpu": "gpu", "--gpus": "gpu", "--on": "gpu", "--cpu": "cpu", "--extends": "machine", "name": "machine",
    "--disable": "rule", "--to": "fix", "--only": "quantity", "words": "command", "what": "meaning",
}  # fmt: skip
_OF_THE_USER = {
    "NAME=SIZE", "NAME=SIZES", "NAME=SIZE,SIZE", "NAME[=VALUE]", "COMMAND", "SIZE", "COUNT", "N", "XxYxZ", "S",
    "SECONDS", "MS", "MICROSECONDS", "PATTERN", "HOST:PORT", "sm_90",
}  # fmt: skip
_IN_THE_USERS_FILES = {
    "--kernel", "--mapping", "--shared", "--name", "--kernel-column", "--gpu-column", "--time-column", "--size-column",
}  # fmt: skip
"""Options whose names nothing looks up while one types."""


class Kind(NamedTuple):
    """Names of one kind; of GPUs and CPUs the user may have more."""

    names: tuple[str, ...]
    has_own: bool = False


def kinds() -> dict[str, Kind]:
    """What can be completed by name."""
    rules = tuple(rule.code for rule in RULES)
    return {
        "gpu": Kind(tuple(gpu_names()), has_own=True),
        "cpu": Kind(tuple(cpu_names()), has_own=True),
        "machine": Kind((*gpu_names(), *cpu_names()), has_own=True),
        "rule": Kind(rules),
        "fix": Kind(NAMES),
        "quantity": Kind(tuple(quantity.name for quantity in gpu_quantities())),
        "command": Kind(tuple(command.name for command in COMMANDS)),
        "meaning": Kind((*rules, *(term.name for term in terms() if " " not in term.name))),
    }


def script(shell: str) -> str:
    """The script of bash, zsh or fish; raises ValueError for a value of which nothing here says what it is."""
    parser = whole_parser()
    for each in all_parsers(parser):
        said = summaries(each)
        for name, command in below(each).items():
            command.description = said[name]  # what is shown beside the command
        for action in arguments(each):
            found = _completion(action, each)
            if found is not None:
                action.complete = found  # type: ignore[attr-defined]
    code = (SHELL_CODE / f"{shell}.txt").read_text(encoding="utf-8")
    functions = (_function(shell, name, kind, how) for name, kind in kinds().items() for how in ("one", "several"))
    text = shtab.complete(parser, shell, preamble={shell: "\n".join((code, *functions))})
    text = "\n".join(_mended(shell, line.rstrip()) for line in text.splitlines())
    return f"{text.rstrip()}\n"


def _mended(shell: str, line: str) -> str:
    """What shtab 1.13 leaves out: --option=VALUE in bash and zsh, and more than one file in zsh."""
    if shell == "bash":
        return line.replace("-F _shtab_warplens warplens", "-F _warplens warplens")
    if shell == "zsh" and "]:" in line:
        line = re.sub(r'^(  "\*?--[\w-]+|  (?:"\*")?\{-\w,--[\w-]+)(?=\[|\}"\[)', r"\1=", line)
    return re.sub(r'^  "\(\*\)::?', '  "*:', line) if shell == "zsh" else line


def _function(shell: str, name: str, kind: Kind, how: str) -> str:
    words = " ".join((*kind.names, *(("(_warplens_own)" if shell == "fish" else "$(_warplens_own)",) * kind.has_own)))
    called = f"_warplens_{how}_{name}"
    match shell:
        case "bash":
            return f'{called}() {{ _warplens_{how} "$1" {words}; }}'
        case "zsh":
            return f'{called}() {{ _warplens_{how} {words} -- "$@" }}'
        case _:
            return f"function {called}; _warplens_{how} {words}; end"


def _completion(action: Action, parser: ArgumentParser) -> dict[str, object] | None:
    value = value_name(action)
    called = action.option_strings[-1] if action.option_strings else action.dest
    if action.choices or not value:
        return None
    if value == "FILE:LINE" or (value == "FILE" and parser.prog in {"warplens check", "warplens report"}):
        return shtab.glob("*.c", "*.h")
    if value in _FILES or "." in value:
        return shtab.FILE
    if value in _FOLDERS:
        return shtab.DIRECTORY
    if called in _OF_A_KIND:
        function = f"_warplens_{'several' if value in _SEVERAL else 'one'}_{_OF_A_KIND[called]}"
        return {"bash": function, "zsh": function, "fish": f"({function})"}
    if value in _OF_THE_USER or called in _IN_THE_USERS_FILES:
        return None
    raise ValueError(f"{parser.prog}: say in {__name__} what {called} {value} is")
