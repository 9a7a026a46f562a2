"""From gcov's counts to a folder's profile: which files they are of, whether they fit their text, sums over runs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from warplens.analysis.measured.line_counts import CountedFunction, LineCount
from warplens.analysis.measured.measured_counts import counted_functions
from warplens.server.files.source_file import read_source
from warplens.server.measure.loop_counts.gcov_json import CountedSource
from warplens.server.measure.loop_counts.profile_file import RunProfile, StoredSource, relative_name


@dataclass(frozen=True, slots=True)
class Imported:
    """The new profile, the names that were added to it, and what the user should know, a sentence each."""

    profile: RunProfile
    names: tuple[str, ...]
    refused: tuple[str, ...]
    notes: tuple[str, ...]


def import_counts(profile: RunProfile, counted: Iterable[CountedSource], folder: Path, today: str) -> Imported:
    """Add counts of the folder's files to its profile; of other files only the sum is kept.

    Counts of the same text are summed; those of another text take the place of the older ones.
    """
    sources = dict(profile.sources)
    elsewhere = profile.elsewhere_line_executions
    names: dict[str, None] = {}
    refused: list[str] = []
    notes: list[str] = []
    for each in counted:
        name = relative_name(each.path, folder)
        if name is None:
            elsewhere += sum(line.count for line in each.lines.values())
            continue
        try:
            source = read_source(each.path)
        except OSError as error:
            refused.append(f"{name}: the counted source can't be read ({error.strerror or error})")
            continue
        misfit = _misfit(source, each)
        if misfit:
            refused.append(f"{name}: {misfit}")
            continue
        added = _stored(source, each, today)
        before = sources.get(name)
        if before is not None and before.digest == added.digest:
            added = _sum(before, added, is_new_run=name not in names)
        elif before is not None:
            notes.append(f"{name}: it changed since the earlier import, whose counts are dropped")
        sources[name] = added
        names[name] = None
    return Imported(RunProfile(sources, elsewhere), tuple(names), tuple(refused), tuple(notes))


def _misfit(source: str, counted: CountedSource) -> str:
    """How the counts show that they are of another text, empty if they don't."""
    lines = source.split("\n")
    for first_line, name in counted.executions:
        plain = name.partition(".")[0]
        head = " ".join(lines[first_line - 1 : first_line + 1])
        word = re.compile(rf"\b{re.escape(plain)}\b")
        if not word.search(head) and word.search(source):
            return f"the counts don't fit its text (`{plain}` is not at line {first_line}): compile and run it again"
    if counted.lines and max(counted.lines) > len(lines):
        return f"the counts don't fit its text (it has no line {max(counted.lines)}): compile and run it again"
    return ""


def _stored(source: str, counted: CountedSource, today: str) -> StoredSource:
    by_line: dict[int, int] = {}
    for (line, _), executions in counted.executions.items():
        by_line[line] = by_line.get(line, 0) + executions
    digest, functions = counted_functions(source, by_line)
    return StoredSource(digest, today, 1, functions, tuple(counted.lines[line] for line in sorted(counted.lines)))


def _sum(before: StoredSource, added: StoredSource, *, is_new_run: bool) -> StoredSource:
    lines = CountedSource(Path())
    for line in (*before.lines, *added.lines):
        lines.add(line)
    functions = tuple(
        CountedFunction(one.digest, one.first_line, one.last_line, _executions(one.executions, other.executions))
        for one, other in zip(before.functions, added.functions, strict=True)
    )
    ordered: tuple[LineCount, ...] = tuple(lines.lines[number] for number in sorted(lines.lines))
    return StoredSource(before.digest, added.imported, before.runs + is_new_run, functions, ordered)


def _executions(one: int | None, other: int | None) -> int | None:
    return None if one is None and other is None else (one or 0) + (other or 0)
