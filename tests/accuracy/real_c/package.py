"""The packages of real C that are measured: what `packages.toml` says of them, and where their files lie here."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from cattrs import Converter
from warplens.server.preprocess.flags import PreprocessorFlags

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[2]
WORK = PROJECT / "build" / "real_c"
_CONVERTER = Converter(forbid_extra_keys=True)


@dataclass(frozen=True, slots=True)
class Package:
    """One package. `include` and `files` are globs below its folder, a path in `include` may be absolute."""

    name: str
    version: str
    source: Literal["debian", "pypi"]
    licence: str
    set: Literal["tune", "opened", "opened-2", "holdout"]
    files: tuple[str, ...] = ("**/*.c",)
    include: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    header_folders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """Where it is unpacked; paths shown are relative to it."""
        return WORK / "sources" / self.name

    @property
    def generated(self) -> Path:
        """Headers that the package's own build would make."""
        return WORK / "generated" / self.name

    def flags(self, found: Sequence[str] = ()) -> PreprocessorFlags:
        """Flags of every file of the package, then folders `found` for one file."""
        folders = [str(self.generated)] if self.generated.is_dir() else []
        for pattern in self.include:
            absolute = Path(pattern).is_absolute()
            folders += [pattern] if absolute else sorted(str(p) for p in self.folder.glob(pattern) if p.is_dir())
        return PreprocessorFlags(include_dirs=(*folders, *found), defines=self.defines)

    def c_files(self) -> tuple[str, ...]:
        """Its C files, relative to `folder`, sorted; a link to another file is left out."""
        return tuple(
            sorted(
                {
                    str(path.relative_to(self.folder))
                    for pattern in self.files
                    for path in self.folder.glob(pattern)
                    if path.is_file() and not path.is_symlink()
                }
            )
        )


def packages(names: Sequence[str] = (), which: str = "") -> tuple[Package, ...]:
    """All packages, or those of the names, or those of a set; raises KeyError for a name that is none."""
    entries = tomllib.loads((HERE / "packages.toml").read_text(encoding="utf-8"))["package"]
    known = {entry["name"]: _CONVERTER.structure(entry, Package) for entry in entries}
    chosen = [known[name] for name in names] if names else list(known.values())
    return tuple(package for package in chosen if which in {"", package.set})
