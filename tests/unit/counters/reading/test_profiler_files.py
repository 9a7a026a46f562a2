"""Files as ncu and nvprof write them: kernels, launches, times in seconds and counters in our units."""

from pathlib import Path

import numpy as np
import pytest
from warplens.analysis.counters.counter_table import CounterTable
from warplens.server.counters.reading.counter_file_error import CounterFileError
from warplens.server.counters.reading.formats import ReadOptions
from warplens.server.counters.reading.read_counter_files import read_counter_files

FILES = Path(__file__).parents[3] / "fixtures" / "counters"


def read(*names: str, options: ReadOptions = ReadOptions()) -> CounterTable:  # noqa: B008 - frozen
    return read_counter_files([FILES / name for name in names], options)


def test_a_raw_page_of_ncu() -> None:
    table = read("ncu_raw.csv")
    first, second = table.runs
    assert (first.kernel, second.kernel) == ("matMul", "scale")
    assert (first.block, first.grid, first.registers, first.shared_bytes) == ((16, 16, 1), (32, 32, 1), 32, 2048)
    assert second.shared_bytes == 512
    assert first.gpu == "NVIDIA A100-SXM4-40GB"
    assert [run.time_s for run in table.runs] == pytest.approx([1234.5e-6, 20.25e-6])
    assert table.column("dram_read_bytes") == pytest.approx([12.5e6, 1.5e6])
    assert table.column("shared_load_bank_conflicts") == pytest.approx([1024, 0])
    assert table.column("instructions_executed") == pytest.approx([9437184, 65536])
    assert table.column("achieved_occupancy") == pytest.approx([0.485, 0.8125])
    assert any("made__up_metric.sum" in remark for remark in table.remarks)


def test_a_details_page_of_ncu() -> None:
    table = read("ncu_details.csv")
    assert [run.kernel for run in table.runs] == ["matMul", "scale"]
    assert [run.time_s for run in table.runs] == pytest.approx([1.25e-3, 20.25e-6])
    assert table.runs[0].registers == 32
    assert table.column("achieved_occupancy") == pytest.approx([0.485, 0.8125])
    assert table.column("instructions_executed")[0] == 9437184
    assert np.isnan(table.column("instructions_executed")[1])


def test_a_trace_of_nvprof_has_times_and_launches_and_no_copies() -> None:
    table = read("nvprof_trace.csv")
    assert [run.time_s for run in table.runs] == pytest.approx([1.3e-3, 1.2e-3, 1.25e-3])
    (described,) = {(run.kernel, run.gpu, run.block, run.grid, run.registers, run.shared_bytes) for run in table.runs}
    assert described == ("matMul", "Tesla K20c", (16, 16, 1), (32, 32, 1), 25, 2048)


def test_averages_of_nvprof_go_with_the_median_launch() -> None:
    table = read("nvprof_trace.csv", "nvprof_metrics.csv")
    (run,) = table.runs
    assert run.time_s == pytest.approx(1.25e-3)
    assert table.column("instructions_executed") == [9437184]
    assert table.column("achieved_occupancy") == [0.485]
    assert table.column("global_load_efficiency") == [0.125]
    assert table.column("dram_utilization") == [0.4]
    assert "global_store_transactions" not in table.metrics
    assert any("global_store_transactions ran over" in remark for remark in table.remarks)


def test_metrics_of_launches_go_with_the_launches_of_a_trace() -> None:
    table = read("nvprof_launches.csv", "nvprof_trace.csv")
    assert [run.time_s for run in table.runs] == pytest.approx([1.3e-3, 1.2e-3, 1.25e-3])
    assert table.column("instructions_executed").tolist() == [9437184, 9437185, 9437186]


def test_launches_that_a_trace_does_not_have_are_refused_with_the_line(tmp_path: Path) -> None:
    lines = (FILES / "nvprof_trace.csv").read_text().splitlines(keepends=True)
    (tmp_path / "short.csv").write_text("".join(lines[:-1]))
    with pytest.raises(CounterFileError, match="3 launches of matMul have no time") as caught:
        read_counter_files([tmp_path / "short.csv", FILES / "nvprof_launches.csv"], ReadOptions())
    assert (Path(caught.value.path).name, caught.value.line) == ("nvprof_launches.csv", 4)


def test_launches_of_other_blocks_are_refused(tmp_path: Path) -> None:
    trace = (FILES / "nvprof_trace.csv").read_text()
    raw = (FILES / "ncu_raw.csv").read_text().replace("gpu__time_duration.sum", "gpu__other.sum")
    (tmp_path / "ncu.csv").write_text("\n".join(raw.splitlines()[:-1]))
    one = "\n".join(trace.splitlines()[:6]).replace(",16,16,1,", ",8,8,1,")
    (tmp_path / "trace.csv").write_text(one)
    with pytest.raises(CounterFileError, match="not the same runs"):
        read_counter_files([tmp_path / "trace.csv", tmp_path / "ncu.csv"], ReadOptions())
