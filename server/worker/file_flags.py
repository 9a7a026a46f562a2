"""The preprocessor's flags for a file: the folder's configuration, the settings, the compilation database."""

from __future__ import annotations

from pathlib import Path

from warplens.server.preprocess.compile_commands import flags_for_file
from warplens.server.preprocess.flags import PreprocessorFlags
from warplens.server.settings.folder_config import FolderConfig
from warplens.server.settings.settings import Settings


def flags_of(
    path: Path, settings: Settings, config: FolderConfig, roots: tuple[Path, ...], *, trusted: bool
) -> PreprocessorFlags:
    """Relative folders of the settings start at the workspace's folder around the file."""
    around = [root for root in roots if path.is_relative_to(root)]
    base = max(around, key=lambda root: len(root.parts), default=path.parent)
    own = PreprocessorFlags(
        include_dirs=(*config.include_paths, *(str(base / Path(p).expanduser()) for p in settings.include_paths)),
        defines=(*config.defines, *settings.defines),
    )
    return own.joined(flags_for_file(path, roots, trusted=trusted))
