"""Whatever a file holds: it is read, or refused as a file of counters."""

import contextlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.examples import examples
from warplens.server.measure.counters.reading.counter_file_error import CounterFileError
from warplens.server.measure.counters.reading.formats import ReadOptions
from warplens.server.measure.counters.reading.read_counter_files import read_counter_files

FILES = sorted((Path(__file__).parents[3] / "fixtures" / "counters").glob("*.csv"))
quiet = settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


PIECES = (b"", b",", b'"', b"\n", b"1e400", b"-1", b"\xff", b"(", b"9" * 5000, b"High (9)")


def read(folder: Path, content: bytes, *others: Path) -> None:
    path = folder / "runs.csv"
    path.write_bytes(content)
    with contextlib.suppress(CounterFileError):
        read_counter_files([*others, path], ReadOptions())


@quiet
@given(content=st.binary(max_size=300))
def test_bytes(tmp_path: Path, content: bytes) -> None:
    read(tmp_path, content)
    read(tmp_path, b"kernel,time_s,n\n" + content)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@quiet
@given(data=st.data())
def test_a_profilers_file_with_a_piece_changed(tmp_path: Path, path: Path, data: st.DataObject) -> None:
    read(tmp_path, changed(path, data))


@pytest.mark.parametrize("name", ["nvprof_metrics.csv", "nvprof_launches.csv", "ncu_raw.csv"])
@quiet
@given(data=st.data())
def test_a_changed_file_with_others_of_the_same_runs(tmp_path: Path, name: str, data: st.DataObject) -> None:
    folder = FILES[0].parent
    read(tmp_path, changed(folder / name, data), folder / "nvprof_trace.csv", folder / "ncu_raw.csv")


def changed(path: Path, data: st.DataObject) -> bytes:
    content = path.read_bytes()
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, min(len(content), start + 200)))
    piece = data.draw(st.sampled_from([*PIECES, content[:start][-80:], content]))
    return content[:start] + piece + content[end:]
