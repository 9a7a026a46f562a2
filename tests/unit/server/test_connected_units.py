"""Which files of a folder are read for some of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from warplens.server.program.connected_units import ConnectedUnits
from warplens.server.program.translation_units import translation_units
from warplens.server.worker.run_watch import GaveWayError

FILES = {
    "run.c": '#include "run.h"\nvoid run(int n) { }',
    "lib/run.h": "void run(int n);\nstatic inline void twice(int n) { run(n); run(n); }",
    "above.h": '#include "lib/run.h"',
    "main.c": '#include "above.h"\nint main(void) { twice(3); }',
    "other/main.c": "static void run(int n) { }\nint main(void) { run(3); }",
    "wide.c": "",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "wide.c").write_bytes("int of_wide(void) { run(1); return 0; }".encode("utf-16"))
    return tmp_path


def needed(folder: Path, *asked: str) -> list[str]:
    units = translation_units(folder, trusted=True)
    found = ConnectedUnits().connected(units.root, units.paths, {str(folder / name) for name in asked})
    return [str(Path(path).relative_to(folder)) for path in found]


def test_another_program_of_the_folder_is_not_read(folder: Path) -> None:
    assert needed(folder, "main.c") == needed(folder, "run.c") == ["main.c", "run.c", "wide.c"]
    assert needed(folder, "other/main.c") == ["other/main.c"]


def test_a_header_stands_for_the_files_that_include_it(folder: Path) -> None:
    assert needed(folder, "lib/run.h") == ["main.c", "run.c", "wide.c"]


def test_all_are_read_for_all(folder: Path) -> None:
    (folder / "apart.c").write_text("int apart;")
    assert len(needed(folder, *FILES, "apart.c")) == len(FILES) - 1


def test_a_file_that_can_not_be_read_now_is_left_to_those_who_say_so(folder: Path) -> None:
    units = translation_units(folder, trusted=True)
    (folder / "run.c").unlink()
    found = ConnectedUnits().connected(units.root, units.paths, {str(folder / "other/main.c")})
    assert str(folder / "run.c") in found


def test_a_file_that_changes_may_join(folder: Path) -> None:
    units = translation_units(folder, trusted=True)
    looked = ConnectedUnits()
    asked = {str(folder / "other/main.c")}
    assert looked.connected(units.root, units.paths, asked) == tuple(asked)
    (folder / "other/main.c").write_text("int main(void) { run(3); }")
    assert len(looked.connected(units.root, units.paths, asked)) == 4


def test_looking_into_files_ends_for_another_job_and_goes_on_where_it_was(folder: Path) -> None:
    looked = 0

    def is_in_the_way() -> bool:
        nonlocal looked
        looked += 1
        return True

    units, paths = ConnectedUnits(is_in_the_way), translation_units(folder, trusted=True).paths
    for _ in range(len(FILES)):
        with pytest.raises(GaveWayError):
            units.connected(str(folder), paths, frozenset({str(folder / "run.c")}))
    found = units.connected(str(folder), paths, frozenset({str(folder / "run.c")}))
    assert looked == len(FILES)
    assert [str(Path(path).relative_to(folder)) for path in found] == needed(folder, "run.c")
