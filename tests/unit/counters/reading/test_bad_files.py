"""Files that can't be read: what is wrong, in which line and column."""

import gzip
import tracemalloc
from pathlib import Path

import pytest
from warplens.server.measure.counters.reading.counter_file_error import CounterFileError
from warplens.server.measure.counters.reading.formats import ReadOptions
from warplens.server.measure.counters.reading.read_counter_files import read_counter_files

FILES = Path(__file__).parents[3] / "fixtures" / "counters"
HEAD = b"kernel,n,time_us,instructions_executed\n"

BAD = {
    "cut off in a row": (HEAD + b"f,1,2,3\nf,1,2\n", 3, "column 4 (instructions_executed)", "is the file cut off"),
    "a cell too many": (HEAD + b"f,1,2,3,4\n", 2, "column 5", "the row has 5 cells, the header 4"),
    "decimal commas": (b"kernel;n;time_us\nf;1;1.5\nf;1;12,5\n", 3, "column 3 (time_us)", "decimal comma"),
    "quoted decimal commas": (b'kernel,time_us\n"f","12,5"\n', 2, "column 2 (time_us)", "LC_ALL=C"),
    "only a header": (HEAD, 1, "", "no runs, only a header"),
    "empty": (b"", 0, "", "the file is empty"),
    "blank": (b"\n\n \n", 0, "", "the file is empty"),
    "binary": (b"kernel,time_us\nf,\0\1\2\n", 2, "", "not a text file"),
    "a column twice": (b"kernel,n,n,time_us\nf,1,1,1\n", 1, "n", "two columns have this name"),
    "a line without end": (HEAD + b"f," + b"1" * (1 << 21), 2, "", "longer than 1 MB"),
    "an open quote": (HEAD + b'f,1,2,"3\nf,1,2,3\n', 2, "", "a quote is never closed"),
    "a word": (HEAD + b"f,1,2,many\n", 2, "column 4 (instructions_executed)", "'many' is no number"),
    "an endless number": (HEAD + b"f,1,1e999,3\n", 2, "column 3 (time_us)", "no finite number"),
    "a negative time": (HEAD + b"f,1,-2,3\n", 2, "column 3 (time_us)", "negative time"),
    "no time": (b"kernel,n,instructions_executed\nf,1,2\n", 1, "", "no column has the time"),
    "no known header": (b"a,b\n1,2\n", 1, "", "no header that is known, it begins with 'a,b'"),
    "too many columns": (
        b"kernel,time_s," + b",".join(b"c%d" % i for i in range(5000)) + b"\n", 1, "", "columns are more than 4096"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("content", "line", "column", "message"), BAD.values(), ids=BAD)
def test_line_column_and_reason(tmp_path: Path, content: bytes, line: int, column: str, message: str) -> None:
    path = tmp_path / "runs.csv"
    path.write_bytes(content)
    with pytest.raises(CounterFileError) as caught:
        read_counter_files([path], ReadOptions())
    assert (caught.value.path, caught.value.line, caught.value.column) == (str(path), line, column)
    assert message in caught.value.message
    place = f"{path}:{line}" if line else str(path)
    assert str(caught.value).startswith(place)


def test_a_time_without_a_unit(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_bytes(b"kernel,t\nf,1\n")
    with pytest.raises(CounterFileError, match="a time without a unit: say --time-unit") as caught:
        read_counter_files([path], ReadOptions(time_column="t"))
    assert (caught.value.line, caught.value.column) == (2, "column 2 (t)")


def test_a_compressed_file_that_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv.gz"
    packed = gzip.compress(HEAD + b"".join(b"f,%d,2,3\n" % i for i in range(1, 100_000)))
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(CounterFileError, match="cut off or damaged") as caught:
        read_counter_files([path], ReadOptions())
    assert caught.value.line > 1000


@pytest.mark.parametrize("name", ["", "nowhere.csv"])
def test_no_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(CounterFileError, match=r"directory"):
        read_counter_files([tmp_path / name], ReadOptions())


def test_kernels_that_are_not_there_are_said_with_those_that_are() -> None:
    with pytest.raises(CounterFileError, match="it has matMul, scale"):
        read_counter_files([FILES / "table.csv"], ReadOptions(kernels=frozenset({"matmul"})))


@pytest.mark.long
def test_an_error_at_the_end_of_a_file_of_200_mb_is_found_in_little_memory(tmp_path: Path) -> None:
    """Nothing is kept of a row: 45 bytes of each would be seen."""
    path = tmp_path / "runs.csv"
    rows = 1_000
    block = b"other,1,2,3" + b" " * 19_000 + b"\n"
    with path.open("wb") as file:
        file.write(HEAD)
        for _ in range(11):
            file.write(block * rows)
        file.write(b"other,1,2,x\n")
    assert path.stat().st_size > 200e6
    tracemalloc.start()
    try:
        with pytest.raises(CounterFileError) as caught:
            read_counter_files([path], ReadOptions(kernels=frozenset({"mine"})))
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (caught.value.line, caught.value.column) == (11 * rows + 2, "column 4 (instructions_executed)")
    assert peak_bytes < 45 * 11 * rows


@pytest.mark.long
def test_what_a_program_prints_in_front_is_not_kept(tmp_path: Path) -> None:
    """25 bytes of each line would be seen; no fewer are skipped where they are ten times as many."""
    path = tmp_path / "runs.csv"
    lines = 20_001
    printed = (b"step done " + b"." * 80 + b"\n") * lines
    path.write_bytes(printed + HEAD + b"f,1,2,3\n")
    tracemalloc.start()
    try:
        (run,) = read_counter_files([path], ReadOptions()).runs
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert run.source == "runs.csv:20003"
    assert peak_bytes < 25 * lines
    path.write_bytes(printed * 10 + HEAD + b"f,1,2,3\n")
    (run,) = read_counter_files([path], ReadOptions()).runs
    assert run.source == "runs.csv:200012"
