"""With which flags a file is compiled for the CPU: as somebody said, as the build does, or nobody knows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from warplens.analysis.cpu.compiler_flags import code_flags, says_level
from warplens.analysis.cpu.makefile_flags import makefile_flags
from warplens.server.files.regular_file import read_inside
from warplens.server.preprocess.compile_commands import arguments_for_file
from warplens.server.settings.folder_config import FolderConfig
from warplens.server.settings.settings import Settings

_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_MAX_BYTES = 1 << 20


def code_flags_of(
    path: Path, settings: Settings, config: FolderConfig, roots: tuple[Path, ...], *, trusted: bool
) -> tuple[str, ...] | None:
    """Flags that decide how the code is made; None where nothing says how far the compiler optimises.

    The folder's configuration, the setting, the compilation database, the nearest Makefile inside the roots: the first
    that says a level of optimisation, but for what was said by hand, which counts as it is.
    """
    said = config.compiler_flags if config.compiler_flags is not None else settings.compiler_flags
    if said is not None:
        return code_flags(said)
    for found in (arguments_for_file(path, roots, trusted=trusted), *_of_makefiles(path, roots)):
        flags = code_flags(found)
        if says_level(flags):
            return flags
    return None


def _of_makefiles(path: Path, roots: tuple[Path, ...]) -> Iterator[tuple[str, ...]]:
    for folder in path.parents:
        if not any(folder.is_relative_to(root) for root in roots):
            return
        for name in _MAKEFILES:
            try:
                text = read_inside(folder / name, folder, _MAX_BYTES)
            except (OSError, ValueError):
                continue
            yield makefile_flags(text.decode("utf-8", "replace"))
