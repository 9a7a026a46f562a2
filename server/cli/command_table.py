"""The commands by what people want of them: their names and one line each, for which no command has to be loaded."""

# No annotations from __future__: NamedTuple would compile each of them, 3 ms in front of the language server.
from typing import NamedTuple


class Command(NamedTuple):
    """A command: a module of this package has its options, with `_` for `-` in its name."""

    name: str
    summary: str
    """What it does, in less than a line of 80 columns."""
    older_names: tuple[str, ...] = ()
    """What it was called before: understood, and not shown."""

    @property
    def module(self) -> str:
        """The module that declares and runs it."""
        return f"warplens.server.cli.{self.name.replace('-', '_')}"


class Group(NamedTuple):
    """Commands that belong together, under a title."""

    title: str
    commands: tuple[Command, ...]


GROUPS = (
    Group(
        "predict loops",
        (
            Command("check", "say which loops of C files are worth porting to a GPU"),
            Command("report", "write one HTML page with charts of all that is known"),
            Command("what-if", "predict a loop with another size, GPU, CPU or launch"),
            Command("compare", "predict a loop on several GPUs, fastest first"),
            Command("search", "rank all ways to divide a loop among a GPU's threads"),
        ),
    ),
    Group(
        "port and measure them",
        (
            Command("port", "write OpenMP, OpenACC or CUDA for a loop, or restructure it"),
            Command("measure", "run a loop's CUDA port on this GPU, time it and check it"),
            Command("profile", "take sizes from a real run of the program (gcov's counts)"),
            Command("counters", "say what holds a GPU kernel back, from a profiler's counters"),
        ),
    ),
    Group(
        "GPUs and CPUs",
        (
            Command("machines", "list those that can be predicted for, show one's values", ("profiles",)),
            Command("calibrate", "measure this machine's GPU or CPU, to predict for it"),
        ),
    ),
    Group(
        "editor, words and set-up",
        (
            Command("lsp", "start the language server; editors do that"),
            Command("explain", "say what a rule (WL201) or a word (occupancy) means"),
            Command("doctor", "check the installation, and say what is wrong"),
            Command("cache", "show or clear the results kept for the next session"),
            Command("completion", "print what lets bash, zsh or fish complete commands"),
            Command("help", "show how a command is called"),
        ),
    ),
)

COMMANDS = tuple(command for group in GROUPS for command in group.commands)


def find_command(name: str) -> Command | None:
    """The command of that name, also of an older one; None where there is none.

    >>> find_command("profiles").name, find_command("chek")
    ('machines', None)
    """
    return next((each for each in COMMANDS if name == each.name or name in each.older_names), None)
