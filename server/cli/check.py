"""`warplens check FILE...`: analyse files, or all C files of folders, and print a report per loop."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from warplens.hwprofiles.loader import load_cpu, load_gpu
from warplens.hwprofiles.profile import ProfileError
from warplens.server.cli.analyse_files import FileResult, analyse_files, c_files
from warplens.server.cli.commands import SubParsers
from warplens.server.cli.report_json import file_as_json
from warplens.server.cli.report_text import print_file, print_summary
from warplens.server.cli.write_json import Fields, JsonReport
from warplens.server.settings import Settings
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
        help="a C file, or a folder for every *.c in and below it; `-` reads standard input",
    )
    parser.add_argument("--gpu", metavar="NAME", type=_gpu, help="a profile's name or TOML file (default: A100)")
    parser.add_argument("--cpu", metavar="NAME", type=_cpu, help="the CPU that the GPU is compared with")
    parser.add_argument(
        "-D",
        dest="sizes",
        metavar="NAME=SIZE",
        type=_size,
        action="append",
        default=[],
        help="a problem size: -D n=4096",
    )
    parser.add_argument("--default-size", metavar="SIZE", type=_positive, default=Settings().default_size,
                        help="value of sizes that nothing says (default: %(default)s)")  # fmt: skip
    parser.add_argument(
        "-I", dest="include_paths", metavar="DIR", action="append", default=[], help="a folder of headers"
    )
    parser.add_argument(
        "--define", dest="defines", metavar="NAME[=VALUE]", action="append", default=[], help="define a macro"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="(default: %(default)s)")
    parser.add_argument("--no-progress", action="store_true", help="show no progress bar on standard error")
    parser.add_argument(
        "--time-limit", metavar="SECONDS", type=_seconds, default=60.0, help="per file (default: %(default)g)"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Analyse and print; the exit code tells whether every file was analysed."""
    return asyncio.run(_check(arguments))


async def _check(arguments: argparse.Namespace) -> int:
    console = _console(arguments.color)
    names = c_files(arguments.files)
    answers: list[Answer] = []
    is_complete = True
    report = JsonReport(sys.stdout) if arguments.json else None
    with _progress(console, arguments, len(names)) as progress:
        task = progress.add_task("analysing", total=len(names))
        async for result in analyse_files(names, _settings(arguments)):
            progress.update(task, advance=1, description=Path(result.path).name)
            is_complete = is_complete and result.is_complete
            if result.answer is None:
                sys.stderr.write(f"warplens: {result.path}: {result.failure}\n")
            if report is not None:
                report.add(_as_json(result))
            elif result.answer is not None:
                print_file(console, result.path, result.text, result.answer)
                answers.append(result.answer)
    if report is not None:
        report.end()
    else:
        print_summary(console, answers, len(names) - len(answers))
    return 0 if is_complete else 1


def _as_json(result: FileResult) -> Fields:
    if result.answer is None:
        return {"path": result.path, "failure": result.failure}
    return file_as_json(result.path, result.text, result.answer)


def _progress(console: Console, arguments: argparse.Namespace, file_count: int) -> Progress:
    """A bar below the reports where these are read on a terminal, else on standard error."""
    is_shared = console.is_terminal and not arguments.json
    where = console if is_shared else Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=where,
        transient=True, disable=arguments.no_progress or file_count < 2 or not where.is_terminal,
    )  # fmt: skip


def _settings(arguments: argparse.Namespace) -> Settings:
    return Settings(
        gpu=arguments.gpu or Settings().gpu,
        cpu=arguments.cpu or Settings().cpu,
        default_size=arguments.default_size,
        sizes=tuple(arguments.sizes),
        include_paths=tuple(str(Path(folder).resolve()) for folder in arguments.include_paths),
        defines=tuple(arguments.defines),
        analysis_time_limit_s=arguments.time_limit,
    )


def _console(color: str) -> Console:
    if color == "always":
        return Console(force_terminal=True, highlight=False, soft_wrap=True)
    return Console(no_color=color == "never" or None, highlight=False, soft_wrap=True,
                   force_terminal=False if color == "never" else None)  # fmt: skip


def _gpu(name: str) -> str:
    try:
        load_gpu(name)
    except ProfileError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return str(Path(name).resolve()) if name.endswith(".toml") else name


def _cpu(name: str) -> str:
    try:
        load_cpu(name)
    except ProfileError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return str(Path(name).resolve()) if name.endswith(".toml") else name


def _size(text: str) -> tuple[str, int]:
    name, _, value = text.partition("=")
    if not name.isidentifier() or not value.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=SIZE with a whole number (macros: --define)")
    return name, int(value)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return seconds
