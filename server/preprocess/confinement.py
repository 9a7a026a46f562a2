"""Which files a C file may include: those of its workspace, of the system and of the folders that the user named."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from warplens.server.files.project import program_root


@dataclass(frozen=True, slots=True)
class Confinement:
    """Folders that included files may lie in.

    `inside` are real paths: a symbolic link that leads out of them is refused. `system` are folders of the compiler's
    own search, where links are the distribution's (`/usr/include/mpi` leads to `/etc/alternatives`) and are followed.
    """

    inside: tuple[Path, ...]
    system: tuple[Path, ...] = ()
    _beginnings: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """Of names in the system's folders."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "_beginnings", tuple(f"{folder}{os.sep}" for folder in self.system))

    def allows(self, name: str | Path) -> bool:
        """Whether a file may be read; False for what is no path."""
        if isinstance(name, str) and name.startswith(self._beginnings) and ".." not in name:
            return True  # as below, for the dozens of system headers that each output names
        path = Path(name)
        if ".." not in path.parts and any(path.is_relative_to(folder) for folder in self.system):
            return True
        real = real_path(path)
        return real is not None and any(real.is_relative_to(folder) for folder in (*self.inside, *self.system))


def confinement_of(
    path: Path, roots: Sequence[Path], named: Sequence[str], system: Sequence[str], *, trusted: bool
) -> Confinement:
    """The folders for the includes of the file `path`.

    Without trust the workspace's `roots` alone. With it also the file's own folder, the program that it is a part of
    (`program_root`), and the folders that settings and compilation database name.
    """
    folders = [*roots]
    if trusted:
        top = [program_root(path.parent)] if path.is_absolute() else []
        folders += [path.parent, *top, *map(Path, named)]
    real = dict.fromkeys(each for folder in folders if folder.is_absolute() and (each := real_path(folder)))
    return Confinement(tuple(real), tuple(map(Path, system)) if trusted else ())


def real_path(path: Path) -> Path | None:
    """The path without symbolic links; None for one that can't be followed, or is no path."""
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return None
