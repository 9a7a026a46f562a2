"""What is read of a file, when it is read again, and what is kept of it."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from warplens.server.program.index_file import FileReader
from warplens.server.program.kept_program import KeptPrograms
from warplens.server.program.linked_programs import LinkedPrograms
from warplens.server.program.packed_file import PackedFile, SameFile, UnreadFile
from warplens.server.program.packed_program import PackedProgram, ProgramChange, ToldPrograms
from warplens.server.program.packing import UnreadableFileError, unpacked
from warplens.server.program.program_jobs import IndexJob
from warplens.server.settings.settings import Settings
from warplens.server.worker.run_watch import GaveWayError

SOURCE = '#include "n.h"\nvoid f(int n);\nvoid g(void) { f(N); }\n'
HEADER = "#define N 4096\n"


@pytest.fixture
def job(tmp_path: Path) -> IndexJob:
    (tmp_path / "a.c").write_text(SOURCE)
    (tmp_path / "n.h").write_text(HEADER)
    return IndexJob(str(tmp_path / "a.c"), Settings(), (str(tmp_path),), trusted=True)


def read(job: IndexJob) -> PackedFile:
    found = FileReader(lambda: False).read(job)
    assert isinstance(found, PackedFile)
    return found


def again(job: IndexJob, known: PackedFile) -> PackedFile | SameFile | UnreadFile:
    return FileReader(lambda: False).read(replace(job, known=known.grounds))


def moved_time(path: Path) -> None:
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1_000_000_000))


@pytest.mark.parametrize("trusted", [True, False])
def test_a_file_is_read_again_where_anything_is_another_one(job: IndexJob, tmp_path: Path, trusted: bool) -> None:
    job = replace(job, trusted=trusted)
    known = read(job)
    assert isinstance(again(job, known), SameFile)
    moved_time(tmp_path / "a.c")  # its text is the same
    assert isinstance(again(job, known), SameFile)
    (tmp_path / "n.h").write_text(HEADER.replace("4096", "8192"))
    changed = again(job, known)
    assert isinstance(changed, PackedFile)
    assert changed.said != known.said
    assert isinstance(again(replace(job, settings=Settings(defines=("M=1",))), changed), PackedFile)
    (tmp_path / "a.c").write_text(f"\n{SOURCE}")
    moved = again(job, changed)
    assert isinstance(moved, PackedFile)
    assert (moved.said, moved.placed == changed.placed) == (changed.said, False)
    (tmp_path / "a.c").unlink()
    assert again(job, moved) == UnreadFile(job.path)


@pytest.mark.parametrize("is_folder", [True, False])
def test_what_is_no_file_or_too_large_is_said(job: IndexJob, tmp_path: Path, is_folder: bool) -> None:
    (tmp_path / "a.c").unlink()
    if is_folder:
        (tmp_path / "a.c").mkdir()
    else:
        with (tmp_path / "a.c").open("wb") as file:
            file.truncate(6_000_000)
    found = FileReader(lambda: False).read(job)
    assert isinstance(found, UnreadFile)
    assert found.reason


def test_a_reading_that_gives_way_goes_on_where_it_was(job: IndexJob) -> None:
    asked = 0

    def is_in_the_way() -> bool:
        nonlocal asked
        asked += 1
        return asked % 3 == 0

    reader = FileReader(is_in_the_way)
    found = None
    for _ in range(100):
        try:
            found = reader.read(job)
            break
        except GaveWayError:
            continue
    assert isinstance(found, PackedFile)
    assert found.said == read(job).said


def test_a_process_is_told_only_what_it_has_not(job: IndexJob) -> None:
    one = read(job)
    other = replace(one, path="other.c")
    told = ToldPrograms()
    assert told.change(PackedProgram("/p", {"a": one})) == ProgramChange("/p", (one,))
    both = PackedProgram("/p", {"a": one, "b": other})
    assert told.change(both) == ProgramChange("/p", (other,))
    assert told.change(both) == ProgramChange("/p", ())
    assert told.change(PackedProgram("/p", {"b": other})) == ProgramChange("/p", (), ("a",))
    assert ToldPrograms().change(both) == ProgramChange("/p", (one, other))


def test_a_damaged_file_says_nothing_and_takes_none_with_it(job: IndexJob, tmp_path: Path) -> None:
    one = read(job)
    (tmp_path / "b.c").write_text("void f(int n) { }\n")
    other = read(replace(job, path=str(tmp_path / "b.c")))
    for content in (one.content[:-5], b"", b"x" * 40, other.content):
        with pytest.raises(UnreadableFileError):
            unpacked(replace(one, content=content))
    programs = LinkedPrograms()
    whole = programs.after(ProgramChange("/p", (one, other)))
    assert set(whole.program.sizes.tables) == {one.path, other.path}
    assert programs.after(ProgramChange("/p", ())) is whole
    damaged = programs.after(ProgramChange("/p", (replace(one, content=b""),)))
    assert set(damaged.program.sizes.tables) == {other.path}
    gone = programs.after(ProgramChange("/p", (), (one.path,)))
    assert gone.key(one.path) == whole.key(one.path)  # what the file itself says is read with it
    assert gone.key(other.path) != whole.key(other.path)


def test_a_program_is_kept_under_its_root(job: IndexJob, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARPLENS_CACHE", str(tmp_path / "cache"))
    one = read(job)
    KeptPrograms().keep("/p", (one,))
    assert KeptPrograms().load("/p") == (one,)
    assert KeptPrograms().load("/q") == ()
    for file in (tmp_path / "cache").rglob("*.result"):
        file.write_bytes(b"damaged")
    assert KeptPrograms().load("/p") == ()
