"""What a folder says to Warplens: its `.warplens.toml`, its `compile_commands.json`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from warplens.hwprofiles.loader import load_cpu, load_gpu
from warplens.hwprofiles.profile import ProfileError
from warplens.server.doctor.check import Check
from warplens.server.files.folder_files import CONFIG_NAME
from warplens.server.settings.folder_config import FolderConfig, load_config
from warplens.server.settings.own_profiles import loaded_profiles, profile_name

_DATABASES = ("compile_commands.json", "build/compile_commands.json")


def folder_checks(folder: Path) -> Iterator[Check]:
    """What counts for C files of this folder."""
    if not folder.is_dir():
        yield Check("folder", "wrong", f"{folder} is no folder", "name the folder that you open in the editor")
        return
    yield _config(folder / CONFIG_NAME)
    yield _own_profiles(folder)
    database = next((folder / name for name in _DATABASES if (folder / name).is_file()), None)
    if database is not None:
        yield Check("compile_commands.json", "ok", f"include folders and macros are read from {database}")
    else:
        remedy = "CMake writes one with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON; else `include_paths` in .warplens.toml"
        yield Check("compile_commands.json", "ok", f"none in {folder} ({remedy})")


def _config(path: Path) -> Check:
    if not path.is_file():
        return Check(CONFIG_NAME, "ok", f"none in {path.parent}: the editor's settings count")
    config, problems = load_config(path)
    said = [*(problem.text for problem in problems), *_unusable(config, path)]
    if said:
        return Check(CONFIG_NAME, "wrong", "; ".join(said), "docs/settings.md has every key; what is wrong is left out")
    return Check(CONFIG_NAME, "ok", str(path))


def _own_profiles(folder: Path) -> Check:
    """The user's own GPUs and CPUs that go by name here."""
    found, wrong = loaded_profiles((folder,))
    if wrong:
        return Check("own profiles", "wrong", "; ".join(wrong), "docs/profiles.md says what a profile has")
    return Check("own profiles", "ok", ", ".join(found) or "none")


def _unusable(config: FolderConfig, path: Path) -> Iterator[str]:
    for name, load in ((config.gpu, load_gpu), (config.cpu, load_cpu)):
        try:
            if name:
                load(profile_name(name, (path.parent,)))
        except ProfileError as error:
            yield str(error)
    yield from (f"`include_paths`: {each} is no folder" for each in config.include_paths if not Path(each).is_dir())
