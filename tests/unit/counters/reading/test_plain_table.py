"""Tables with a row for a run."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from warplens.server.measure.counters.reading.counter_file_error import CounterFileError
from warplens.server.measure.counters.reading.formats import ReadOptions
from warplens.server.measure.counters.reading.read_counter_files import read_counter_files

TABLE = Path(__file__).parents[3] / "fixtures" / "counters" / "table.csv"


def test_columns_by_our_names_and_by_titles_of_profilers() -> None:
    table = read_counter_files([TABLE], ReadOptions())
    assert [(run.kernel, run.gpu, dict(run.problem), run.block) for run in table.runs] == [
        ("matMul", "Tesla K20c", {"n": 256}, (16, 16, 1)),
        ("matMul", "Tesla K20c", {"n": 512}, (16, 16, 1)),
        ("scale", "Tesla K20c", {"n": 512}, (256, 1, 1)),
    ]
    assert [run.time_s for run in table.runs] == pytest.approx([150.5e-6, 1.2e-3, 20e-6])
    np.testing.assert_array_equal(table.column("achieved_occupancy"), [0.45, np.nan, 0.8])
    assert [run.source for run in table.runs] == ["table.csv:3", "table.csv:4", "table.csv:5"]
    assert any("not known): note" in remark for remark in table.remarks)


def test_a_kernel_of_several() -> None:
    table = read_counter_files([TABLE], ReadOptions(kernels=frozenset({"scale"})))
    assert [run.kernel for run in table.runs] == ["scale"]


def test_columns_as_the_caller_says(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"app;card;med;size:m;k;inst_executed\nf;K20;2.5;8;3;100\n"))
    options = ReadOptions(
        kernel_column="app", gpu_column="card", time_column="med", time_unit="ms", size_columns=("k",)
    )
    table = read_counter_files([path], options)
    (run,) = table.runs
    assert (run.kernel, run.gpu, run.problem) == ("f", "K20", (("k", 3.0), ("m", 8.0)))
    assert run.time_s == pytest.approx(2.5e-3)
    assert table.column("instructions_executed") == [100]


def test_what_the_files_do_not_say_is_added(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("kernel,time_s\nf,1\n")
    table = read_counter_files([path], ReadOptions(gpu="K20", sizes={str(path): {"n": 5.0}}))
    (run,) = table.runs
    assert (run.gpu, run.problem) == ("K20", (("n", 5.0),))


def test_events_of_subpartitions_are_one_metric_where_all_are_there(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    parts = [f"l2_subp{i}_total_read_sector_queries" for i in range(2)]
    path.write_text(f"kernel,time_s,{','.join(f'ev:{part}' for part in parts)}\nf,1,10,30\n")
    table = read_counter_files([path], ReadOptions())
    one = tmp_path / "one.csv"
    one.write_text(f"kernel,time_s,ev:{parts[0]}\nf,1,10\n")
    added = set(table.metrics) - set(read_counter_files([one], ReadOptions()).metrics)
    assert len(added) == 1
    assert table.column(added.pop())[0] == pytest.approx(40 * 32)


def test_a_column_that_does_not_exist_is_said() -> None:
    with pytest.raises(CounterFileError, match="there is no such column") as caught:
        read_counter_files([TABLE], ReadOptions(time_column="nanoseconds"))
    assert (caught.value.line, caught.value.column) == (2, "nanoseconds")


def test_instances_of_one_template_are_said_to_be_taken_as_one(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        'kernel,time_s\n"void reduce<float, 128>(float*)",1\n"void reduce<float, 256>(float*)",2\nscale,3\n'
    )
    table = read_counter_files([path], ReadOptions())
    assert [run.kernel for run in table.runs] == ["reduce", "reduce", "scale"]
    (remark,) = table.remarks
    assert (
        "reduce are 2 kernels that are taken as one: void reduce<float, 128>(float*), void reduce<float, 256>" in remark
    )
