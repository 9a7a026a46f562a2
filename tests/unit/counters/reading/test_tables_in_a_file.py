"""Files with more in them than one table: other tables, and what programs print."""

from pathlib import Path

import numpy as np
import pytest
from unit.counters.reading.nvprof_text import EVENTS_HEAD, METRICS_HEAD, TRACE_HEAD, event, launch, metric
from warplens.analysis.counters.counter_table import CounterTable
from warplens.server.measure.counters.reading.counter_file_error import CounterFileError
from warplens.server.measure.counters.reading.formats import ReadOptions
from warplens.server.measure.counters.reading.read_counter_files import read_counter_files

FILES = Path(__file__).parents[3] / "fixtures" / "counters"
RAW, DETAILS = ((FILES / f"ncu_{page}.csv").read_text() for page in ("raw", "details"))
TRACE = TRACE_HEAD + launch(10) + launch(11)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.csv"


def read(path: Path, text: str | bytes) -> CounterTable:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_counter_files([path], ReadOptions())


def test_events_and_metrics_of_one_run_have_their_averages_in_other_columns(path: Path, tmp_path: Path) -> None:
    path.write_text(EVENTS_HEAD + event(32) + METRICS_HEAD + metric(200) + metric(0.5, name="achieved_occupancy"))
    trace = tmp_path / "trace.csv"
    trace.write_text(TRACE)
    table = read_counter_files([trace, path], ReadOptions())
    assert len(table.runs) == 1
    assert {name: table.column(name).tolist() for name in table.metrics} == {
        "warps_launched": [32], "instructions_executed": [200], "achieved_occupancy": [0.5]
    }  # fmt: skip


def test_counters_behind_the_trace_in_the_same_file(path: Path) -> None:
    table = read(path, TRACE + METRICS_HEAD + metric(200))
    assert [run.time_s for run in table.runs] == pytest.approx([11e-6])
    assert table.column("instructions_executed") == [200]


@pytest.mark.parametrize(("text", "runs"), [(RAW, 2), (DETAILS, 2), (TRACE, 2), ((FILES / "table.csv").read_text(), 3)])
def test_a_table_that_was_appended_to_itself(path: Path, text: str, runs: int) -> None:
    once, twice = read(path, text), read(path, text + text)
    assert len(once.runs) == runs
    assert [run.time_s for run in twice.runs] == [run.time_s for run in once.runs] * 2
    assert [run.registers for run in twice.runs] == [run.registers for run in once.runs] * 2
    np.testing.assert_array_equal(twice.values, np.concatenate([once.values, once.values]))


def test_averages_that_were_appended_to_others_are_refused(path: Path) -> None:
    with pytest.raises(CounterFileError, match="instructions_executed of matMul was in another file"):
        read(path, TRACE + (METRICS_HEAD + metric(200)) * 2)


def test_what_a_program_prints_behind_the_table_is_left_out_and_said(path: Path) -> None:
    table = read(path, RAW + "50%\r100%\rTest PASSED\n")
    assert len(table.runs) == 2
    assert any("left out what a program printed (line 9)" in remark for remark in table.remarks)


def test_a_short_row_between_rows_is_a_file_that_was_cut_off(path: Path) -> None:
    rows = RAW.splitlines(keepends=True)
    with pytest.raises(CounterFileError, match="the row ends after 2 of 21 cells") as caught:
        read(path, "".join(rows[:7]) + "a,b\n" + "".join(rows[7:]) + RAW)
    assert caught.value.line == 8


@pytest.mark.parametrize(
    "before",
    [
        "GPU: A100; size: 512\n", '"hello" world\n', '"never closed\n', "n\ttime\n512\t3\n", 'a, "b" c, 12"\n',
        "iteration done\n" * 5000, "the kernel,is running\n", "kernel,n\nmatMul,5\n", "kernel,time_s,n\nmatMul,0.1,5\n",
    ],
    ids=lambda text: text[:20],
)  # fmt: skip
def test_what_a_program_prints_in_front_does_not_matter(path: Path, before: str) -> None:
    table = read(path, before + RAW)
    assert [run.time_s for run in table.runs] == pytest.approx([1234.5e-6, 20.25e-6])
    assert table.column("dram_read_bytes") == pytest.approx([12.5e6, 1.5e6])


def test_a_file_in_utf_16_as_powershell_writes_it(path: Path) -> None:
    assert [run.block for run in read(path, RAW.replace("\n", "\r\n").encode("utf-16")).runs] == [
        (16, 16, 1), (256, 1, 1)
    ]  # fmt: skip


@pytest.mark.parametrize("note", ["==123== note\n==123== another\n", "# note\n", "\n\n"])
def test_lines_that_are_no_rows_are_counted(path: Path, note: str) -> None:
    with pytest.raises(CounterFileError, match="'x' is no number") as caught:
        read(path, f"hello\nkernel,time_us\nf,1\n{note}f,x\n")
    assert caught.value.line == 4 + note.count("\n")


@pytest.mark.parametrize("text", [RAW, DETAILS, TRACE], ids=["raw", "details", "trace"])
def test_a_profilers_file_that_ends_within_its_last_line(path: Path, text: str) -> None:
    with pytest.raises(CounterFileError, match="has no end: is the file cut off") as caught:
        read(path, text.removesuffix("\n"))
    assert caught.value.line == text.count("\n")


def test_a_table_whose_last_line_has_no_end_is_read_and_that_is_said(path: Path) -> None:
    table = read(path, "kernel,time_us,inst_executed\nf,1,94")
    assert table.column("instructions_executed") == [94]
    assert any("its last number may be cut off" in remark for remark in table.remarks)


@pytest.mark.parametrize(
    "text",
    [
        '"Start","Duration","Name","Correlation_ID"\nms,us,,\n1.0,5.0,"cudaMalloc",5\n',
        '"Type","Time(%)","Time","Calls","Avg","Name"\n,%,ms,,us,\n"GPU activities",90.0,1.0,3,333.0,"matMul(int)"\n',
    ],
    ids=["calls", "sums"],
)
def test_traces_without_launches_are_refused_with_what_to_do(path: Path, text: str) -> None:
    with pytest.raises(CounterFileError, match="write it again with --print-gpu-trace"):
        read(path, text)


def test_calls_among_the_launches_are_no_kernels(path: Path) -> None:
    call = '1.0,5.0,,,,,,,,,,,,,,,"cudaMalloc"\n'
    table = read(path, TRACE + call)
    assert [run.kernel for run in table.runs] == ["matMul", "matMul"]
    assert any("left out what has no grid and is no kernel" in remark for remark in table.remarks)
