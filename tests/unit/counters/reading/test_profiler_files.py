"""Files as ncu and nvprof write them: kernels, launches, times in seconds and counters in our units."""

from pathlib import Path

import numpy as np
import pytest
from warplens.analysis.counters.counter_table import CounterTable
from warplens.server.measure.counters.reading.counter_file_error import CounterFileError
from warplens.server.measure.counters.reading.formats import ReadOptions
from warplens.server.measure.counters.reading.read_counter_files import read_counter_files

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
    (tmp_path / "ncu.csv").write_text("".join(raw.splitlines(keepends=True)[:-1]))
    one = (
        "".join(trace.splitlines(keepends=True)[:6])
        .replace(",16,16,1,", ",8,8,1,")
        .replace("Tesla K20c", "NVIDIA A100-SXM4-40GB")
    )
    (tmp_path / "trace.csv").write_text(one)
    with pytest.raises(CounterFileError, match="not the same runs"):
        read_counter_files([tmp_path / "trace.csv", tmp_path / "ncu.csv"], ReadOptions())


def test_a_title_and_a_raw_name_for_the_same_shared_memory_count_once(tmp_path: Path) -> None:
    rows = [
        ("Launch Statistics", "Static Shared Memory Per Block", "byte/block", "1,024"),
        ("Command line profiler metrics", "launch__shared_mem_per_block_static", "byte/block", "1,024"),
        ("Launch Statistics", "Dynamic Shared Memory Per Block", "Kbyte/block", "2.05"),
        ("GPU Speed Of Light", "Duration", "usecond", "12"),
    ]
    head = '"ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value"\n'
    lines = "".join('"0","k(int)",' + ",".join(f'"{cell}"' for cell in row) + "\n" for row in rows)
    (tmp_path / "d.csv").write_text(head + lines)
    (run,) = read_counter_files([tmp_path / "d.csv"], ReadOptions()).runs
    assert run.shared_bytes == 1024 + 2050


def test_a_raw_page_of_an_older_ncu_has_blocks_and_grids_in_columns(tmp_path: Path) -> None:
    names = [f"launch__{what}_dim_{axis}" for what in ("block", "grid") for axis in "xyz"]
    columns = ["ID", "Kernel Name", "Kernel Time", "gpu__time_duration.sum", *names, "launch__thread_count"]
    units = ["", "", "", "nsecond", *["block"] * 6, "thread"]
    cells = ["0", "k(int)", "2020-Apr-07 17:01:05", "12", "256", "2", "1", "1,024", "1", "3", "1,572,864"]
    (tmp_path / "r.csv").write_text(
        "".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in (columns, units, cells))
    )
    table = read_counter_files([tmp_path / "r.csv"], ReadOptions())
    assert [(run.block, run.grid) for run in table.runs] == [((256, 2, 1), (1024, 1, 3))]
    assert table.remarks == ()


def test_cycles_of_one_multiprocessor_are_not_those_of_all(tmp_path: Path) -> None:
    names = ("sm__cycles_elapsed.sum", "sm__cycles_elapsed.max", "sm__cycles_active.sum", "sm__cycles_active.avg")
    (tmp_path / "r.csv").write_text(
        f"ID,Kernel Name,gpu__time_duration.sum,{','.join(names)}\n,,ns,cycle,cycle,cycle,cycle\n0,k,5,800,100,640,80\n"
    )
    table = read_counter_files([tmp_path / "r.csv"], ReadOptions())
    assert dict(zip(table.metrics, table.values[0], strict=True)) == {
        "elapsed_cycles": 800, "elapsed_cycles_of_one": 100, "active_cycles": 640, "active_cycles_of_one": 80
    }  # fmt: skip


def test_requests_that_nvprof_does_not_count_by_warps_are_not_used(tmp_path: Path) -> None:
    text = (FILES / "nvprof_launches.csv").read_text().replace("inst_executed", "global_load_requests")
    (tmp_path / "m.csv").write_text(text)
    table = read_counter_files([FILES / "nvprof_trace.csv", tmp_path / "m.csv"], ReadOptions())
    assert "global_load_requests" not in table.metrics
    assert any("not known): global_load_requests" in remark for remark in table.remarks)


def test_a_details_page_without_names_of_gpus_keeps_two_devices_apart(tmp_path: Path) -> None:
    text = (FILES / "ncu_details.csv").read_text()
    second = "".join(text.splitlines(keepends=True)[2:]).replace('"0","8.0"', '"1","9.0"')
    (tmp_path / "d.csv").write_text(
        text + second.replace('"1","4711"', '"3","4711"').replace('"0","4711"', '"2","4711"')
    )
    table = read_counter_files([tmp_path / "d.csv"], ReadOptions())
    assert [run.gpu for run in table.runs] == ["unknown GPU 0"] * 2 + ["unknown GPU 1"] * 2


