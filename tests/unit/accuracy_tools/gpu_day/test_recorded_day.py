"""A whole day with recorded output in place of the GPU: run, taken in, in the ledger and in the GPU's profile.

The kit is the real one, of a few nests; its programs write what was recorded of them. SYNTHETIC: the lines have the
format that the programs write, their numbers are made up, none was measured on a GPU.
"""

import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from accuracy.gpu_day import take_in
from accuracy.gpu_day.built_programs import command_lines
from accuracy.gpu_day.recorded import (
    recorded_checks,
    recorded_day,
    recorded_mappings,
    recorded_nests,
    recorded_programs,
)
from accuracy.ledger.mapping_ranking import rankings, rankings_table
from accuracy.ledger.measured_nests import measured_nests, predict_nests
from accuracy.ledger.measured_programs import programs_table
from accuracy.ledger.own_runs import own_runs, own_table
from support.gpu_day_kits import RunKit, command
from support.recorded_gpu_day import FIXTURES, H100, IN_MAPPINGS, NCU, NESTS, recorded_kit, script
from warplens.hwprofiles.loader import load_gpu, load_profile

UNCALIBRATED = Path(__file__).parents[3] / "fixtures" / "profiles" / "h100.toml"


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a day: `kit`, and a `bin` whose profiler writes what a real one did."""
    folder = tmp_path_factory.mktemp("day")
    recorded_kit(folder / "kit")
    script(folder / "bin" / "ncu", NCU.format(recorded=FIXTURES / "ncu_raw.csv"))
    return folder


@pytest.fixture(scope="module")
def ran(day: Path) -> str:
    """What the command says of the whole day; the results are in `results`."""
    env = {"PATH": f"{day}/bin:{os.environ['PATH']}", "PYTHON": sys.executable}
    done = subprocess.run(
        command(day / "kit", day / "results"), capture_output=True, text=True, check=False, env=env, timeout=200
    )
    assert done.returncode == 1, done.stderr
    return done.stdout


def test_a_wrong_port_is_the_first_line(day: Path, ran: str) -> None:
    (wrong, *others) = (day / "results" / "summary.txt").read_text().splitlines()
    assert wrong.startswith("WRONG check/gemm/n=70: ")
    assert wrong.endswith(": c, element 3: 0, the C has 1")
    assert not [line for line in others if line.startswith(("WRONG", "FAILED", "failed"))]
    without_library = [line for line in others if line.startswith("partial programs/matrix_vector/")]
    assert {line.split(": ", 1)[1] for line in without_library} == {
        "by a library: libcublas.so.13 is on no search path"
    }
    assert others[-1].startswith(f"left: {len(without_library)} steps")
    assert len(ran.splitlines()) == len(others) + 1 + len(json.loads((day / "kit" / "kit.json").read_text())["steps"])


def test_what_was_measured_is_read_with_where_it_comes_from(day: Path, ran: str) -> None:
    found = recorded_day(day / "results" / "nvidia_h100_80gb_hbm3.jsonl")
    assert (found.name, found.profile, found.run.made) == (H100, "h100", {"gpu": "h100"})
    assert [each.label.partition(":")[0] for each in recorded_checks(found) if each.difference] == ["check/gemm/n=70"]
    nests = recorded_nests(found)
    triads = [one for one in nests if one.path == "triad.c"]
    large, small = ([one for one in triads if one.sizes == (("n", n),)] for n in (1 << 24, 1 << 20))
    medians_s = [1e-3 * (k + 1) + 3e-6 for k in range(len(large))]
    assert [one.timing.kernels.median_s for one in large] == pytest.approx(medians_s)
    assert len(large) > len(small) >= 2
    assert {one.timing.device.name for one in nests} == {H100}
    assert all(one.reference_s == 0.25 and one.timing.runs == 5 for one in nests)
    programs = recorded_programs(found)
    assert {one.program for one in programs} == {line.program for line in command_lines()}
    assert {one.missing for one in programs if not one.times_s} == {"libcublas.so.13 is on no search path"}
    (counters,) = [one for one in found.steps if one.stage == "counters"]
    assert (counters.step, counters.output) == ("counters/gemm/n=1536", (FIXTURES / "ncu_raw.csv").read_text())
    asked_for = (day / "kit" / "nests" / "gemm" / "n=1536" / "asked_for").read_text().strip().split(",")
    assert asked_for[0] == "gpu__time_duration.sum"
    bases = {name.partition(".")[0] for name in asked_for if not name.startswith(("device__", "gpu__", "launch__"))}
    assert bases == {"dram__bytes_read"}, "ncu says that the GPU has no others"


def test_mappings_of_a_nest_are_read_by_their_names(day: Path, ran: str) -> None:
    found = recorded_day(day / "results" / "nvidia_h100_80gb_hbm3.jsonl")
    mappings = recorded_mappings(found)
    large = [one for one in mappings if one.measured.sizes == (("m", 1024), ("n", 16384))]
    assert {one.measured.path for one in mappings} == {f"{IN_MAPPINGS}.c"}
    assert [one.mapping for one in large][:2] == ["source", "warp:j"]
    assert len(mappings) > len(large) >= 3
    assert {(one.planned_for, one.measured.profile) for one in mappings} == {("h100", "h100")}
    medians_s = [1e-3 * (k + 1) + 3e-6 for k in range(len(large))]
    assert [one.measured.timing.kernels.median_s for one in large] == pytest.approx(medians_s)


def test_a_nest_in_another_mapping_is_not_taken_for_the_source_order(day: Path, ran: str) -> None:
    """The best port of sums by rows has a warp per row: its block says nothing of the source's own kernel."""
    found = recorded_day(day / "results" / "nvidia_h100_80gb_hbm3.jsonl")
    (step,) = [one for one in found.steps if one.step == "measure/0/row_sums/n=8192,m=4096"]
    assert step.about is not None
    assert step.about["mapped"] == [True, False, False]
    (first, *_) = nests = [one for one in recorded_nests(found) if dict(one.sizes) == {"n": 8192, "m": 4096}]
    assert len(nests) == 2
    assert first.timing.kernels.median_s == pytest.approx(2e-3 + 3e-6), "the second port's"


