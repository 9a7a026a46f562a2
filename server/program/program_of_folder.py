"""A folder's C files as one program: each preprocessed and read, all linked."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from warplens.analysis.engine.memo import Memo
from warplens.analysis.program.definitions import link_definitions
from warplens.analysis.program.file_definitions import FileDefinitions, file_definitions
from warplens.analysis.program.program import Program
from warplens.analysis.program.sizes.linked_sizes import LinkedSizes
from warplens.server.files.regular_file import read_regular
from warplens.server.files.source_file import MAX_SOURCE_BYTES, decode
from warplens.server.preprocess.compile_commands import flags_for_file
from warplens.server.preprocess.flags import PreprocessorFlags
from warplens.server.preprocess.preprocess import preprocess

_MOST_FILES = 10_000
_PREPROCESSOR_LIMIT_S = 20.0
_NO_FLAGS = PreprocessorFlags()


@dataclass(frozen=True, slots=True)
class IndexedFolder:
    """`files` are as many as were read, `unread` those that were not, each with the reason.

    `is_cut`: the folder has more than are looked at.
    """

    program: Program
    files: int
    unread: tuple[tuple[Path, str], ...]
    is_cut: bool


def program_of_folder(folder: Path, own: PreprocessorFlags = _NO_FLAGS, *, trusted: bool = True) -> IndexedFolder:
    """All `*.c` in and below a folder, hidden folders left out, in the order of their names. Never raises.

    What their functions do is linked; of sizes the files say nothing to each other yet. A file's flags are `own` and
    those of its compilation database. What is wrong with one file costs that file only.
    """
    found: list[FileDefinitions] = []
    unread: list[tuple[Path, str]] = []
    paths = _files_in(folder)
    for path in paths[:_MOST_FILES]:
        try:
            found.append(_definitions(path, (folder,), own, trusted=trusted))
        except (OSError, ValueError) as error:
            unread.append((path, getattr(error, "strerror", "") or str(error)))
        except Exception as defect:  # noqa: BLE001 - one file must not cost the others
            unread.append((path, f"internal error ({type(defect).__name__}: {defect}); please report it"))
    program = Program(LinkedSizes.of(()), definitions=link_definitions(found))
    return IndexedFolder(program, len(found), tuple(unread), len(paths) > _MOST_FILES)


def _definitions(path: Path, roots: Sequence[Path], own: PreprocessorFlags, *, trusted: bool) -> FileDefinitions:
    text = decode(read_regular(path, MAX_SOURCE_BYTES)).text
    flags = own.joined(flags_for_file(path, roots, trusted=trusted))
    return file_definitions(preprocess(path, text, flags, roots, _PREPROCESSOR_LIMIT_S, trusted=trusted), Memo())


def _files_in(folder: Path) -> list[Path]:
    return sorted(_walk(folder))


def _walk(folder: Path) -> Iterator[Path]:
    for at, inner, files in os.walk(folder):
        inner[:] = sorted(each for each in inner if not each.startswith("."))
        yield from (Path(at, file) for file in files if file.endswith(".c"))
