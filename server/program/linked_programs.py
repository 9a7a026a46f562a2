"""The programs that an analysis process has, linked: kept from one job to the next, changed file by file."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cached_property

from warplens.analysis.program.indexed_file import IndexedFile, linked
from warplens.analysis.program.program import Program
from warplens.server.program.packed_file import PackedFile
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
    """A state of a program; `link` is called for the newest state, when an analysis needs it."""

    def __init__(self, digests: dict[str, tuple[str, str]], link: Callable[[], Program]) -> None:
        self._digests = digests
        self._link = link

    @cached_property
    def program(self) -> Program:
        """As the analysis takes it: an answer that is kept needs none."""
        return self._link()

    def key(self, path: str) -> str:
        """Digest of all that answers about the file `path` may depend on in other files."""
        return content_key(sorted((other, *said) for other, said in self._digests.items() if other != path))


class _Linked:
    def __init__(self) -> None:
        self._files: dict[str, IndexedFile] = {}
        self._packed: dict[str, PackedFile] = {}
        """Those that were not unpacked yet."""
        self._digests: dict[str, tuple[str, str]] = {}
        self._newest: LinkedProgram | None = None
        self._program: Program | None = None

    def after(self, change: ProgramChange) -> LinkedProgram:
        for path in change.removed:
            for known in (self._files, self._packed, self._digests):
                known.pop(path, None)
        for packed in change.changed:
            self._packed[packed.path] = packed
            self._digests[packed.path] = (packed.said, packed.placed)
        if self._newest is None or change.changed or change.removed:
            self._newest = LinkedProgram(dict(self._digests), self._link)
        return self._newest

    def _link(self) -> Program:
        while self._packed:
            path, packed = self._packed.popitem()
            try:
                self._files[path] = unpacked(packed)
            except UnreadableFileError as error:  # of an earlier session, damaged: it says nothing
                logger.warning("%s is left out of its program: %s", path, error)
                self._files.pop(path, None)
        self._program = linked((self._files[path] for path in sorted(self._files)), self._program)
        return self._program
