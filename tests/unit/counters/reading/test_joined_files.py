"""Times of one file and counters of another: those of the same launches, or none."""

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from unit.counters.reading.nvprof_text import (
    EVENTS_HEAD,
    LAUNCHES_HEAD,
    METRICS_HEAD,
    TRACE_HEAD,
    counted,
    event,
    launch,
    metric,
)
from warplens.analysis.counters.counter_table import CounterTable
from warplens.server.measure.counters.asked_sizes import sizes_in_name
from warplens.server.measure.counters.reading.counter_file_error import CounterFileError
from warplens.server.measure.counters.reading.formats import ReadOptions
from warplens.server.measure.counters.reading.read_counter_files import read_counter_files

NCU = Path(__file__).parents[3] / "fixtures" / "counters" / "ncu_raw.csv"
V100 = "Tesla V100 (1)"
FLOATS, DOUBLES = "void sum<float>(float*)", "void sum<double>(double*)"

Read = Callable[..., CounterTable]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def read_them(files: dict[str, str], **options: object) -> CounterTable:
        paths = [tmp_path / name for name in files]
        for path, text in zip(paths, files.values(), strict=True):
            path.write_text(text)
        sizes = {str(path): sizes_in_name(path) for path in paths}
        return read_counter_files(paths, ReadOptions(sizes=sizes, **options))  # type: ignore[arg-type]

    return read_them


def trace(*launches: str) -> str:
    return TRACE_HEAD + "".join(launches)


