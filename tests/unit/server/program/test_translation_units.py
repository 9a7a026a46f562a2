"""Which files make a program."""

import json
from pathlib import Path

import pytest
from warplens.server.program import translation_units as units
from warplens.server.program.translation_units import may_be_unit, program_of, translation_units


def written(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("int x;\n")
    return folder


def names(root: Path, *, trusted: bool = True) -> list[str]:
    return [str(Path(path).relative_to(root)) for path in translation_units(root, trusted=trusted).paths]


def test_all_c_files_but_those_that_are_hidden_or_built(tmp_path: Path) -> None:
    written(tmp_path, "main.c", "src/a.c", "src/a.h", "build/b.c", "cmake-build-debug/c.c", ".git/d.c", "src/.e.c")
    assert names(tmp_path) == ["main.c", "src/a.c"]
    assert may_be_unit(tmp_path / "src/new.c", tmp_path)
    assert not may_be_unit(tmp_path / "build/b.c", tmp_path)


def test_links_in_a_circle_out_of_the_folder_and_to_a_file_that_is_there(tmp_path: Path) -> None:
    root = written(tmp_path / "program", "a.c", "z.c")
    written(tmp_path, "outside.c")
    (root / "around").symlink_to(root)
    (root / "a1.c").symlink_to("a2.c")
    (root / "a2.c").symlink_to("a1.c")
    (root / "b.c").symlink_to("z.c")
    (root / "c.c").symlink_to(tmp_path / "outside.c")
    (root / "gone.c").symlink_to("nowhere.c")
    assert names(root) == ["a.c", "z.c"]


def test_the_files_of_a_compilation_database_alone(tmp_path: Path) -> None:
    root = written(tmp_path / "program", "a.c", "b.c", "sub/c.c", "d.cpp", "unused.c")
    written(tmp_path, "outside.c")
    listed = [("", "a.c"), ("sub", "c.c"), ("", "d.cpp"), ("", "missing.c"), ("", "../outside.c"), ("", "a\0.c")]
    entries = [{"directory": str(root / folder), "file": file, "command": "cc"} for folder, file in listed]
    (root / "compile_commands.json").write_text(json.dumps([*entries, {"file": 3}, "x"]))
    assert names(root) == ["a.c", "sub/c.c"]
    (root / "compile_commands.json").write_text("{damaged")
    assert names(root) == ["a.c", "b.c", "sub/c.c", "unused.c"]


def test_what_is_too_large_or_too_much_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, *(f"{name}.c" for name in "abcde"), 'quo"te.c')
    (tmp_path / "b.c").write_text("int table[] = {0};\n" * 20)
    monkeypatch.setattr(units, "MOST_FILE_BYTES", 100)
    monkeypatch.setattr(units, "MOST_FILES", 3)
    found = translation_units(tmp_path, trusted=True)
    assert [Path(path).name for path in found.paths] == ["a.c", "c.c", "d.c"]
    assert [(Path(one.path).name, one.reason) for one in found.left_out] == [
        ("b.c", "is larger than 0.0001 MB"),
        (tmp_path.name, "has more than 3 C files: the others are not read"),
    ]


def test_a_program_is_what_lies_around_a_file(tmp_path: Path) -> None:
    written(tmp_path, "work/repository/.git/HEAD", "work/repository/src/a.c", "work/alone/deep/b.c")
    repository, alone = tmp_path / "work/repository", tmp_path / "work/alone"
    assert program_of(repository / "src/a.c", (), trusted=True) == repository
    assert program_of(repository / "src/a.c", (repository / "src",), trusted=True) == repository
    assert program_of(repository / "src/a.c", (repository / "src",), trusted=False) == repository / "src"
    assert program_of(repository / "src/a.c", (tmp_path,), trusted=False) == repository
    assert program_of(alone / "deep/b.c", (), trusted=True) == alone / "deep"
    assert program_of(alone / "deep/b.c", (alone,), trusted=True) == alone
