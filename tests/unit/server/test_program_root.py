"""The top of a program is where its files say so, wherever the command was started."""

from pathlib import Path

import pytest
from warplens.server.cli.analyse_files import _job
from warplens.server.files.project import program_root
from warplens.server.preprocess.flags import PreprocessorFlags
from warplens.server.preprocess.preprocess import preprocess
from warplens.server.settings.settings import Settings


@pytest.mark.parametrize(
    ("marks", "top"),
    [
        (("repo/.git/", "repo/a/Makefile"), "repo"),
        (("Makefile", "repo/.git/", "repo/a/b/.git/"), "repo/a/b"),
        (("repo/Makefile", "repo/a/Makefile"), "repo"),
        (("repo/README.md",), "repo"),
        (("repo/a/include/", "LICENSE"), "repo/a"),
        ((), "repo/a/b"),
    ],
    ids=["version control", "nearest of two", "outermost of a project", "readme", "headers", "nothing"],
)
def test_the_top_is_marked(tmp_path: Path, marks: tuple[str, ...], top: str) -> None:
    folder = tmp_path / "repo" / "a" / "b"
    folder.mkdir(parents=True)
    for mark in marks:
        path = tmp_path / mark
        path.parent.mkdir(parents=True, exist_ok=True)
        if mark.endswith("/"):
            path.mkdir(parents=True)
        else:
            path.touch()
    assert program_root(folder) == tmp_path / top


def test_headers_are_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, headers = tmp_path / "repo" / "src", tmp_path / "repo" / "deep" / "inside"
    for folder in (tmp_path / "repo" / ".git", source, headers):
        folder.mkdir(parents=True)
    (headers / "sizes.h").write_text("#define NX 900\n")
    (source / "f.c").write_text('#include "sizes.h"\nint a[NX];\n')
    found = []
    for start in (tmp_path, source, headers, Path("/")):
        monkeypatch.chdir(start)
        job = _job(str(source / "f.c"), None, None, Settings())
        roots = tuple(map(Path, job.roots))
        found.append(preprocess(Path(job.path), job.text, PreprocessorFlags(), roots, 20, trusted=True))
    assert found[0].missing == ()
    assert "int a[900];" in found[0].text
    assert all(each == found[0] for each in found)
