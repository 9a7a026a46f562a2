"""Sizes that a file's name or the command line says, beside those that its rows say."""

from __future__ import annotations

from pathlib import Path

import pytest
from warplens.server.measure.counters.reading.counter_file_error import CounterFileError
from warplens.server.measure.counters.reading.formats import ReadOptions
from warplens.server.measure.counters.reading.read_counter_files import read_counter_files

ROWS = "kernel,n,time_us,cc\nk,256,5,1\nk,512,9,1\n"


def test_what_the_row_says_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(ROWS)
    with pytest.raises(CounterFileError, match="2: n is 256 in this row, and 5 by -D or the file's name"):
        read_counter_files([path], ReadOptions(sizes={str(path): {"n": 5.0}}))
    found = read_counter_files([path], ReadOptions(sizes={str(path): {"m": 5.0}}))
    assert [run.problem for run in found.runs] == [(("m", 5.0), ("n", 256.0)), (("m", 5.0), ("n", 512.0))]


def test_what_is_the_same_of_many_files_is_said_once(tmp_path: Path) -> None:
    paths = [tmp_path / f"t{number}.csv" for number in range(8)]
    for path in paths:
        path.write_text(ROWS)
    (remark,) = read_counter_files(paths, ReadOptions()).remarks
    assert remark.startswith(f"{paths[0]}, {paths[1]}, ")
    assert remark.endswith("and 3 more: not used (not known): cc")
