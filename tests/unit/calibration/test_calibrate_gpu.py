"""`warplens calibrate gpu` with a stand-in for its program (synthetic_gpu.py): all numbers are made up."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from calibration_truth import PROPERTIES, TRUTH
from warplens.analysis.facts.program import PROFILED_OP_CLASSES
from warplens.hwprofiles.loader import load_gpu, load_profile
from warplens.server.cli import calibrate_gpu
from warplens.server.measure.calibration.gpu_program import GpuProgram, gpu_quantities
from warplens.server.measure.kernel_times.toolchain import BuildError

Run = Callable[..., tuple[int, str, str]]
Command = Callable[..., int]
StandIn = Callable[[Path, pytest.MonkeyPatch], Command]


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], stand_in_command: StandIn
) -> Run:
    command = stand_in_command(tmp_path, monkeypatch)

    def captured(*arguments: str) -> tuple[int, str, str]:
        code = command("-o", "mine.toml", *arguments)
        out, err = capsys.readouterr()
        return code, out, err

    return captured


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory, stand_in_command: StandIn) -> Path:
    """The folder in which everything was measured."""
    folder = tmp_path_factory.mktemp("measured")
    with pytest.MonkeyPatch.context() as patch:
        assert stand_in_command(folder, patch)("-o", "mine.toml") == 0
    return folder


@pytest.mark.long
def test_the_profile_has_what_the_series_say(measured: Path) -> None:
    path = str(measured / "mine.toml")
    gpu, base = load_gpu(path), load_gpu("a100")
    assert (gpu.sm_count, gpu.clock_hz) == (PROPERTIES["sm_count"], pytest.approx(TRUTH["clock"] * 1e6, rel=0.02))
    for op in PROFILED_OP_CLASSES:
        timing = gpu.timing(op)
        assert timing.latency_cycles == pytest.approx(TRUTH["lat"], rel=0.03)
        assert timing.results_per_cycle_per_sm == pytest.approx(TRUTH["tput"], rel=0.03)
        assert timing.warps_to_peak == 8
    assert gpu.shared.latency_cycles == pytest.approx(TRUTH["shared"], rel=0.02)
    assert gpu.shared.banks == 32
    assert gpu.l1.latency_cycles == pytest.approx(TRUTH["l1"], rel=0.02)
    assert gpu.l1.lines_per_cycle_per_sm == pytest.approx(TRUTH["lines"], rel=0.03)
    assert gpu.l2.latency_cycles == pytest.approx(TRUTH["l2"], rel=0.02)
    assert gpu.dram.latency_cycles == pytest.approx(TRUTH["dram"], rel=0.02)
    assert gpu.dram.bandwidth_bytes_per_s == pytest.approx(TRUTH["bandwidth"] * 1e9, rel=0.02)
    assert gpu.memory_warps_to_peak == pytest.approx(TRUTH["knee_bytes"] / 128, rel=0.03)
    assert gpu.host.h2d_bandwidth_bytes_per_s == pytest.approx(TRUTH["h2d"], rel=0.03)
    assert gpu.host.latency_s == pytest.approx(TRUTH["latency_s"], rel=0.05)
    assert gpu.host.launch_overhead_s == pytest.approx(TRUTH["launch_s"], rel=0.02)
    assert gpu.host.context_init_s == pytest.approx(TRUTH["context_s"], rel=0.02)
    assert gpu.occupancy.register_alloc_unit == base.occupancy.register_alloc_unit
    entries = load_profile(path).entries
    assert entries["host.h2d_pageable_bandwidth_gb_per_s"].value == pytest.approx(TRUTH["pageable"] / 1e9, rel=0.03)
    assert entries["host.launch_interval_us"].value == pytest.approx(TRUTH["interval_s"] * 1e6, rel=0.02)
    assert (entries["l1.size_bytes"].kind, entries["shared.bytes_per_clk_per_sm"].kind) == (
        "programming_guide",
        "derived",
    )
    fitted = entries["instructions.lat_fp32_add"]
    assert fitted.kind == "measured"
    assert re.fullmatch(r"points within \d\.\d% of the fit", fitted.note)
    assert load_profile(path).file == path


ONLY = ("--only", "l1.latency_cycles,l2.latency_cycles,shared.latency_cycles")


def test_a_run_goes_on_where_it_was(run: Run, tmp_path: Path) -> None:
    (tmp_path / "dies").write_text("l2.latency_cycles")
    code, out, _ = run(*ONLY)
    assert code == 1
    assert "beside a100" in out
    assert "l2.latency_cycles: timing.cuh:12: out of memory" in out
    assert load_profile("mine.toml").entries["l2.latency_cycles"].kind == "measured_proxy"
    (tmp_path / "dies").unlink()
    (tmp_path / "log").unlink()
    assert run(*ONLY, "--force")[0] == 0
    assert (tmp_path / "log").read_text().split() == ["device.properties", "l2.latency_cycles"]
    assert load_profile("mine.toml").entries["l2.latency_cycles"].kind == "measured"
    (tmp_path / "log").unlink()
    assert run("--force", "--again", "--only", "l2.latency_cycles")[0] == 0
    assert (tmp_path / "log").read_text().split() == ["device.properties", "l2.latency_cycles"]
    assert load_profile("mine.toml").entries["l1.latency_cycles"].kind == "measured"


def test_results_of_another_kind_are_neither_taken_nor_lost(run: Run, tmp_path: Path) -> None:
    assert run("--only", "l1.latency_cycles", "--quick")[0] == 0
    raw = (tmp_path / "mine.raw.jsonl").read_text()
    code, _, err = run("--only", "l2.latency_cycles", "--force")
    assert code == 1
    assert "or of --quick: --again replaces it, another -o leaves it" in err
    assert (tmp_path / "mine.raw.jsonl").read_text() == raw
    assert run("--only", "l2.latency_cycles", "--force", "--again")[0] == 0
    assert load_profile("mine.toml").entries["l1.latency_cycles"].kind == "measured_proxy"


def test_raw_results_are_enough(run: Run, measured: Path, tmp_path: Path) -> None:
    (tmp_path / "no_gpu").touch()
    raw = tmp_path / "other.jsonl"
    shutil.copy(measured / "mine.raw.jsonl", raw)
    assert run("--from-raw", "other.jsonl")[0] == 0
    text = (tmp_path / "mine.toml").read_text()
    assert text == (measured / "mine.toml").read_text()
    for broken in ("{}\n", "not JSON", "", raw.read_text().replace('"samples": [', '"samples": ["x", ', 1)):
        raw.write_text(broken)
        code, _, err = run("--force", "--from-raw", "other.jsonl")
        assert code == 1
        assert err.startswith("warplens: calibrate gpu: ")
        assert (tmp_path / "mine.toml").read_text() == text


@pytest.mark.parametrize("way", ["hangs", "lies"])
def test_one_quantity_that_fails_is_one(run: Run, tmp_path: Path, way: str) -> None:
    (tmp_path / way).write_text("shared.banks")
    code, out, _ = run("--quantity-limit", "2", "--only", "shared.banks,shared.latency_cycles")
    assert code == 1
    assert ("was ended after 2 s" if way == "hangs" else "wrote what it should not") in out
    assert load_profile("mine.toml").entries["shared.latency_cycles"].value == pytest.approx(TRUTH["shared"], rel=0.02)


def test_without_a_gpu_nothing_is_written(run: Run, tmp_path: Path) -> None:
    (tmp_path / "no_gpu").touch()
    code, out, err = run()
    assert (code, out) == (1, "")
    assert err.splitlines()[-1] == "warplens: calibrate gpu: there is no GPU that CUDA can use here"
    assert not (tmp_path / "mine.toml").exists()


def test_without_nvcc_that_is_said(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_folder: Path, _architecture: str, _programs: object) -> GpuProgram:
        raise BuildError("nvcc is not on PATH")

    monkeypatch.setattr(calibrate_gpu, "build_gpu_program", missing)
    code, _, err = run()
    assert (code, err.splitlines()[-1]) == (1, "warplens: calibrate gpu: nvcc is not on PATH")


def test_kernels_that_were_compiled_to_something_else_give_no_value(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibrate_gpu, "miscompiled", lambda _program, _folder: {"instructions.fp32_add": "no FADD"})
    code, out, _ = run("--only", "instructions.fp32_add,shared.banks")
    assert code == 1
    assert "instructions.fp32_add: no FADD" in out
    assert load_profile("mine.toml").entries["instructions.lat_fp32_add"].kind == "simulator_config"


def test_what_the_user_has_is_not_replaced(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("mine")
    code, _, err = run()
    assert (code, "is there already" in err) == (2, True)
    assert (tmp_path / "mine.toml").read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--only", "shared.bank"), "did you mean `shared.banks`?"),
        (("--extends", "h201"), "did you mean `h200`?"),
        (("--arch", "90"), "is no architecture"),
        (("--from-raw", "none.jsonl"), "there is no such file"),
    ],
)
def test_a_wrong_command_line_says_what_was_meant(run: Run, arguments: tuple[str, ...], said: str) -> None:
    code, _, err = run(*arguments)
    assert code == 2
    assert said in err


def test_the_sheet_draws_every_series_and_runs_nothing(measured: Path) -> None:
    page = (measured / "mine.html").read_text(encoding="utf-8")
    assert "<b>GPU</b>" not in page
    assert "Synthetic &lt;b&gt;GPU&lt;/b&gt; &amp; Söhne" in page
    assert not re.search(r"<script|https?:|src=|@import|url\(", page)
    pictures = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(pictures) > len(PROFILED_OP_CLASSES) * 2
    for picture in pictures:
        ET.fromstring(picture)
    assert all(f"<h2>{quantity.name}</h2>" in page for quantity in gpu_quantities())
    assert page.count("stroke-dasharray") >= 2 * len(PROFILED_OP_CLASSES)
