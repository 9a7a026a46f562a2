"""`warplens profile`: counts of real runs, as a better source of trip counts than assumed sizes.

  gcc -O2 --coverage main.c -o main    build with counters
  ./main                               run on what the program is for
  gcov --json-format -b *.gcda         writes *.gcov.json.gz
  warplens profile import .            takes them into .warplens/profile.json

Then the hover, `warplens check` and its JSON say what was measured, and sizes that nobody said (no comment, no
.warplens.toml, no setting) follow from the measured trip counts. `-fno-early-inlining` makes the counts tell more
of loops that end early. Several imports are summed. A function that was edited since has no counts until the next
import; one that only moved keeps them.
"""

from __future__ import annotations

import argparse
import errno
import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from warplens.analysis.measured.measured_counts import LoopCounts, measured_file
from warplens.analysis.text.loop_places import find_places
from warplens.analysis.text.quantities import average_text, count_text, percent_text
from warplens.server.cli.commands import SubParsers, command_parser
from warplens.server.cli.streams import write_error, write_out
from warplens.server.cli.write_json import json_text
from warplens.server.files.folder_files import PROFILE_NAME
from warplens.server.files.folder_lock import locked
from warplens.server.files.regular_file import is_inside
from warplens.server.files.source_file import read_source
from warplens.server.json.counts import counts_as_json
from warplens.server.lsp.lines import Lines
from warplens.server.measure.loop_counts.gcov_json import GcovError, gcov_files, read_gcov
from warplens.server.measure.loop_counts.import_counts import Imported, import_counts
from warplens.server.measure.loop_counts.profile_file import ProfileFileError, RunProfile, load_profile, save_profile
from warplens.server.render.amounts import plural

JSON_VERSION = 1
_HEAD = ("place", "iterations", "runs", "average", "line executions", "loop")


@dataclass(frozen=True, slots=True)
class CountedLoop:
    """A loop of a file of the profile; lines and columns count from 1."""

    path: str
    line: int
    column: int
    text: str
    counts: LoopCounts


@dataclass(frozen=True, slots=True)
class Survey:
    """The loops that a profile has counts of, the others' number, and the files that are no longer as they ran."""

    loops: tuple[CountedLoop, ...]
    not_counted: int
    notes: tuple[str, ...]


def add_command(commands: SubParsers, epilog: str) -> None:
    """Declare the command and its two parts."""
    parser = command_parser(commands, "profile", __doc__, epilog)
    parts = parser.add_subparsers(dest="part", required=True, metavar="{import,show}")
    imports = parts.add_parser("import", help=f"add gcov's counts to {PROFILE_NAME}")
    imports.add_argument(
        "files", nargs="+", metavar="FILE", help="a *.gcov.json or *.gcov.json.gz, or a folder of them"
    )
    imports.add_argument("--replace", action="store_true", help="forget what was imported before")
    imports.set_defaults(run=run_import)
    show = parts.add_parser("show", help="list the loops that ran, hottest first")
    show.add_argument("--top", metavar="COUNT", type=_positive, default=20, help="loops to list (default: %(default)s)")
    show.set_defaults(run=run_show)
    for part in (imports, show):
        part.add_argument(
            "--root", metavar="DIR", type=Path, default=Path(), help="the folder of the sources (default: this one)"
        )
        part.add_argument("--json", action="store_true", help="print one JSON object instead of text")


def run_import(arguments: argparse.Namespace) -> int:
    """Add counts; 1 when a file could not be used, or when none of the folder's loops was counted."""
    path = arguments.root.resolve() / PROFILE_NAME
    refused: list[str] = []
    counted = []
    for name in arguments.files:
        try:
            for file in gcov_files(name):
                try:
                    counted += read_gcov(file)
                except GcovError as error:
                    refused.append(str(error))
        except GcovError as error:
            refused.append(str(error))
    try:
        with locked(arguments.root.resolve()):  # another import would lose these counts, or this one its own
            before = load_profile(path) if os.path.lexists(path) and not arguments.replace else RunProfile()
            today = datetime.now().astimezone().date().isoformat()
            imported = import_counts(before, counted, arguments.root.resolve(), today)
            survey = _survey(imported.profile, arguments.root)
            refused += imported.refused
            if counted and not imported.names and not imported.refused:
                refused.append(f"none of the counted files lies in {arguments.root.resolve()} (see --root)")
            elif imported.names and not any(loop.path in imported.names for loop in survey.loops):
                refused.append(f"no loop was found in the counted files ({', '.join(imported.names)})")
            elif imported.names:
                save_profile(path, imported.profile)
    except (OSError, ProfileFileError) as error:
        refused.append(f"{path}: {getattr(error, 'strerror', None) or error}")
    else:
        _print_import(arguments, path, imported, survey)
    for message in refused:
        write_error(f"warplens: {message}\n")
    return 1 if refused else 0