def sweep(counters: Callable[[int], dict[str, str]]) -> dict[str, str]:
    files: dict[str, str] = {}
    for n in (256, 512, 1024):
        files[f"n={n}.trace.csv"] = trace(*(launch(n + i, n // 16) for i in range(3)))
        files |= {f"n={n}.{what}.csv": text for what, text in counters(n).items()}
    return files


@pytest.mark.parametrize("order", [False, True])
def test_averages_of_a_sweep_go_with_their_own_size(read: Read, order: bool) -> None:
    files = sweep(lambda n: {"metrics": METRICS_HEAD + metric(1000 * n), "events": EVENTS_HEAD + event(n)})
    table = read(dict(sorted(files.items(), reverse=order)))
    found = {
        dict(run.problem)["n"]: (run.time_s, *values) for run, values in zip(table.runs, table.values, strict=True)
    }
    assert table.metrics == ("instructions_executed", "warps_launched")
    assert found == {n: (pytest.approx((n + 1) * 1e-6), 1000 * n, n) for n in (256, 512, 1024)}


def test_launches_of_a_sweep_go_with_their_own_size(read: Read) -> None:
    files = sweep(lambda n: {"metrics": LAUNCHES_HEAD + "".join(counted(1000 * n + i) for i in range(3))})
    table = read(files)
    found = [(dict(run.problem)["n"], run.time_s) for run in table.runs]
    assert found == [(n, pytest.approx((n + i) * 1e-6)) for n in (256, 512, 1024) for i in range(3)]
    assert table.column("instructions_executed").tolist() == [
        1000 * n + i for n, i in itertools.product((256, 512, 1024), range(3))
    ]


def test_without_sizes_it_is_not_guessed_which_averages_are_of_which_times(read: Read) -> None:
    files = {"a.csv": trace(launch(1)), "b.csv": trace(launch(9, 64)), "c.csv": METRICS_HEAD + metric(5)}
    with pytest.raises(CounterFileError, match=r"fit 2 files with times equally \(a.csv, b.csv\): name the files by"):
        read(files)


def test_counters_of_a_size_that_no_trace_has_are_refused(read: Read) -> None:
    files = {"n=256.trace.csv": trace(launch(1)), "n=512.metrics.csv": METRICS_HEAD + metric(5)}
    with pytest.raises(CounterFileError, match=r"n=256.trace.csv: its runs have other sizes.*name the files"):
        read(files)


def test_the_same_counters_twice_are_refused(read: Read) -> None:
    files = {"t.csv": trace(launch(1)), "a.csv": METRICS_HEAD + metric(5), "b.csv": METRICS_HEAD + metric(6)}
    with pytest.raises(CounterFileError, match="instructions_executed of matMul was in another file") as caught:
        read(files)
    assert (Path(caught.value.path).name, caught.value.line) == ("b.csv", 3)


def test_averages_of_two_gpus_go_with_their_own(read: Read) -> None:
    files = {
        "t.csv": trace(launch(10), launch(2, device=V100), launch(12), launch(3, device=V100)),
        "m.csv": METRICS_HEAD + metric(100) + metric(200, device=V100),
    }
    table = read(files)
    assert [(run.gpu, run.time_s) for run in table.runs] == [
        ("Tesla K20c", pytest.approx(12e-6)), ("Tesla V100", pytest.approx(3e-6))
    ]  # fmt: skip
    assert table.column("instructions_executed").tolist() == [100, 200]


def test_two_gpus_of_one_name_are_not_mixed(read: Read) -> None:
    files = {
        "t.csv": trace(launch(10), launch(2, device="Tesla K20c (1)")),
        "m.csv": METRICS_HEAD + metric(200, device="Tesla K20c (1)"),
    }
    table = read(files)
    np.testing.assert_array_equal(table.column("instructions_executed"), [np.nan, 200])


def test_averages_of_two_instances_of_a_template_go_with_their_own(read: Read) -> None:
    files = {
        "t.csv": trace(launch(10, kernel=FLOATS), launch(20, kernel=DOUBLES)),
        "m.csv": METRICS_HEAD + metric(8, DOUBLES) + metric(4, FLOATS),
    }
    table = read(files)
    assert [run.time_s for run in table.runs] == pytest.approx([10e-6, 20e-6])
    assert table.column("instructions_executed").tolist() == [4, 8]


def test_an_average_over_several_grids_is_refused(read: Read) -> None:
    files = {"t.csv": trace(launch(10), launch(90, 64)), "m.csv": METRICS_HEAD + metric(8)}
    with pytest.raises(CounterFileError, match=r"2 different blocks or grids.*--print-gpu-trace --metrics"):
        read(files)


def test_kernels_without_averages_keep_their_launches(read: Read) -> None:
    files = {
        "t.csv": trace(launch(10), launch(1, kernel="scale(float*)"), launch(11), launch(2, kernel="scale(float*)")),
        "m.csv": METRICS_HEAD + metric(8),
    }
    table = read(files)
    assert [(run.kernel, run.time_s) for run in table.runs] == [
        ("scale", pytest.approx(1e-6)), ("matMul", pytest.approx(11e-6)), ("scale", pytest.approx(2e-6))
    ]  # fmt: skip
    np.testing.assert_array_equal(table.column("instructions_executed"), [np.nan, 8, np.nan])


def ncu(**renamed: str) -> str:
    text = NCU.read_text()
    for old, new in renamed.items():
        text = text.replace(old, new)
    return text


OTHERS = {
    "dram__bytes_read": "dram__bytes_write",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st",
    "sm__warps_active.avg.pct_of_peak_sustained_active": "lts__t_sector_hit_rate.pct",
    "smsp__inst_executed": "smsp__inst_issued",
}


def test_the_same_launches_with_other_counters_are_one(read: Read) -> None:
    second = ncu(**OTHERS).replace("1,234.5", "1,300")
    table = read({"a.csv": ncu(), "b.csv": second})
    assert [run.time_s for run in table.runs] == pytest.approx([1234.5e-6, 20.25e-6])
    assert len(table.metrics) == 8
    assert not np.isnan(table.values).any()
    assert any("b.csv: the same launches as in" in remark for remark in table.remarks)


def test_the_same_launches_with_the_same_counters_are_runs_by_themselves(read: Read) -> None:
    table = read({"a.csv": ncu(), "b.csv": ncu()})
    assert len(table.runs) == 4
    assert not any("same launches" in remark for remark in table.remarks)


@pytest.mark.parametrize(
    "changed", [{"(16, 16, 1)": "(8, 8, 1)"}, {"A100-SXM4": "A100-PCIE"}, {"(32, 32, 1)": "(64, 64, 1)"}], ids=str
)
def test_other_launches_with_other_counters_are_not_put_together(read: Read, changed: dict[str, str]) -> None:
    assert len(read({"a.csv": ncu(), "b.csv": ncu(**OTHERS, **changed)}).runs) == 4


def test_counters_that_are_in_both_files_keep_them_apart(read: Read) -> None:
    table = read({"a.csv": ncu(), "b.csv": ncu(smsp__inst_executed="smsp__inst_issued")})
    assert len(table.runs) == 4
    assert any("some counters are in both files" in remark for remark in table.remarks)
