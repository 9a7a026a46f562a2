"""What the other files of a program get to know of one C file: one value, and how many of them make a program."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.frontend.syntax.memo import Memo
from warplens.analysis.program.definitions import link_definitions
from warplens.analysis.program.file_definitions import FileDefinitions, file_definitions
from warplens.analysis.program.program import Program
from warplens.analysis.program.sizes.file_sizes import FileLines, FileSizes
from warplens.analysis.program.sizes.linked_sizes import LinkedSizes
from warplens.analysis.program.sizes.read_sizes import read_sizes


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """All that is kept of a file: what it says of `sizes`, on which `lines`, and its functions' `definitions`."""

    sizes: FileSizes
    lines: FileLines
    definitions: FileDefinitions = field(compare=False)

    @property
    def path(self) -> str:
        """By which the file is known in its program."""
        return self.sizes.path

    @property
    def said(self) -> tuple[object, ...]:
        """All that an answer about another file may depend on, wherever in this one it stands."""
        defined = self.definitions
        declared = tuple((each.declaration, each.kinds, each.is_shared) for each in defined.declarations)
        return (self.sizes, declared, dict(defined.functions), dict(defined.unusable), defined.numbered)

    @property
    def placed(self) -> tuple[object, ...]:
        """Where it stands: answers of other files point there."""
        return (self.lines, tuple(each.line for each in self.definitions.declarations))


def indexed(source: str, preprocessed: Preprocessed, memo: Memo) -> IndexedFile:
    """Read a file; never raises on what is in it."""
    sizes, lines = read_sizes(source, preprocessed, memo)
    return IndexedFile(sizes, lines, file_definitions(preprocessed, memo))


def linked(files: Iterable[IndexedFile], before: Program | None = None) -> Program:
    """The program of some files; of what `before` has of the same files no table is made again."""
    every = tuple(files)
    sizes = LinkedSizes.of((one.sizes for one in every), None if before is None else before.sizes)
    lines = {one.path: one.lines for one in every}
    return Program(sizes, lines, link_definitions(one.definitions for one in every))
