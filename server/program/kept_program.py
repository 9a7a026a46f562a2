"""Programs from one session to the next: all that was read of one is one file of the result cache."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.server.program.packed_file import PackedFile
from warplens.server.result_cache.code_version import code_version
from warplens.server.result_cache.content_key import content_key
from warplens.server.result_cache.result_cache import ResultCache


@dataclass(frozen=True, slots=True)
class _KeptProgram:
    files: tuple[PackedFile, ...]


class KeptPrograms:
    """Of any number of programs, each under its root."""

    def __init__(self, results: ResultCache | None = None) -> None:
        self._results = results or ResultCache()

    def load(self, root: str) -> tuple[PackedFile, ...]:
        """Its files, none where nothing whole is kept."""
        kept = self._results.load(_key(root), _KeptProgram)
        return () if kept is None else kept.files

    def keep(self, root: str, files: tuple[PackedFile, ...]) -> None:
        """In the place of what is kept of the same program."""
        self._results.write(_key(root), _KeptProgram(files))


def _key(root: str) -> str:
    return content_key("program", code_version(), root)
