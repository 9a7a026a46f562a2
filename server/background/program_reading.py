"""The files of a document's program, read behind its first answer, and again what is saved of them."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from warplens.analysis.frontend.preprocessing.header_name import HEADER
from warplens.server.program.packed_file import PackedFile, SameFile, UnreadFile
from warplens.server.program.packed_program import PackedProgram
from warplens.server.program.program_jobs import ConnectJob, IndexJob, KeepProgramJob, LoadProgramJob
from warplens.server.program.translation_units import program_of, translation_units
from warplens.server.result_cache.folder import UnusableFolderError, results_folder
from warplens.server.session.documents import Document
from warplens.server.session.open_programs import OpenProgram
from warplens.server.session.progress import shown_progress
from warplens.server.worker.job import AnalysisJob
from warplens.server.worker.process import AnalysisFailedError, AnalysisTimedOutError

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer
    from warplens.server.settings.settings import Settings

_FIRST_PART_S = 5.0
"""When what is known of a large program is used for the first time; each further part waits twice as long."""
_KEPT_EACH_S = 60.0
"""A program is written for the next session at most so often."""
logger = logging.getLogger(__name__)
Again = Callable[[Document], None]
"""Analyses a document again."""


async def open_program(server: WarplensServer, document: Document, settings: Settings) -> None:
    """Have what an earlier session read of the document's program, if it is the first document of that."""
    root = _root(server, document.path, settings)
    if root is None or server.programs.of_root(root) is not None:
        return
    roots = tuple(map(str, server.roots()))
    inside = any(Path(root).is_relative_to(each) for each in roots)
    program = OpenProgram(root, settings, roots if inside else (root,), PackedProgram(root, {}))
    server.programs.add(program)
    if _may_be_kept(settings):
        try:
            kept = await server.analysis.run(LoadProgramJob(root))
        except (AnalysisFailedError, AnalysisTimedOutError) as failed:
            logger.warning("the program of an earlier session is not used: %s", failed)
        else:
            program.known = {one.path: one for one in kept}
            program.show()


def _may_be_kept(settings: Settings) -> bool:
    """Whether an earlier session can have left anything."""
    try:
        return settings.keeps_results and results_folder().is_dir()
    except UnusableFolderError:
        return False


def program_now(server: WarplensServer, path: str, settings: Settings) -> PackedProgram | None:
    """What is known of the program that a file is part of; None for a file that is in none."""
    root = _root(server, path, settings)
    program = None if root is None else server.programs.of_root(root)
    return None if program is None else program.shown


def read_program(server: WarplensServer, document: Document, settings: Settings, again: Again) -> None:
    """Read the rest of the document's program, if nobody does yet; `again` is called for what is then known better."""
    root = _root(server, document.path, settings)
    program = None if root is None else server.programs.of_root(root)
    if program is None:
        return
    program.is_connected = program.is_connected and document.path in program.asked
    if not program.is_connected or (program.waiting and not _tells_all(server, program)):
        program.settings = settings
        _begin(server, program, again)


def files_changed(server: WarplensServer, paths: Iterable[str], again: Again, *, are_new: bool = False) -> None:
    """Files were written or removed, or (`are_new`) came into being."""
    changed = tuple(paths)
    if any(path.endswith(HEADER) for path in changed):
        for document in server.documents.values():
            if document.path not in changed and document.requested_version == document.version:
                again(document)  # what of it is whose is seen by the analysis
    for program in server.programs.around(changed):
        program.is_listed = program.is_listed and not are_new
        program.is_connected = False
        for path in changed:
            program.changed(path)
        _begin(server, program, again)


def _root(server: WarplensServer, path: str, settings: Settings) -> str | None:
    file = Path(path)
    if not settings.reads_program or not file.is_absolute():
        return None
    return str(program_of(file, server.roots(), trusted=server.trusted))


def _begin(server: WarplensServer, program: OpenProgram, again: Again) -> None:
    if program.task is None or program.task.done():
        program.task = asyncio.ensure_future(_read(server, program, again))
        server.in_background(program.task)


async def _read(server: WarplensServer, program: OpenProgram, again: Again) -> None:
    """Read until nothing waits any more; a cancel leaves the rest until something changes."""
    read = 0

    def state() -> str:
        return f"{read} of {read + len(program.waiting)} files"

    try:
        async with shown_progress(server, "Reading the program", state):
            pause_s = _FIRST_PART_S
            next_part_s = monotonic() + pause_s
            while not server.is_shut_down:
                if not program.is_connected:
                    await _list(server, program)
                if not program.waiting or _tells_all(server, program):
                    break
                path = next(iter(program.waiting))
                del program.waiting[path]
                await _read_file(server, program, path)
                read += 1
                if monotonic() >= next_part_s:
                    _show(server, program, again)
                    pause_s *= 2
                    next_part_s = monotonic() + pause_s
    except asyncio.CancelledError:
        if server.is_shut_down:
            raise
    _show(server, program, again)
    await _keep(server, program)


