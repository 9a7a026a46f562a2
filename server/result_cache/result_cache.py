"""Results in the user's cache folder: found by their key, bounded, and never in the way.

Whatever goes wrong with the folder costs the cache, not the analysis: it is said once in the log, and no more tried.
"""

from __future__ import annotations

import contextlib
import logging
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from warplens.server.files.regular_file import read_regular
from warplens.server.files.whole_file import ABANDONED_S, UNFINISHED, write_whole
from warplens.server.render.amounts import plural
from warplens.server.result_cache.folder import SwitchedOffError, UnusableFolderError, private_folder, results_folder
from warplens.server.result_cache.result_file import MAX_RESULT_BYTES, DamagedResultError, decoded, encoded

T = TypeVar("T")
LIMIT_BYTES = 100 << 20
"""Of all files. Above, those go first that were not used for the longest time."""
_KEPT_SHARE = 0.8
"""What is left then, so that not every further result has to make room."""
_ENDING = ".result"
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CacheSize:
    """What is in the folder."""

    path: Path
    results: int
    size_bytes: int

    @property
    def text(self) -> str:
        """In words."""
        return f"{plural(self.results, 'result')}, {self.size_bytes / (1 << 20):.1f} MiB, in {self.path}"


class ResultCache:
    """The results of all versions and settings; two processes may use one folder at a time.

    A file appears whole or not at all (it is renamed), has its own digest, and is only ever replaced by an equal one.
    """

    def __init__(self, limit_bytes: int = LIMIT_BYTES) -> None:
        self._limit_bytes = limit_bytes
        self._can_be_read = True
        self._can_be_written = True

    def load(self, key: str, kind: type[T]) -> T | None:
        """The result of a key; None where there is none that is whole. A damaged one is taken away."""
        if not self._can_be_read:
            return None
        try:
            path = private_folder() / f"{key}{_ENDING}"
            result = decoded(read_regular(path, MAX_RESULT_BYTES), kind)
        except FileNotFoundError:
            return None
        except DamagedResultError as damage:
            logger.info("a kept result is not used: %s", damage)
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        except (OSError, UnusableFolderError) as error:
            self._can_be_read = False
            self._give_up(error)
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # the least recently used go first
        return result

    def write(self, key: str, result: object) -> None:
        """Keep a result."""
        if not self._can_be_written:
            return
        try:
            self._write(private_folder(), key, encoded(result))
        except RecursionError:
            logger.info("a result is too deep to be kept")
        except (OSError, UnusableFolderError) as error:
            self._give_up(error)

    def remove(self, key: str) -> None:
        """Take a result away that is of no more use."""
        with contextlib.suppress(OSError, UnusableFolderError):
            (private_folder() / f"{key}{_ENDING}").unlink(missing_ok=True)

    def _give_up(self, error: Exception) -> None:
        """Whatever is wrong with the folder, or a full disk, would be so again: one line in the log says it."""
        if self._can_be_written and not isinstance(error, SwitchedOffError):
            logger.warning("results are not kept for the next start: %s", error)
        self._can_be_written = False

    def _write(self, folder: Path, key: str, content: bytes) -> None:
        write_whole(folder / f"{key}{_ENDING}", content, 0o600)
        self._make_room(folder)

    def _make_room(self, folder: Path) -> None:
        """Take away what was left unfinished, and what was not used for the longest time if there is too much."""
        entries = _entries(folder)
        for path, status in entries:
            if path.suffix == UNFINISHED and status.st_mtime < time.time() - ABANDONED_S:
                path.unlink(missing_ok=True)
        left_bytes = sum(status.st_size for _, status in entries)
        if left_bytes <= self._limit_bytes:
            return
        finished = [(path, status) for path, status in entries if path.suffix == _ENDING]
        for path, status in sorted(finished, key=lambda entry: entry[1].st_mtime_ns):
            if left_bytes <= self._limit_bytes * _KEPT_SHARE:
                return
            path.unlink(missing_ok=True)
            left_bytes -= status.st_size


def cache_size() -> CacheSize:
    """What is kept now; raises UnusableFolderError."""
    folder = results_folder()
    entries = _entries(folder)
    finished = sum(path.suffix == _ENDING for path, _ in entries)
    return CacheSize(folder, finished, sum(status.st_size for _, status in entries))


def clear_cache() -> CacheSize:
    """Take everything away that was kept, and say how much it was; raises OSError and UnusableFolderError."""
    size = cache_size()
    for path, _ in _entries(size.path):
        path.unlink(missing_ok=True)
    return size


def _entries(folder: Path) -> list[tuple[Path, os.stat_result]]:
    """Our files in the folder; others are not touched."""
    found: list[tuple[Path, os.stat_result]] = []
    with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith((_ENDING, UNFINISHED)):
                with contextlib.suppress(FileNotFoundError):
                    found.append((Path(entry.path), entry.stat(follow_symlinks=False)))
    return found
