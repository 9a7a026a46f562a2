"""Many files through a few analysis processes, answers in the order asked for."""

from __future__ import annotations

import asyncio
import errno
import os
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from warplens.analysis.frontend.preprocessing.header_name import HEADER
from warplens.analysis.ir.ids import LoopId
from warplens.analysis.models.sizes.break_even import BreakEven
from warplens.server.cli.index_programs import AtIndex, indexed_programs, listed_programs, nobody_hears
from warplens.server.cli.process_pool import ProcessPool
from warplens.server.cli.streams import write_error
from warplens.server.cli.unused_options import UnusedOptions
from warplens.server.files.header_with_loops import is_header_with_loops
from warplens.server.files.project import program_root
from warplens.server.files.regular_file import read_regular
from warplens.server.files.source_file import MAX_SOURCE_BYTES, decode
from warplens.server.json.break_even import BreakEvens
from warplens.server.program.packed_program import PackedProgram
from warplens.server.program.translation_units import program_of
from warplens.server.render.visible_text import visible_name
from warplens.server.settings.settings import Settings
from warplens.server.worker.attempts import analyse_past_runaways
from warplens.server.worker.job import AnalysisJob, Answer, BreakEvenJob
from warplens.server.worker.process import AnalysisFailedError, AnalysisProcess, AnalysisTimedOutError

STANDARD_INPUT = "-"


@dataclass(frozen=True, slots=True)
class FileResult:
    """A file's text and answer, or why there is none; break-evens where they were asked for."""

    path: str
    text: str
    answer: Answer | None
    failure: str = ""
    break_evens: BreakEvens = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        """Whether the file and every loop nest in it was analysed to the end."""
        return self.answer is not None and not any(nest.failure for f in self.answer.functions for nest in f.nests)


def c_files(names: Sequence[str]) -> tuple[str, ...]:
    """The names, a folder replaced by all `*.c` and headers with loops in and below it, each file once.

    Hidden folders are left out.
    """
    return tuple(dict.fromkeys(file for name in names for file in _files_of(name)))


async def analyse_files(
    names: Sequence[str],
    settings: Settings,
    *,
    given: Sequence[str] = (),
    with_break_evens: bool = False,
    at_index: AtIndex = nobody_hears,
) -> AsyncIterator[FileResult]:
    """Results in the order of the names; a name that is a folder still holds no C file and fails.

    Each file is analysed as part of its program, which is read first (`at_index` hears how far that is), unless the
    settings say otherwise. `given` are the names on the command line, with the folders that they were found in: a
    header that was found in one and turns out to have no loop is left out.
    """
    programs = _program_roots(names, given) if settings.reads_program else {}
    units = await listed_programs(programs.values())
    asked = {root: {str(_path(name)) for name, each in programs.items() if str(each) == root} for root in units}
    pool = ProcessPool(max(len(names), sum(len(each.paths) for each in units.values())))
    tasks: list[asyncio.Future[FileResult]] = []
    options = UnusedOptions(settings.sizes, settings.defines)
    try:
        indexed = await indexed_programs(units, asked, settings, pool, at_index)
        for name in names:
            root = programs.get(name)
            program = None if root is None else indexed[str(root)]
            tasks.append(
                asyncio.ensure_future(_analyse_when_idle(pool, name, root, program, settings, with_break_evens))
            )
        for task in tasks:
            result = await task
            for message in options.misread(result.text):
                write_error(f"warplens: {visible_name(result.path)}: {message}\n")
            options.note(result.answer)
            if not _is_silent_header(result, given):
                yield result
        for message in options.without_effect():
            write_error(f"warplens: {message}\n")
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await pool.stop()


async def analyse_file(name: str, settings: Settings) -> FileResult:
    """Result of one file."""
    (result,) = [each async for each in analyse_files((name,), settings)]
    return result


