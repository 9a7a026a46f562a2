"""Which program is started: one on PATH that no workspace brings along."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from warplens.server.files.links import leads_out, way_to
from warplens.server.files.project import project_around, worked_on
from warplens.server.programs.programs import ANYWHERE, BroughtAlongError, Programs


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "workspace").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "tools"))
    return tmp_path / "workspace"


def test_the_first_on_path_that_lies_outside(tmp_path: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, other = program(workspace / "bin" / "cc"), program(tmp_path / "usr" / "gcc")
    monkeypatch.setenv("PATH", os.pathsep.join(("bin", "", str(own.parent), str(other.parent))))
    assert Programs.outside_of([workspace]).find("cc", "gcc") == str(other)
    assert ANYWHERE.find("cc", "gcc") == str(own)
    assert Programs.outside_of([Path("/")]).find("cc") == str(own), "of the whole disk there is no outside"
    assert Programs.outside_of([workspace]).required("clang", "gcc") == str(other)
    with pytest.raises(BroughtAlongError, match="lies in the workspace"):
        Programs.outside_of([workspace]).required("cc")
    with pytest.raises(FileNotFoundError, match="clang is not on PATH"):
        Programs.outside_of([workspace]).required("clang")


@pytest.mark.parametrize("opened", ["workspace", "link", "link/../workspace/."])
def test_no_link_on_the_way_leads_through_the_workspace(tmp_path: Path, workspace: Path, opened: str) -> None:
    (tmp_path / "link").symlink_to(workspace, target_is_directory=True)
    elsewhere = program(tmp_path / "elsewhere" / "cc")
    programs = Programs.outside_of([tmp_path / opened])
    tools = tmp_path / "tools"
    tools.symlink_to(elsewhere.parent, target_is_directory=True)
    assert programs.find("cc") == str(tools / "cc")
    (workspace / "way").symlink_to(elsewhere.parent, target_is_directory=True)
    tools.unlink()
    tools.symlink_to(workspace / "way", target_is_directory=True)
    assert programs.find("cc") is None, "the folder, by a link in the workspace"
    tools.unlink()
    tools.mkdir()
    (tools / "cc").symlink_to(workspace / "way" / "cc")
    assert programs.find("cc") is None, "the program, by a link in the workspace"
    (tools / "cc").unlink()
    (tools / "cc").symlink_to(program(workspace / "cc"))
    assert programs.find("cc") is None, "a program of the workspace"


def test_a_project_is_more_than_the_folder_that_is_open(tmp_path: Path, workspace: Path) -> None:
    (workspace / "sub" / "deep").mkdir(parents=True)
    own = program(workspace / "bin" / "cc")
    (tmp_path / "tools").symlink_to(own.parent, target_is_directory=True)
    assert project_around(workspace / "sub" / "deep") == workspace / "sub" / "deep"
    assert Programs.outside_of([workspace / "sub" / "deep"]).find("cc") is not None
    other = tmp_path / "other"
    (other / "sub" / "deep").mkdir(parents=True)
    (other / "sub" / "Makefile").touch()
    (other / "compile_commands.json").touch()
    assert project_around(other / "sub" / "deep") == other, "the outermost"
    (tmp_path / "tools").unlink()
    (tmp_path / "tools").symlink_to(program(other / "bin" / "cc").parent, target_is_directory=True)
    assert Programs.outside_of([other / "sub" / "deep"]).find("cc") is None


def test_a_program_right_in_a_folder_around_the_workspace_is_none(
    tmp_path: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(program(tmp_path / "cc").parent))
    assert Programs.outside_of([workspace]).find("cc") is None
    assert Programs.outside_of([tmp_path / "elsewhere" / "deep"]).find("cc") is None


def test_the_home_and_what_is_everybody_s_are_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    (home / "work" / "src").mkdir(parents=True)
    (home / ".git").mkdir()
    monkeypatch.setenv("HOME", str(home))
    assert project_around(home / "work" / "src") == home / "work" / "src"
    monkeypatch.chdir(home)
    assert worked_on() == ()
    assert worked_on("work/src/f.c", tmp_path / "x.c") == (home / "work" / "src", tmp_path)
    shared = tmp_path / "shared"
    (shared / "mine").mkdir(parents=True)
    (shared / ".git").mkdir()
    shared.chmod(0o1777)
    assert project_around(shared / "mine") == shared / "mine"


def test_the_environment_leads_nowhere_into_the_workspace(
    tmp_path: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to(workspace, target_is_directory=True)
    monkeypatch.setenv("PATH", f".::bin:{workspace}/bin:{tmp_path}/link:/usr/bin")
    monkeypatch.setenv("LD_LIBRARY_PATH", f":/opt/lib:{workspace}")
    monkeypatch.setenv("LIBRARY_PATH", ":")
    monkeypatch.setenv("COMPILER_PATH", "/opt/evil")
    handed_on = Programs.outside_of([workspace]).environment()
    assert handed_on["PATH"] == "/usr/bin"
    assert handed_on["LD_LIBRARY_PATH"] == "/opt/lib"
    assert not {"LIBRARY_PATH", "COMPILER_PATH"} & handed_on.keys()
    assert handed_on["HOME"] == os.environ["HOME"]
    monkeypatch.setenv("PATH", f"{workspace}/bin:.")
    assert "PATH" not in Programs.outside_of([workspace]).environment(), "an empty one is the current folder"


def test_every_place_on_a_way_is_seen_and_circles_end(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").symlink_to("a/../c")
    (tmp_path / "c").symlink_to(tmp_path / "a")
    assert [place.name for place in way_to(tmp_path / "b" / "x")][-4:] == ["a", "c", *tmp_path.parts[1:], "a", "x"][-4:]
    assert leads_out(tmp_path / "c", tmp_path / "b") is False
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    assert len([*way_to(tmp_path / "one")]) < 100