def run_show(arguments: argparse.Namespace) -> int:
    """List the loops that ran; 1 when there is no profile."""
    path = arguments.root.resolve() / PROFILE_NAME
    try:
        survey = _survey(load_profile(path), arguments.root)
    except FileNotFoundError:
        write_error(f"warplens: {path}: no counts were imported here (warplens profile import FILE...)\n")
        return 1
    except (OSError, ProfileFileError) as error:
        write_error(f"warplens: {path}: {getattr(error, 'strerror', None) or error}\n")
        return 1
    if arguments.json:
        loops = [_as_json(loop) for loop in survey.loops[: arguments.top]]
        _print_json({"loops": loops, "loops_not_counted": survey.not_counted, "notes": list(survey.notes)})
        return 0
    _print_survey(survey, arguments.top)
    return 0


def _survey(profile: RunProfile, root: Path) -> Survey:
    """Loops by iterations, most first, as the files are now; a file that is gone has none."""
    loops: list[CountedLoop] = []
    notes: list[str] = []
    not_counted = 0
    for name in sorted(profile.sources):
        counts = profile.counts(name)
        try:
            source = _source_in(root, name)
        except OSError as error:
            notes.append(f"{name}: {error.strerror or error}")
            continue
        if counts is None:
            continue
        measured = measured_file(source, counts)
        positions = Lines(source)
        not_counted += len(find_places(source).loops) - len(measured.loops)
        if measured.stale:
            lines = ", ".join(str(positions.line_of(span.start) + 1) for span in measured.stale)
            which = "the function at line" if len(measured.stale) == 1 else "the functions at lines"
            notes.append(f"{name}: {which} {lines} changed since the program ran and have no counts")
        for keyword, loop in measured.loops:
            line = positions.line_of(keyword)
            text = positions.line_text(line).strip()
            loops.append(CountedLoop(name, line + 1, positions.column_of(keyword) + 1, text, loop))
    loops.sort(key=lambda loop: (-loop.counts.iterations, loop.path, loop.line, loop.column))
    return Survey(tuple(loops), not_counted, tuple(notes))


def _source_in(root: Path, name: str) -> str:
    """A file that the profile names; raises OSError for one outside of the folder that the profile speaks of."""
    if Path(name).is_absolute() or ".." in Path(name).parts or not is_inside(root / name, root):
        raise OSError(errno.EXDEV, "it lies outside of the profile's folder, which is not looked at")
    return read_source(root / name)


def _print_import(arguments: argparse.Namespace, path: Path, imported: Imported, survey: Survey) -> None:
    loops = [loop for loop in survey.loops if loop.path in imported.names]
    never = sum(loop.counts.never_ran for loop in loops)
    if arguments.json:
        _print_json(
            {
                "profile": str(path),
                "files": list(imported.names),
                "loops_counted": len(loops),
                "loops_that_never_ran": never,
                "notes": list(imported.notes),
            }
        )
    elif loops:
        for note in imported.notes:
            write_out(f"{note}\n")
        counted = f"{plural(len(imported.names), 'file')}, {plural(len(loops), 'loop')} counted ({never} never ran)"
        write_out(f"{counted}: {path}\nwarplens profile show lists the loops, hottest first.\n")


def _print_survey(survey: Survey, top: int) -> None:
    shown = survey.loops[:top]
    rows = [_HEAD, *(_row(loop) for loop in shown)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    for place, *numbers, text in rows:
        columns = (f"{number:>{width}}" for number, width in zip(numbers, widths[1:], strict=False))
        write_out(f"{place:<{widths[0]}}  {'  '.join(columns)}  {text}\n")
    if any(not loop.counts.is_confirmed for loop in shown):
        write_out("(?) the likelier reading of the counts: or the loop ran less than once on average\n")
    if any(loop.counts.entries is None for loop in shown):
        write_out("runs ?: the loop can end early, which these counts do not show (try -fno-early-inlining)\n")
    if len(survey.loops) > top:
        write_out(f"and {plural(len(survey.loops) - top, 'more loop')} (--top)\n")
    if survey.not_counted:
        why = "optimised away, edited since the run, or not told apart"
        write_out(f"{plural(survey.not_counted, 'loop')} without counts: {why}\n")
    for note in survey.notes:
        write_out(f"{note}\n")


def _row(loop: CountedLoop) -> tuple[str, ...]:
    counts = loop.counts
    average = counts.average_trips
    return (
        f"{loop.path}:{loop.line}:{loop.column}",
        count_text(counts.iterations) + ("" if counts.is_confirmed else " (?)"),
        "?" if counts.entries is None else count_text(counts.entries),
        "" if average is None else average_text(average),
        percent_text(counts.share),
        loop.text,
    )


def _as_json(loop: CountedLoop) -> dict[str, Any]:
    return {"path": loop.path, "line": loop.line, "column": loop.column, **counts_as_json(loop.counts)}


def _print_json(value: dict[str, Any]) -> None:
    write_out(f"{json_text({'version': JSON_VERSION, **value}, 2)}\n")


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)
