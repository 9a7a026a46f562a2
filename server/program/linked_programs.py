"""The programs that an analysis process has, linked: kept from one job to the next, changed file by file."""

from __future__ import annotations

import logging

from warplens.analysis.program.indexed_file import IndexedFile, linked
from warplens.analysis.program.program import Program
from warplens.server.program.packed_program import ProgramChange
from warplens.server.program.packing import UnreadableFileError, unpacked
from warplens.server.result_cache.content_key import content_key

logger = logging.getLogger(__name__)


class LinkedPrograms:
    """By root."""

    def __init__(self) -> None:
        self._by_root: dict[str, _Linked] = {}

    def after(self, change: ProgramChange) -> LinkedProgram:
        """The program with a change taken in; the same object of it as long as nothing in it changed."""
        return self._by_root.setdefault(change.root, _Linked()).after(change)


class LinkedProgram:
    """`program` as the analysis takes it."""

    def __init__(self, program: Program, digests: dict[str, tuple[str, str]]) -> None:
        self.program = program
        self._digests = digests

    def key(self, path: str) -> str:
        """Digest of all that answers about the file `path` may depend on in other files."""
        return content_key(sorted((other, *said) for other, said in self._digests.items() if other != path))


class _Linked:
    def __init__(self) -> None:
        self._files: dict[str, IndexedFile] = {}
        self._digests: dict[str, tuple[str, str]] = {}
        self._program: LinkedProgram | None = None

    def after(self, change: ProgramChange) -> LinkedProgram:
        for path in change.removed:
            self._forget(path)
        for packed in change.changed:
            try:
                self._files[packed.path] = unpacked(packed)
            except UnreadableFileError as error:  # of an earlier session, damaged: it says nothing
                logger.warning("%s is left out of its program: %s", packed.path, error)
                self._forget(packed.path)
            else:
                self._digests[packed.path] = (packed.said, packed.placed)
        if self._program is None or change.changed or change.removed:
            before = None if self._program is None else self._program.program
            program = linked((self._files[path] for path in sorted(self._files)), before)
            self._program = LinkedProgram(program, dict(self._digests))
        return self._program

    def _forget(self, path: str) -> None:
        self._files.pop(path, None)
        self._digests.pop(path, None)
