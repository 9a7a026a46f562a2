"""`warplens check FILE...`: analyse files, or all C files of folders, and print a report per loop."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from warplens.server.cli.analyse_files import FileResult, analyse_files, c_files
from warplens.server.cli.arguments import add_analysis_options, add_noise_options, console_for, settings_of
from warplens.server.cli.commands import SubParsers
from warplens.server.cli.report_text import print_file, print_summary
from warplens.server.cli.streams import write_error
from warplens.server.cli.terminal import TerminalConsole
from warplens.server.cli.unused_options import FolderSizes
from warplens.server.cli.write_json import Fields, JsonReport
from warplens.server.json.report import file_as_json
from warplens.server.render.visible_text import visible_name
from warplens.server.worker.job import Answer


def add_command(commands: SubParsers, epilog: str) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "check",
        help="analyse C files and print a report per loop",
        description=__doc__,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a C file, or a folder for every *.c, and every *.h with loops, in and below it; `-` reads standard input",
    )
    add_analysis_options(parser)
    add_noise_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    parser.add_argument("--no-progress", action="store_true", help="show no progress bar on standard error")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Analyse and print; the exit code tells whether every file was analysed."""
    return asyncio.run(_check(arguments))


async def _check(arguments: argparse.Namespace) -> int:
    console = console_for(arguments.color)
    names = c_files(arguments.files)
    answers: list[Answer] = []
    is_complete = True
    failures = 0
    report = JsonReport(sys.stdout) if arguments.json else None
    folders = FolderSizes(arguments.files)
    with _progress(console, arguments, len(names)) as progress:
        task = progress.add_task("analysing", total=len(names))

        def at_index(read: int, files: int) -> None:
            if read < files:
                progress.update(task, total=files, completed=read, description="reading the program")
            else:
                progress.update(task, total=len(names), completed=0, description="analysing")

        settings = settings_of(arguments)
        async for result in analyse_files(
            names, settings, given=arguments.files, with_break_evens=True, at_index=at_index
        ):
            progress.update(task, advance=1, description=Path(result.path).name)
            is_complete = is_complete and result.is_complete
            folders.note(result.path, result.answer)
            if result.answer is None:
                failures += 1
                write_error(f"warplens: {visible_name(result.path)}: {result.failure}\n")
            if report is not None:
                report.add(_as_json(result))
            elif result.answer is not None:
                print_file(console, result.path, result.text, result.answer, result.break_evens)
                answers.append(result.answer)
    for message in folders.without_effect():
        write_error(f"warplens: {visible_name(message)}\n")
    if report is not None:
        report.end()
    else:
        print_summary(console, answers, failures)
    return 0 if is_complete else 1


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