def test_the_day_is_taken_into_the_tree_and_into_the_profile(
    day: Path, ran: str, capsys: pytest.CaptureFixture[str]
) -> None:
    profiles, results = day / "profiles", day / "tree"
    profiles.mkdir()
    shutil.copy(UNCALIBRATED, profiles / "h100.toml")
    before = load_profile(str(profiles / "h100.toml")).entries
    arguments = [str(day / "results"), "--results", str(results), "--profiles", str(profiles)]
    assert take_in.main(arguments) == 1
    assert "WRONG check/gemm/n=70: " in capsys.readouterr().out
    entries = load_profile(str(profiles / "h100.toml")).entries
    assert load_gpu(str(profiles / "h100.toml")).sm_count == 132
    assert before["instructions.lat_int_div"].kind == "measured_proxy"
    measured = entries["instructions.lat_int_div"]
    assert (measured.kind, measured.value) == ("measured", pytest.approx(4.0, rel=0.03))
    assert measured.source.startswith(f"warplens calibrate gpu, {H100}, 20")
    assert entries["instructions.tput_fp32_fma"] == before["instructions.tput_fp32_fma"], "what the maker promises"
    kept = results / "nvidia_h100_80gb_hbm3.jsonl.gz"
    lines = gzip.decompress(kept.read_bytes())
    origin, _, rest = lines.partition(b"\n")
    assert origin.startswith(b"# Measured for Warplens ")
    assert rest == (day / "results" / "nvidia_h100_80gb_hbm3.jsonl").read_bytes()
    assert take_in.main([*arguments, "--no-profile"]) == 1
    assert gzip.decompress(kept.read_bytes()) == lines, "the same lines are there once"


def test_the_ledger_predicts_what_was_taken_in(day: Path, ran: str) -> None:
    found, stale = predict_nests(measured_nests(day / "results"))
    assert stale == ()
    assert {one.measured.path for one in found} == {f"{name}.c" for name in NESTS}
    table = own_table(own_runs((), found))
    assert "| h100 | matrix product | gemm |" in table
    assert "| h100 | streaming | triad |" in table
    recorded = recorded_mappings(recorded_day(day / "results" / "nvidia_h100_80gb_hbm3.jsonl"))
    ranked, stale = rankings(recorded)
    assert stale == ()
    assert [(one.nest, one.gpu, len(one.mappings) > 2) for one in ranked] == [(IN_MAPPINGS, "h100", True)] * 2
    assert "| layer_norm | m = 1024, n = 16384 | h100 | source | " in rankings_table(ranked)
    rows = programs_table([recorded_day(day / "results" / "nvidia_h100_80gb_hbm3.jsonl")]).splitlines()
    assert "| matrix_vector | n = 8192, m = 8192 | a thread per row | h100 | 2000.0 µs | 1000.0 µs | 1000 |" in rows
    assert (
        "| matrix_vector | n = 8192, m = 8192 | by a library | h100 | libcublas.so.13 is on no search path |  |  |"
        in rows
    )


def test_a_later_day_measures_nothing_again(day: Path, ran: str, run_kit: RunKit, tmp_path: Path) -> None:
    done = run_kit(day / "kit", "--earlier", str(day / "results"), results=tmp_path / "later")
    summary = (tmp_path / "later" / "summary.txt").read_text()
    assert summary.startswith("WRONG check/gemm/n=70")
    count = len([line for line in command_lines() if line.program == "matrix_vector"])
    assert f"{H100}: {count} steps ran" in summary, "those whose library was missing"
    assert done.returncode == 1


def test_a_folder_without_results_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert take_in.main([str(tmp_path)]) == 1
    assert "has no results" in capsys.readouterr().err
    (tmp_path / "gpu.jsonl").write_text('{"step": "half')
    assert take_in.main([str(tmp_path), "--results", str(tmp_path / "tree"), "--no-profile"]) == 1
    assert "has no run of a day with a GPU" in capsys.readouterr().err
