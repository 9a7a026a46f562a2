"""What `warplens check` does: files are analysed one after the other, then the table or the loops are printed."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from warplens.server.cli.analyse_files import FileResult, analyse_files, c_files
from warplens.server.cli.arguments import settings_of
from warplens.server.cli.commands import failed
from warplens.server.cli.find_loop import NoLoopError, loop_at_line
from warplens.server.cli.overview import Overview, overview_as_json
from warplens.server.cli.overview_text import print_overview
from warplens.server.cli.paging import paged
from warplens.server.cli.report_text import print_file
from warplens.server.cli.streams import write_error
from warplens.server.cli.terminal import TerminalConsole, console_for
from warplens.server.cli.unused_options import FolderSizes
from warplens.server.cli.write_json import Fields, JsonReport
from warplens.server.json.report import file_as_json
from warplens.server.render.visible_text import visible_name


def check(arguments: argparse.Namespace) -> int:
    """Analyse and print; the exit code tells whether every file was analysed."""
    console = console_for(arguments.color)
    asked = Asked.of(arguments.files)
    if arguments.json and asked.lines:
        place = next(f"{path}:{lines[0]}" for path, lines in asked.lines.items())
        return failed(place, "JSON is of whole files: name it without the line", 2)
    is_paged = console.is_terminal and not arguments.json and (arguments.verbose or asked.lines)
    if is_paged and len(asked.names) == 1:  # of several a bar shows how far it is
        with paged(console):
            return asyncio.run(_check(console, arguments, asked))
    return asyncio.run(_check(console, arguments, asked))


@dataclass(frozen=True, slots=True)
class Asked:
    """`given` are files and folders as they were named, `names` the files; `lines` those of loops, by file.

    `whole` are the files that are asked for as such.
    """

    given: tuple[str, ...]
    names: tuple[str, ...]
    lines: Mapping[str, tuple[int, ...]]
    whole: frozenset[str]

    @staticmethod
    def of(arguments: Sequence[str]) -> Asked:
        """A file that is called so comes before a line of a file."""
        lines: dict[str, tuple[int, ...]] = {}
        given, plain = [], []
        for argument in arguments:
            path, _, line = argument.rpartition(":")
            is_place = bool(path) and line.isdecimal() and not Path(argument).exists()
            given.append(path if is_place else argument)
            if is_place:
                lines[path] = (*lines.get(path, ()), int(line))
            else:
                plain.append(argument)
        return Asked(tuple(given), c_files(given), lines, frozenset(c_files(plain)))


async def _check(console: Console, arguments: argparse.Namespace, asked: Asked) -> int:
    output: Output = JsonOutput() if arguments.json else TextOutput(console, arguments, asked)
    is_complete = True
    folders = FolderSizes(asked.given)
    with _progress(console, arguments, len(asked.names)) as progress:
        task = progress.add_task("analysing", total=len(asked.names))

        def at_index(read: int, files: int) -> None:
            if read < files:
                progress.update(task, total=files, completed=read, description="reading the program")
            else:
                progress.update(task, total=len(asked.names), completed=0, description="analysing")

        settings = settings_of(arguments)
        async for result in analyse_files(
            asked.names, settings, given=asked.given, with_break_evens=True, at_index=at_index
        ):
            progress.update(task, advance=1, description=Path(result.path).name)
            is_complete = is_complete and result.is_complete
            folders.note(result.path, result.answer)
            if result.answer is None:
                write_error(f"warplens: {visible_name(result.path)}: {result.failure}\n")
            output.add(result)
    for message in folders.without_effect():
        write_error(f"warplens: {visible_name(message)}\n")
    code = output.end()
    return code if is_complete else max(1, code)


class Output(Protocol):
    """What is done with the results, one after the other."""

    def add(self, result: FileResult) -> None:
        """Take one file's."""

    def end(self) -> int:
        """No more come; an exit code of what was asked for wrongly."""


class JsonOutput:
    """One object with all files, and the rows of the table."""

    def __init__(self) -> None:
        self._report = JsonReport(sys.stdout)
        self._overview = Overview()

    def add(self, result: FileResult) -> None:
        """Write it."""
        self._overview.add(result)
        self._report.add(_as_json(result))

    def end(self) -> int:
        """Write what is of all files."""
        self._report.end({"overview": overview_as_json(self._overview)})
        return 0


class TextOutput:
    """The table of all loops at the end; every loop in full at once, or those that were asked for."""

    def __init__(self, console: Console, arguments: argparse.Namespace, asked: Asked) -> None:
        self._console = console
        self._asked = asked
        self._is_full = bool(arguments.verbose)
        self._is_quiet = arguments.noise == "quiet"
        self._overview = Overview()
        self._failures = 0
        self._code = 0

    def add(self, result: FileResult) -> None:
        """Print what is wanted of it at once."""
        if result.answer is None:
            self._failures += 1
            return
        lines = self._asked.lines.get(result.path, ())
        for line in lines:
            try:
                loop_at_line(result.answer, result.text, line)
            except NoLoopError as error:
                self._code = max(self._code, failed(f"{result.path}:{line}", str(error), 2 if error.is_usage else 1))
        if lines or self._is_full:
            print_file(self._console, result, lines, is_quiet=self._is_quiet)
        if result.path in self._asked.whole:
            self._overview.add(result)

    def end(self) -> int:
        """Print the table, where not all that was asked for are loops."""
        if self._overview.files or self._failures or not self._asked.lines:
            print_overview(self._console, self._overview, self._failures, is_quiet=self._is_quiet)
        return self._code


def _as_json(result: FileResult) -> Fields:
    if result.answer is None:
        return {"path": result.path, "failure": result.failure}
    return file_as_json(result.path, result.text, result.answer, result.break_evens)


def _progress(console: Console, arguments: argparse.Namespace, file_count: int) -> Progress:
    """A bar below the reports where these are read on a terminal, else on standard error."""
    is_shared = console.is_terminal and not arguments.json
    where = console if is_shared else TerminalConsole(stderr=True)
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=where,
        transient=True, disable=arguments.no_progress or file_count < 2 or not where.is_terminal,
    )  # fmt: skip
