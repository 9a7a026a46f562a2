"""The cache folder: whole results or none, bounded, private, and never a reason to fail."""

import errno
import logging
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from warplens.analysis.engine.report import Recomputed
from warplens.server.result_cache import folder as folder_module
from warplens.server.result_cache import result_cache
from warplens.server.result_cache.folder import VARIABLE, UnusableFolderError, private_folder, results_folder
from warplens.server.result_cache.result_cache import ResultCache, cache_size, clear_cache

RESULT = Recomputed(1, 2, 3)

WRITER = """
import random, sys
from warplens.analysis.engine.report import Recomputed
from warplens.server.result_cache.result_cache import ResultCache
cache, found = ResultCache(limit_bytes=4000), 0
print("ready", flush=True)
for number in range(int(sys.argv[1])):
    key = f"k{random.randrange(40)}"
    kept = cache.load(key, Recomputed)
    assert kept is None or kept == Recomputed(int(key[1:]), 0, 0), kept
    found += kept is not None
    cache.write(key, Recomputed(int(key[1:]), 0, 0))
    assert cache._can_be_written
print(found)
"""


def test_a_result_is_found_by_its_key_alone(folder: Path) -> None:
    ResultCache().write("one", RESULT)
    assert ResultCache().load("one", Recomputed) == RESULT
    assert ResultCache().load("two", Recomputed) is None


def test_folder_and_files_are_the_users_alone(folder: Path) -> None:
    ResultCache().write("one", RESULT)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()] == [0o600]


@pytest.mark.parametrize("at", [0, 31, 32, 40, -1])
def test_a_result_with_a_wrong_byte_is_taken_away_and_written_again(folder: Path, at: int) -> None:
    ResultCache().write("one", RESULT)
    (file,) = folder.iterdir()
    content = bytearray(file.read_bytes())
    content[at] ^= 0x10
    file.write_bytes(content)
    cache = ResultCache()
    assert cache.load("one", Recomputed) is None
    assert not file.exists()
    cache.write("one", RESULT)
    assert cache.load("one", Recomputed) == RESULT


@pytest.mark.parametrize("length", [0, 1, 32, 60])
def test_half_a_result_is_none(folder: Path, length: int) -> None:
    ResultCache().write("one", RESULT)
    (file,) = folder.iterdir()
    file.write_bytes(file.read_bytes()[:length])
    assert ResultCache().load("one", Recomputed) is None


def test_another_kind_of_result_is_none(folder: Path) -> None:
    ResultCache().write("one", (1, 2))
    assert ResultCache().load("one", Recomputed) is None


def test_what_was_not_used_for_the_longest_time_makes_room(folder: Path) -> None:
    cache = ResultCache()
    for number in range(10):
        cache.write(f"key{number}", RESULT)
        os.utime(folder / f"key{number}.result", (number, number))
    assert cache.load("key0", Recomputed) == RESULT  # used now
    one = next(folder.iterdir()).stat().st_size
    ResultCache(limit_bytes=5 * one).write("new", RESULT)
    assert sorted(file.stem for file in folder.iterdir()) == ["key0", "key8", "key9", "new"]


def test_what_a_killed_writer_left_goes_after_a_while(folder: Path) -> None:
    old, young = folder / "a.1.x.unfinished", folder / "b.1.x.unfinished"
    for each in (old, young):
        each.write_bytes(b"half")
    os.utime(old, (1, 1))
    ResultCache().write("one", RESULT)
    assert sorted(file.name for file in folder.iterdir()) == [young.name, "one.result"]


@pytest.mark.process
def test_two_processes_write_the_same_results_at_once(folder: Path) -> None:
    command = (sys.executable, "-c", WRITER, "150")
    writers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    outputs = [writer.communicate(timeout=120)[0].split() for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0]
    assert all(int(found) > 0 for _, found in outputs)


@pytest.mark.process
def test_a_writer_that_is_killed_leaves_whole_results(folder: Path) -> None:
    for pause_s in (0.0, 0.01, 0.05):
        writer = subprocess.Popen((sys.executable, "-c", WRITER, "100000"), stdout=subprocess.PIPE)
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(pause_s)
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
    cache = ResultCache()
    for file in folder.glob("*.result"):
        assert cache.load(file.stem, Recomputed) == Recomputed(int(file.stem[1:]), 0, 0)


@pytest.mark.parametrize("mode", [0o770, 0o777, 0o702])
def test_a_folder_that_others_may_write_to_is_refused(
    folder: Path, mode: int, caplog: pytest.LogCaptureFixture
) -> None:
    ResultCache().write("one", RESULT)
    folder.chmod(mode)
    cache = ResultCache()
    assert cache.load("one", Recomputed) is None
    cache.write("two", RESULT)
    assert [file.stem for file in folder.iterdir()] == ["one"]
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "can be written by others" in caplog.text


def test_a_folder_of_another_user_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_module.os, "geteuid", lambda: folder.stat().st_uid + 1)
    with pytest.raises(UnusableFolderError, match="another user"):
        private_folder()


def test_a_link_to_a_folder_is_refused(folder: Path, tmp_path: Path) -> None:
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UnusableFolderError, match="no folder"):
        private_folder()


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cache").write_text("", encoding="ascii")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    cache = ResultCache()
    assert cache.load("one", Recomputed) is None
    cache.write("one", RESULT)


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT])
def test_a_full_or_read_only_disk_is_said_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: int
) -> None:
    ResultCache().write("before", RESULT)

    def refuse(*_arguments: object, **_options: object) -> int:
        raise OSError(error, os.strerror(error))

    cache = ResultCache()
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", refuse)
        for key in ("one", "two", "three"):
            cache.write(key, RESULT)
        assert cache.load("before", Recomputed) == RESULT  # reading goes on
    assert [file.stem for file in folder.iterdir()] == ["before"]
    assert len(caplog.records) == 1
    assert os.strerror(error) in caplog.text


def test_a_value_that_can_not_be_written_is_no_reason_to_fail(folder: Path) -> None:
    deep: tuple[object, ...] = ()
    for _ in range(100_000):
        deep = (deep,)
    ResultCache().write("deep", deep)
    assert list(folder.iterdir()) == []


def test_an_empty_variable_is_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "")
    cache = ResultCache()
    cache.write("one", RESULT)
    assert cache.load("one", Recomputed) is None


def test_without_the_variable_it_is_the_users_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert results_folder().is_relative_to(tmp_path) or sys.platform != "linux"


def test_clearing_takes_away_what_is_kept_and_nothing_else(folder: Path) -> None:
    for key in ("one", "two"):
        ResultCache().write(key, RESULT)
    (folder / "notes.txt").write_text("mine", encoding="ascii")
    size = cache_size()
    assert (size.path, size.results) == (folder, 2)
    assert size.size_bytes == sum(file.stat().st_size for file in folder.glob("*.result"))
    assert clear_cache() == size
    assert [file.name for file in folder.iterdir()] == ["notes.txt"]
    assert cache_size().results == 0


def test_clearing_what_was_never_written_is_fine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "never"))
    assert clear_cache().results == 0
    assert not (tmp_path / "never").exists()


def test_a_large_file_is_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ResultCache().write("one", RESULT)
    monkeypatch.setattr(result_cache, "MAX_RESULT_BYTES", 10)
    assert ResultCache().load("one", Recomputed) is None
