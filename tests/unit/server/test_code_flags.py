"""Where the flags come from that the CPU's code is compiled with, strongest first; nothing of a build is run."""

import json
from dataclasses import replace
from pathlib import Path

from warplens.server.settings.folder_config import FolderConfig, load_config
from warplens.server.settings.settings import Settings, settings_from_client
from warplens.server.worker.code_flags import code_flags_of


def flags(file: Path, root: Path, settings: Settings | None = None, config: FolderConfig | None = None) -> object:
    return code_flags_of(file, settings or Settings(), config or FolderConfig(), (root,), trusted=True)


def project(root: Path, database: str = "", makefile: str = "") -> Path:
    (root / "src").mkdir()
    file = root / "src" / "f.c"
    file.write_text("void f(void) {}\n")
    if database:
        entry = {"directory": str(root), "file": "src/f.c", "command": database}
        (root / "compile_commands.json").write_text(json.dumps([entry]))
    if makefile:
        (root / "Makefile").write_text(makefile)
    return file


def test_nothing_said_is_nothing(tmp_path: Path) -> None:
    assert flags(project(tmp_path), tmp_path) is None


def test_the_database_comes_before_the_makefile(tmp_path: Path) -> None:
    file = project(tmp_path, "cc -O2 -march=native -DX -c src/f.c", "CFLAGS = -O3\n")
    assert flags(file, tmp_path) == ("-O2", "-march=native")


def test_a_database_without_a_level_leaves_it_to_the_makefile(tmp_path: Path) -> None:
    file = project(tmp_path, "cc -Iinclude -c src/f.c", "CFLAGS = -O3 $(shell touch ran) -ffast-math\n")
    assert flags(file, tmp_path) == ("-O3", "-ffast-math")
    assert not (tmp_path / "ran").exists()


def test_a_makefile_outside_of_the_workspace_is_not_read(tmp_path: Path) -> None:
    file = project(tmp_path, "", "CFLAGS = -O3\n")
    assert flags(file, tmp_path / "src") is None
    assert flags(file, tmp_path) == ("-O3",)


def test_what_is_said_by_hand_wins(tmp_path: Path) -> None:
    file = project(tmp_path, "cc -O2 -c src/f.c")
    settings, problems = settings_from_client({"compilerFlags": "-O3 -mavx2"})
    assert problems == ()
    assert flags(file, tmp_path, settings) == ("-O3", "-mavx2")
    (tmp_path / ".warplens.toml").write_text('compiler_flags = "-march=native"\n')
    config, wrong = load_config(tmp_path / ".warplens.toml")
    assert wrong == ()
    assert flags(file, tmp_path, settings, config) == ("-march=native",)
    assert flags(file, tmp_path, replace(settings, compiler_flags=None)) == ("-O2",)
