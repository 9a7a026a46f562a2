"""One file of a program from the disk to what the others get to know of it; nothing, where nothing changed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from warplens.analysis.engine.memo import Memo
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.program.indexed_file import indexed
from warplens.server.files.project import program_root
from warplens.server.files.regular_file import is_inside, read_regular
from warplens.server.files.source_file import decode
from warplens.server.preprocess.flags import PreprocessorFlags
from warplens.server.preprocess.header_search import folders_with
from warplens.server.preprocess.includes import asked_headers
from warplens.server.preprocess.preprocessor_runs import PreprocessorRun, PreprocessorRuns
from warplens.server.program.packed_file import Grounds, HeaderState, SameFile, UnreadFile
from warplens.server.program.packing import packed
from warplens.server.program.program_jobs import IndexedAnswer, IndexJob
from warplens.server.program.translation_units import MOST_FILE_BYTES
from warplens.server.result_cache.code_version import code_version
from warplens.server.result_cache.content_key import content_key
from warplens.server.settings.folder_config import FolderConfig, load_config, nearest_config
from warplens.server.worker.file_flags import flags_of
from warplens.server.worker.run_watch import GaveWayError


@dataclass(slots=True)
class _Unfinished:
    """A file whose reading gave way to something that a user waits for: it goes on with what was read of it."""

    text: str
    flags: PreprocessorFlags
    job: IndexJob
    run: PreprocessorRun
    memo: Memo


class FileReader:
    """Reads files one after the other; `is_in_the_way` says when a reading is to end, GaveWayError ends it."""

    def __init__(self, is_in_the_way: Callable[[], bool]) -> None:
        self._is_in_the_way = is_in_the_way
        self._unfinished: _Unfinished | None = None

    def read(self, job: IndexJob) -> IndexedAnswer:
        """What is to be known of a file from now on; never raises on what is in it, or when it is gone."""
        path, roots = Path(job.path), tuple(map(Path, job.roots))
        try:
            if not job.trusted and not any(is_inside(path, root) for root in roots):
                return UnreadFile(job.path, "is a link that leads out of the workspace")
            content = read_regular(path, MOST_FILE_BYTES)
        except FileNotFoundError:
            return UnreadFile(job.path)
        except (OSError, ValueError) as error:
            return UnreadFile(job.path, getattr(error, "strerror", None) or str(error))
        flags = flags_of(path, job.settings, _config(path, roots), roots, trusted=job.trusted)
        digest = hashlib.sha256(content).hexdigest()
        known = job.known
        if known is not None and known == _grounds(job, digest, flags, known.names, (h.path for h in known.headers)):
            return SameFile(job.path)
        text = decode(content).text
        preprocessed, memo = self._preprocessed(job, text, flags)
        memo.begin_run(job.path)
        memo.on_miss = self._give_way
        file = indexed(text, preprocessed, memo)
        self._unfinished = None
        if file.path != job.path:
            return UnreadFile(job.path, "has a name that preprocessors do not write as it is")
        names = asked_headers(text) | {each.rpartition("/")[2] for each in preprocessed.missing}
        grounds = _grounds(job, digest, flags, tuple(sorted(names)), preprocessed.included)
        try:
            return packed(file, grounds)
        except RecursionError:
            return UnreadFile(job.path, "has an expression that is too deep")

    def _preprocessed(self, job: IndexJob, text: str, flags: PreprocessorFlags) -> tuple[Preprocessed, Memo]:
        left = self._unfinished
        if left is None or (left.job.path, left.text, left.flags) != (job.path, text, flags):
            roots = tuple(map(Path, job.roots))
            run = PreprocessorRuns().begin(Path(job.path), text, flags, roots, job.limit_s / 2, trusted=job.trusted)
            left = self._unfinished = _Unfinished(text, flags, job, run, Memo())
        left.run.wait(self._give_way)
        return left.run.result(), left.memo

    def _give_way(self) -> None:
        if self._is_in_the_way():
            raise GaveWayError


def _config(path: Path, roots: tuple[Path, ...]) -> FolderConfig:
    config = nearest_config(path.parent, roots)
    return load_config(config)[0] if config else FolderConfig()


def _grounds(
    job: IndexJob, digest: str, flags: PreprocessorFlags, names: tuple[str, ...], headers: Iterable[str]
) -> Grounds:
    """What a file is read from as it is now. `names` are headers that the text asks for, others of which may come."""
    path, roots = Path(job.path), tuple(map(Path, job.roots))
    searched = (*roots, program_root(path.parent)) if job.trusted else roots
    where = folders_with(names, path.parent, searched)
    how = content_key(code_version(), flags, job.trusted, where)
    return Grounds(digest, how, tuple(map(_state, headers)), names)


def _state(header: str) -> HeaderState:
    try:
        status = os.stat(header)  # noqa: PTH116 - of each of hundreds of headers for each file
    except (OSError, ValueError):
        return HeaderState(header, 0, -1)
    return HeaderState(header, status.st_mtime_ns, status.st_size)