def test_a_details_page_has_threads_and_blocks_that_are_no_counters(tmp_path: Path) -> None:
    head = '"ID","Kernel Name","Kernel Time","Section Name","Metric Name","Metric Unit","Metric Value"\n'
    rows = [("Duration", "usecond", "12"), ("Block Size", "", "256"), ("Grid Size", "", "1,024"), ("Threads", "", "9")]
    lines = "".join(f'"0","k(int)","2020-Apr-07","Launch Statistics","{a}","{b}","{c}"\n' for a, b, c in rows)
    (tmp_path / "d.csv").write_text(head + lines)
    table = read_counter_files([tmp_path / "d.csv"], ReadOptions())
    assert (len(table.runs), table.remarks, table.runs[0].block) == (1, (), None)


MATRIX_BYTES = 4 * 256**2


def test_a_details_page_that_ncu_wrote() -> None:
    """Its rows end behind the value and a comma where no rule speaks."""
    table = read("ncu_2025_details.csv")
    assert [run.kernel for run in table.runs] == ["triad", "transpose_naive", "transpose_conflicts"]
    assert [run.time_s for run in table.runs] == pytest.approx([3.104e-6, 6.24e-6, 6.56e-6])
    assert table.runs[1].grid == (8, 8, 1)
    assert table.column("achieved_occupancy")[1] == pytest.approx(0.0608)
    assert table.column("dram_utilization")[1] == pytest.approx(0.0127)


def test_a_details_page_that_is_cut_off_behind_a_value_is_refused(tmp_path: Path) -> None:
    text = (FILES / "ncu_2025_details.csv").read_text()
    (tmp_path / "d.csv").write_text(text[: text.index('"6,111"') + 7])
    with pytest.raises(CounterFileError, match=r"15 of 20 cells"):
        read_counter_files([tmp_path / "d.csv"], ReadOptions())


def test_a_whole_set_that_ncu_wrote() -> None:
    table = read("ncu_2025_full.csv.gz")
    assert table.column("l2_read_bytes").tolist() == [2 * MATRIX_BYTES, MATRIX_BYTES, MATRIX_BYTES]
    assert table.column("global_load_requests").tolist() == [4096, 2048, 2048]
    assert table.column("shared_load_requests").tolist() == [0, 0, 2048]
    assert table.column("global_store_efficiency").tolist() == [1, 0.125, 1]
    assert table.column("thread_instructions_executed")[2] == 2850816


def test_stalls_of_a_whole_set_are_shares_of_a_warps_cycles() -> None:
    """ncu has them as warps per issue there; all of them and the issue itself make up a warp's cycles per issue."""
    table = read("ncu_2025_full.csv.gz")
    assert table.column("stall_memory_dependency")[2] == pytest.approx(14.49 / 24.79)
    names = [name for name in table.metrics if name.startswith("stall_")]
    selected, left_out = 1 / 24.79, (0.52 + 0.09) / 24.79  # branches and dispatch have no name of ours
    assert sum(table.column(name)[2] for name in names) + selected + left_out == pytest.approx(1, abs=0.01)


def test_instances_behind_a_number_are_left_out() -> None:
    table, whole = read("ncu_2025_instances.csv.gz"), read("ncu_2025_full.csv.gz")
    (run,) = table.runs
    assert (run.kernel, run.block, run.registers) == ("triad", (128, 1, 1), 16)
    for name in ("instructions_executed", "global_load_transactions", "l2_read_bytes"):
        assert table.column(name)[0] == whole.column(name)[0]


def test_what_ncu_adds_to_what_was_asked_for_is_not_called_unknown(tmp_path: Path) -> None:
    names = ("dram__bytes_read.avg", "dram__bytes_read.sum", "gpu__time_duration.avg", "numa__id_cpu", "made__up.sum")
    (tmp_path / "r.csv").write_text(
        f"ID,Kernel Name,gpu__time_duration.sum,{','.join(names)}\n,,ns,byte,byte,ns,,\n0,k,5,8,100,5,0,1\n"
    )
    table = read_counter_files([tmp_path / "r.csv"], ReadOptions())
    assert table.column("dram_read_bytes").tolist() == [100]
    (remark,) = table.remarks
    assert remark.endswith("not used (not known): made__up.sum")
