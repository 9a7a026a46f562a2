"""What stands in a cell: numbers in units, percentages, levels, and what is none of them."""

from pathlib import Path

import pytest
from unit.counters.reading.nvprof_text import METRICS_HEAD, TRACE_HEAD, launch, metric
from warplens.analysis.counters.counter_table import CounterTable
from warplens.server.measure.counters.reading.cell import CellError, read_cell, unit_factor
from warplens.server.measure.counters.reading.counter_file_error import CounterFileError
from warplens.server.measure.counters.reading.formats import ReadOptions
from warplens.server.measure.counters.reading.read_counter_files import read_counter_files


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.csv"


def plain(path: Path, names: str, cells: str) -> CounterTable:
    path.write_text(f"kernel,time_us,{names}\nf,1,{cells}\n")
    return read_counter_files([path], ReadOptions())


def ncu(path: Path, name: str, unit: str, value: str) -> CounterTable:
    path.write_text(
        f'"ID","Kernel Name","gpu__time_duration.sum","{name}"\n"","","us","{unit}"\n"0","k(int)","5","{value}"\n'
    )
    return read_counter_files([path], ReadOptions())


def test_units_of_nvprof_are_powers_of_1024(path: Path) -> None:
    """On a GTX 1080 nvprof showed 7136 bytes at 3.791168GB/s and 800 at 435.219311MB/s: both take 1.753 us so."""
    path.write_text(
        TRACE_HEAD + launch(1.753) + METRICS_HEAD + metric("3.791168GB/s", name="dram_read_throughput")
        + metric("435.219311MB/s", name="gld_requested_throughput")
    )  # fmt: skip
    table = read_counter_files([path], ReadOptions())
    assert table.column("dram_read_throughput") * 1.753e-6 == pytest.approx([7136], rel=1e-4)
    assert table.column("requested_global_load_throughput") * 1.753e-6 == pytest.approx([800], rel=1e-4)


@pytest.mark.parametrize(
    ("unit", "profiler", "factor"),
    [
        ("Kbyte", "ncu", 1e3), ("Gbyte/second", "ncu", 1e9), ("GB/s", "nvprof", 2.0**30), ("MB", None, 1e6),
        ("MiB", None, 2.0**20), ("Kwavefront", "ncu", 1e3), ("wavefront", None, None), ("apples", None, None),
        ("msecond", "ncu", None),
    ],
)  # fmt: skip
def test_factors(unit: str, profiler: str | None, factor: float | None) -> None:
    assert unit_factor(unit, profiler) == factor  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "cell", "share"),
    [
        ("achieved_occupancy", "48.5%", 0.485), ("achieved_occupancy", "0.485", 0.485),
        ("Achieved Occupancy", "48.5%", 0.485), ("gld_efficiency", "48.5", 0.485), ("gld_efficiency", "48.5%", 0.485),
        ("dram_utilization", "High (8)", 0.8), ("sm__warps_active.avg.pct_of_peak_sustained_active", "48.5", 0.485),
        ("shared_efficiency", "1.32", 1.32),
    ],
)  # fmt: skip
def test_percentages_and_levels(path: Path, name: str, cell: str, share: float) -> None:
    assert plain(path, name, cell).values.tolist() == [[pytest.approx(share)]]


def test_a_share_that_is_a_percentage_is_refused(path: Path) -> None:
    with pytest.raises(CounterFileError, match=r"95.3 is no share of 1: write 95.3% or 0.953") as caught:
        plain(path, "n,branch_efficiency", "5,95.3")
    assert (caught.value.line, caught.value.column) == (2, "column 4 (branch_efficiency)")


def test_ncu_says_percentages_in_its_row_of_units(path: Path) -> None:
    assert ncu(path, "lts__t_sector_hit_rate.pct", "%", "62.5").column("l2_hit_rate") == [0.625]


@pytest.mark.parametrize(
    "cell", ["(!) nan", "(!) n/a", "no data", "-nan", "-nan(ind)", "nan(ind)", "<null>", "n/a", ""]
)
def test_words_for_nothing(path: Path, cell: str) -> None:
    table = ncu(path, "smsp__inst_executed.sum", "inst", cell)
    assert len(table.runs) == 1
    assert table.metrics == ()


@pytest.mark.parametrize("cell", ["inf", "-inf", "1e999", "<OVERFLOW>", "18446744073709551615"])
def test_a_value_that_the_profiler_lost_is_said(path: Path, cell: str) -> None:
    table = ncu(path, "smsp__inst_executed.sum", "inst", cell)
    assert table.metrics == ()
    assert any(
        "instructions_executed ran over or was refused by the profiler in 1 runs" in one for one in table.remarks
    )


@pytest.mark.parametrize("text", ["0,485", "12,5", "1.234,5", "01,234"])
def test_decimal_commas(text: str) -> None:
    with pytest.raises(CellError, match="decimal comma"):
        read_cell(text)


def test_groups_of_digits() -> None:
    assert [read_cell(text).value for text in ("1,234", "12,345,678.5", "-1,000")] == [1234, 12345678.5, -1000]


@pytest.mark.parametrize(
    ("names", "cells", "column", "why"),
    [
        ("instructions_executed", "inf", "column 3 (instructions_executed)", "no finite number"),
        ("instructions_executed", "-3", "column 3 (instructions_executed)", "negative"),
        ("n", "-4", "column 3 (n)", "sizes are above 0"),
        ("block_x", "-16", "column 3 (block_x)", "no whole number from 1 on"),
        ("block_y", "2.5", "column 3 (block_y)", "no whole number from 1 on"),
        ("grid_x", "0", "column 3 (grid_x)", "no whole number from 1 on"),
        ("time_ms", "3", "time_ms", "time_us has the time too"),
    ],
)
def test_numbers_that_can_not_be(path: Path, names: str, cells: str, column: str, why: str) -> None:
    with pytest.raises(CounterFileError, match=why) as caught:
        plain(path, names, cells)
    assert caught.value.column == column


def test_a_kernel_without_a_name(path: Path) -> None:
    path.write_text("time_us,kernel\n1,f\n1,\n")
    with pytest.raises(CounterFileError, match="the kernel has no name") as caught:
        read_counter_files([path], ReadOptions())
    assert (caught.value.line, caught.value.column) == (3, "column 2 (kernel)")


def test_units_that_are_not_known_are_said(path: Path) -> None:
    table = plain(path, "n,dram_read_bytes,dram_read_throughput", "5,3 apples,12 GB")
    assert table.metrics == ()
    (remark,) = table.remarks
    assert "units that are not known): dram_read_bytes in apples, dram_read_throughput in GB" in remark


def test_a_quote_that_stays_open_for_very_long(path: Path) -> None:
    path.write_text('kernel,time_us\nf,1\n"f,1\n' + "f,1\n" * 50_000)
    with pytest.raises(CounterFileError, match="a quote is never closed") as caught:
        read_counter_files([path], ReadOptions())
    assert caught.value.line == 3


def test_what_would_change_a_terminal_does_not_come_through(path: Path) -> None:
    path.write_text('kernel,time_us,\x1b]0;x\x07\n"f\x1b[31m\u202e\ng",1,5\n')
    table = read_counter_files([path], ReadOptions())
    assert "".join((*table.remarks, table.runs[0].kernel)).isprintable()
