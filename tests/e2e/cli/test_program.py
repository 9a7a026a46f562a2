"""`warplens check` on a folder, and on one file of it: each file is analysed as part of its program."""

import json
from pathlib import Path
from typing import Any

import pytest
from warplens.server.cli.main import main

pytestmark = pytest.mark.process

GRID = """#include "grid.h"
void relax(double *a, int n, double w)
{
    for (int i = 0; i < n; i++)
        a[i] = w * a[i] * a[i];
}
"""
HEADER = "#define SIZE 4096\nvoid relax(double *a, int n, double w);\n"
MAIN = """#include "grid.h"
static double a[SIZE];
int main(void)
{
    relax(a, SIZE, 0.5);
    return 0;
}
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    root = tmp_path / "program"
    (root / "src").mkdir(parents=True)
    (root / "README").write_text("A program.\n")
    (root / "src" / "grid.h").write_text(HEADER)
    (root / "src" / "grid.c").write_text(GRID)
    (root / "main.c").write_text(MAIN.replace("grid.h", "src/grid.h"))
    return root


def checked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[dict[str, Any], str]:
    """What JSON says of the loop in grid.c, and standard error."""
    assert main(["check", "--json", *arguments]) == 0
    printed = capsys.readouterr()
    files = {Path(file["path"]).name: file for file in json.loads(printed.out)["files"]}
    return files["grid.c"]["nests"][0], printed.err


def test_a_folder_and_one_file_of_it_are_the_same_program(program: Path, capsys) -> None:
    source = str(program / "src" / "grid.c")
    for given in (str(program), str(program / "src"), source):
        nest, err = checked(capsys, given)
        assert nest["sizes"] == {"n": 4096}
        statements = [{"text": "relax(a, SIZE, 0.5)", "path": str(program / "main.c"), "line": 5}]
        assert nest["size_sources"] == [{"name": "n", "statements": statements}]
        assert err == ""
    alone, _ = checked(capsys, "--alone", source)
    assert (alone["sizes"], alone["size_sources"]) == ({"n": 1024}, [])
    assert main(["check", "-v", "--noise", "all", "--worthwhile-us", "0", source]) == 0
    assert "`n` = 4096: `relax(a, SIZE, 0.5)`. From main.c:5." in capsys.readouterr().out


def test_what_was_read_is_kept_as_long_as_it_is_so(program: Path, capsys, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WARPLENS_CACHE", str(tmp_path / "cache"))
    source = str(program / "src" / "grid.c")
    assert checked(capsys, source)[0]["sizes"] == {"n": 4096}
    (kept,) = (tmp_path / "cache" / "results").iterdir()
    before = kept.read_bytes()
    assert checked(capsys, source)[0]["sizes"] == {"n": 4096}
    assert kept.read_bytes() == before
    (program / "src" / "grid.h").write_text(HEADER.replace("4096", "8192"))
    assert checked(capsys, source)[0]["sizes"] == {"n": 8192}
    (program / "main.c").unlink()
    assert checked(capsys, source)[0]["sizes"] == {"n": 1024}
    kept.write_bytes(before[:-9])
    assert checked(capsys, source)[0]["sizes"] == {"n": 1024}


def test_what_is_left_out_of_a_program_is_said_and_takes_nothing_with_it(program: Path, capsys) -> None:
    with (program / "table.c").open("wb") as file:
        file.truncate(6_000_000)
    (program / "src" / "loop").symlink_to(program)
    (program / "src" / "circle.c").symlink_to("circle.c")
    (program / "src" / "broken.c").write_text("void f( { ] int")
    nest, err = checked(capsys, str(program / "src" / "grid.c"))
    assert nest["sizes"] == {"n": 4096}
    assert err == f"warplens: {program / 'table.c'} is larger than 5 MB: it is left out of the program\n"


def test_standard_input_is_no_part_of_a_program(program: Path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(program)
    monkeypatch.setattr("sys.stdin", _Input((program / "src" / "grid.c").read_bytes()))
    assert main(["check", "--json", "-"]) == 0
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert file["nests"][0]["sizes"] == {"n": 1024}


class _Input:
    def __init__(self, content: bytes) -> None:
        self.buffer = self
        self._content = content

    def read(self, _limit: int) -> bytes:
        return self._content
