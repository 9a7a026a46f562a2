"""The user's own GPUs and CPUs by name: `.warplens/profiles/NAME.toml` of a workspace or of the user."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from platformdirs import user_config_path
from warplens.hwprofiles.loader import cpu_names, gpu_names, load_profile
from warplens.hwprofiles.profile import Profile, ProfileError
from warplens.server.files.regular_file import is_inside

_IN_WORKSPACE = Path(".warplens") / "profiles"


def profile_folders(roots: Sequence[Path]) -> tuple[Path, ...]:
    """Where profiles of one's own are looked for, the workspace's folders first."""
    own = user_config_path("warplens", appauthor=False) / "profiles"
    return (*(root / _IN_WORKSPACE for root in roots), own)


def own_profiles(roots: Sequence[Path]) -> dict[str, Path]:
    """Files by name; the first folder that has a name counts. Links out of their folder are none."""
    found: dict[str, Path] = {}
    for folder in _folders(roots):
        for path in _files(folder):
            found.setdefault(path.stem, path)
    return found


def _folders(roots: Sequence[Path]) -> Iterator[Path]:
    """As `profile_folders`, less those that a link of the workspace leads out to."""
    for root in roots:
        folder = root / _IN_WORKSPACE
        with contextlib.suppress(OSError):
            if is_inside(folder, root):
                yield folder
    yield from profile_folders(())


def profile_name(name: str, roots: Sequence[Path]) -> str:
    """What a profile is loaded by: the file that is meant by a name of one's own, else the name itself.

    A name that comes with the project means that: no workspace can put another GPU under it.
    """
    if name.endswith(".toml") or name in gpu_names() or name in cpu_names():
        return name
    path = own_profiles(roots).get(name)
    return name if path is None else str(path)


def loaded_profiles(roots: Sequence[Path]) -> tuple[dict[str, Profile], list[str]]:
    """The user's own profiles by name, and what is wrong with the others.

    One with a name that comes with the project is never used.
    """
    found: dict[str, Profile] = {}
    wrong: list[str] = []
    for name, path in own_profiles(roots).items():
        if name in gpu_names() or name in cpu_names():
            wrong.append(f"{path}: not used, a profile of that name comes along")
            continue
        try:
            found[name] = load_profile(str(path))
        except ProfileError as error:
            wrong.append(str(error))
    return found, wrong


def _files(folder: Path) -> Iterator[Path]:
    try:
        inside = folder.resolve()
        paths = sorted(path for path in folder.iterdir() if path.suffix == ".toml")
        yield from (path for path in paths if path.is_file() and path.resolve().is_relative_to(inside))
    except OSError:
        return
