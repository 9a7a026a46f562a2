"""The programs that files on the command line are part of, read by the processes that analyse them afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path

from warplens.server.cli.process_pool import ProcessPool
from warplens.server.cli.streams import write_error
from warplens.server.program.connected_units import ConnectedUnits
from warplens.server.program.packed_file import PackedFile, SameFile, UnreadFile
from warplens.server.program.packed_program import PackedProgram
from warplens.server.program.program_jobs import IndexJob, KeepProgramJob, LoadProgramJob
from warplens.server.program.translation_units import LeftOut, TranslationUnits, translation_units
from warplens.server.render.amounts import plural
from warplens.server.render.visible_text import visible_name
from warplens.server.settings.settings import Settings
from warplens.server.worker.process import AnalysisFailedError, AnalysisTimedOutError

_MOST_NAMED = 5


AtIndex = Callable[[int, int], None]
"""Hears how many files were read, of how many."""


def nobody_hears(_read: int, _files: int) -> None:
    """Where there is nothing to show it."""


async def listed_programs(roots: Iterable[Path]) -> dict[str, TranslationUnits]:
    """The C files of the programs below these roots, by root."""
    return {str(root): await asyncio.to_thread(translation_units, root, trusted=True) for root in dict.fromkeys(roots)}


async def indexed_programs(
    programs: Mapping[str, TranslationUnits],
    asked: Mapping[str, AbstractSet[str]],
    settings: Settings,
    pool: ProcessPool,
    at_index: AtIndex,
) -> dict[str, PackedProgram]:
    """Read the files that are in one program with those asked for, as far as they are not known; by root.

    `asked` are, by root too, the paths of the files that are analysed.
    """
    needed = {
        root: await asyncio.to_thread(ConnectedUnits().connected, root, units.paths, asked[root])
        for root, units in programs.items()
    }
    total = sum(map(len, needed.values()))
    count = 0

    def at_file() -> None:
        nonlocal count
        count += 1
        at_index(count, total)

    return {
        root: await _indexed(units, needed[root], asked[root], settings, pool, at_file)
        for root, units in programs.items()
    }


async def _indexed(
    units: TranslationUnits,
    needed: Sequence[str],
    asked: AbstractSet[str],
    settings: Settings,
    pool: ProcessPool,
    at_file: Callable[[], None],
) -> PackedProgram:
    if not needed or (len(needed) == 1 and asked <= {*needed}):  # it tells all of its program itself
        return PackedProgram(units.root, {})
    known = {one.path: one for one in await _kept(units.root, pool)}
    left_out = [*units.left_out]

    async def read(path: str) -> PackedFile | None:
        before = known.get(path)
        job = IndexJob(path, settings, (units.root,), trusted=True, known=None if before is None else before.grounds)
        try:
            found = await pool.run(job)
        except (AnalysisFailedError, AnalysisTimedOutError) as error:
            found = UnreadFile(path, str(error))
        at_file()
        if isinstance(found, SameFile):
            return before
        if isinstance(found, UnreadFile):
            if found.reason:
                left_out.append(LeftOut(path, found.reason))
            return None
        return found

    files = [one for one in await asyncio.gather(*map(read, needed)) if one is not None]
    others = [known[path] for path in units.paths if path in known and path not in {*needed}]
    if any(known.get(one.path) is not one for one in files) or len(files) + len(others) < len(known):
        await pool.run(KeepProgramJob(units.root, (*files, *others)))
    _say_left_out(units.root, [one for one in left_out if str(one.path) not in asked])  # these have their own report
    return PackedProgram(units.root, {one.path: one for one in files})


async def _kept(root: str, pool: ProcessPool) -> tuple[PackedFile, ...]:
    try:
        return await pool.run(LoadProgramJob(root))
    except (AnalysisFailedError, AnalysisTimedOutError):
        return ()


def _say_left_out(root: str, left_out: Sequence[LeftOut]) -> None:
    """Tell of files of a program that say nothing of the others' sizes."""
    for one in left_out[:_MOST_NAMED]:
        write_error(f"warplens: {visible_name(one.path)} {one.reason}: it is left out of the program\n")
    more = len(left_out) - _MOST_NAMED
    if more > 0:
        write_error(f"warplens: and {plural(more, 'more file')} of {visible_name(root)}\n")