def _is_silent_header(result: FileResult, given: Sequence[str]) -> bool:
    """Whether a header was found in a folder and what it has of loops is for other languages or macros."""
    is_found = bool(given) and result.path not in given and result.path.endswith(HEADER)
    return is_found and result.answer is not None and not result.answer.loops_in_text


def _program_roots(names: Sequence[str], given: Sequence[str]) -> dict[str, Path]:
    """The folder of each file's program, by the file's name; standard input has none."""
    folders = [_path(name) for name in given if Path(name).is_dir()]
    return {
        name: program_of(_path(name), folders, trusted=True)
        for name in names
        if name != STANDARD_INPUT and not Path(name).is_dir()
    }


def _files_of(name: str) -> Iterator[str]:
    if not Path(name).is_dir():
        yield name
        return
    found = False
    for folder, inner, files in os.walk(name):
        inner[:] = sorted(each for each in inner if not each.startswith("."))
        for file in sorted(files):
            path = Path(folder, file)
            if file.endswith(".c") or (file.endswith(HEADER) and is_header_with_loops(path)):
                found = True
                yield str(path)
    if not found:
        yield name


async def _analyse_when_idle(
    pool: ProcessPool,
    name: str,
    root: Path | None,
    program: PackedProgram | None,
    settings: Settings,
    with_break_evens: bool,
) -> FileResult:
    async with pool.process() as process:
        result = await _analyse_in(process, name, root, program, settings)
        if result.answer is None or not with_break_evens:
            return result
        return replace(result, break_evens=await _break_evens(process, result.answer, settings))


async def _analyse_in(
    process: AnalysisProcess, name: str, root: Path | None, program: PackedProgram | None, settings: Settings
) -> FileResult:
    try:
        job = _job(name, root, program, settings)
    except IsADirectoryError:
        return FileResult(name, "", None, "there is no C file in this folder")
    except OSError as error:
        return FileResult(name, "", None, error.strerror or str(error))
    skipped: set[LoopId] = set()

    async def make_job() -> AnalysisJob:
        return replace(job, skipped=frozenset(skipped))

    try:
        return FileResult(name, job.text, await analyse_past_runaways(process, make_job, skipped))
    except AnalysisTimedOutError as ended:
        where = f" in `{ended.function}`" if ended.function else ""
        return FileResult(name, job.text, None, f"{ended}{where} (see --time-limit)")
    except AnalysisFailedError as failed:
        return FileResult(name, job.text, None, f"{failed}\n{failed.details}".rstrip())


async def _break_evens(process: AnalysisProcess, answer: Answer, settings: Settings) -> BreakEvens:
    found: dict[bytes, BreakEven | None] = {}
    for packed in (nest.packed for function in answer.functions for nest in function.nests if nest.packed):
        with suppress(AnalysisTimedOutError, AnalysisFailedError):
            portion = await process.run(BreakEvenJob(packed, settings.analysis_time_limit_s))
            if portion.is_finished:
                found[packed] = portion.break_even
    return found


def _job(name: str, root: Path | None, program: PackedProgram | None, settings: Settings) -> AnalysisJob:
    """Read a file; raises OSError. Where this was started does not matter: a file's program is around the file."""
    content = _standard_input() if name == STANDARD_INPUT else read_regular(Path(name), MAX_SOURCE_BYTES)
    path = _path(name)
    top = program_root(path.parent) if root is None else root
    return AnalysisJob(str(path), decode(content).text, settings, (str(top),), program=program)


def _path(name: str) -> Path:
    return Path(os.path.normpath(Path.cwd() / ("stdin.c" if name == STANDARD_INPUT else name)))


def _standard_input() -> bytes:
    """All of it; raises OSError where it is closed or has no end."""
    if sys.stdin is None:
        raise OSError(errno.EBADF, "standard input is closed")
    content = sys.stdin.buffer.read(MAX_SOURCE_BYTES + 1)
    if len(content) > MAX_SOURCE_BYTES:
        raise OSError(errno.EFBIG, f"larger than {MAX_SOURCE_BYTES >> 20} MiB")
    return content