def _tells_all(server: WarplensServer, program: OpenProgram) -> bool:
    """Whether a program is one file, and nothing else of it is open: it says all of itself when it is analysed."""
    inside = {each.path for each in server.documents.values() if Path(each.path).is_relative_to(program.root)}
    return len(program.units) < 2 and inside <= program.units.keys()


async def _list(server: WarplensServer, program: OpenProgram) -> None:
    """Look which files there are, and which of them may matter; those near to open documents are read first."""
    program.is_connected = True
    if not program.is_listed:
        program.is_listed = True
        listed = await asyncio.to_thread(translation_units, Path(program.root), trusted=server.trusted)
        for one in listed.left_out:
            logger.info("%s %s: it is left out of its program", one.path, one.reason)
        program.files = listed.paths
    near = [each.path for each in server.documents.values() if Path(each.path).is_absolute()]
    program.asked = frozenset(near)
    units = await _connected(server, program)
    new = [path for path in units if path not in program.units]
    new.sort(key=lambda path: -max((len(os.path.commonpath((other, path))) for other in near), default=0))
    program.units = dict.fromkeys(units)
    program.waiting.update(dict.fromkeys(new))
    for path in [path for path in program.waiting if path not in program.units]:
        del program.waiting[path]
    program.apart = {**program.apart, **{path: one for path, one in program.known.items() if path not in program.units}}
    program.known = {path: one for path, one in {**program.apart, **program.known}.items() if path in program.units}
    program.apart = {path: program.apart[path] for path in program.files if path in program.apart}


async def _connected(server: WarplensServer, program: OpenProgram) -> tuple[str, ...]:
    """The files that may be in one program with an open document; all where that can not be said."""
    job = ConnectJob(program.root, program.files, program.asked)
    try:
        async with server.analysis.background_turn:
            return await server.analysis.run(job, is_in_background=True)
    except (AnalysisFailedError, AnalysisTimedOutError) as failed:
        logger.info("all files of the program are read: %s", failed)
        return program.files


async def _read_file(server: WarplensServer, program: OpenProgram, path: str) -> None:
    before = program.known.get(path)
    known = None if before is None else before.grounds
    job = IndexJob(path, program.settings, program.roots, server.trusted, known)
    try:
        async with server.analysis.background_turn:
            found = await server.analysis.run(job, is_in_background=True)
    except (AnalysisFailedError, AnalysisTimedOutError) as failed:
        found = UnreadFile(path, str(failed))
    if isinstance(found, SameFile):
        return
    program.is_kept = False
    if isinstance(found, UnreadFile):
        program.known.pop(path, None)
        if found.reason:
            logger.info("%s %s: it is left out of its program", path, found.reason)
    else:
        program.known[path] = found


def _show(server: WarplensServer, program: OpenProgram, again: Again) -> None:
    """Have the open documents analysed again whose answers may be others now."""
    program.show()
    for document in server.documents.values():
        job = document.job
        if job is None or document.requested_version != document.version:
            continue  # what is typed is analysed with its save
        if program_now(server, document.path, job.settings) is program.shown and _may_differ(job, document, program):
            again(document)


def _may_differ(job: AnalysisJob, document: Document, program: OpenProgram) -> bool:
    """Whether an answer would be another one: other files say something else, or what it names has moved."""
    before = job.program.files if isinstance(job.program, PackedProgram) else {}
    named = set(_named_files(document))
    for path in {*before, *program.shown.files} - {document.path}:
        old, new = before.get(path), program.shown.files.get(path)
        if old is None or new is None or old.said != new.said or (old.placed != new.placed and path in named):
            return True
    return False


def _named_files(document: Document) -> Iterator[str]:
    for function in document.answer.functions if document.answer else ():
        for nest in function.nests:
            yield from (each.path for each in nest.elsewhere)
            for _, sources in nest.size_sources:
                yield from (source.path for source in sources)


async def _keep(server: WarplensServer, program: OpenProgram) -> None:
    if program.is_kept or not program.settings.keeps_results or monotonic() < program.kept_s + _KEPT_EACH_S:
        return
    program.is_kept, program.kept_s = True, monotonic()
    files: tuple[PackedFile, ...] = tuple({**program.apart, **program.known}.values())
    try:
        await server.analysis.run(KeepProgramJob(program.root, files), is_in_background=True)
    except (AnalysisFailedError, AnalysisTimedOutError) as failed:
        logger.info("the program is not kept for the next session: %s", failed)
