"""`warplens calibrate gpu --update` with made-up raw results and with the stand-in: SYNTHETIC, nothing was measured."""

import re
import shutil
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import get_args

import pytest
from calibration_truth import TRUTH
from warplens.analysis.gpu.machine.gpu import ProvenanceKind
from warplens.hwprofiles.calibrate.profile_update import KEPT_KINDS, MOST_DIFFERENCE
from warplens.hwprofiles.loader import load_gpu, load_profile

Run = Callable[..., tuple[int, str, str]]
Write = Callable[..., None]
BEFORE = {
    "h100.toml": Path(__file__).resolve().parents[2] / "fixtures" / "profiles" / "h100.toml",
    "h200.toml": files("warplens.hwprofiles") / "gpu" / "nvidia" / "h200.toml",
}
DOCS = Path(__file__).resolve().parents[3] / "docs" / "calibrate.md"
H100 = "NVIDIA H100 80GB HBM3"
SOURCE = f"warplens calibrate gpu, {H100}, 2026-01-02"
FROM_RAW = ("--update", "h100.toml", "--from-raw", "made-up.jsonl")


def listed(out: str, title: str) -> list[str]:
    """Items of a list of the output."""
    found = re.search(rf"^{re.escape(title)}\n((?:  - .*\n)+)", out, re.MULTILINE)
    return [] if found is None else [line.removeprefix("  - ") for line in found[1].splitlines()]


def test_what_was_measured_replaces_what_was_not_promised_and_no_other_line(
    updating: Run, made_up_results: Write, tmp_path: Path
) -> None:
    made_up_results()
    code, out, err = updating(*FROM_RAW)
    assert (code, err) == (0, "")
    before = BEFORE["h100.toml"].read_text().splitlines()
    after = (tmp_path / "h100.toml").read_text().splitlines()
    written = {
        "l2": 'latency_cycles = { value = 262, unit = "cycles", kind = "measured", '
        f'source = "{SOURCE}", clock_mhz = 1755 }}',
        "dram": f'bandwidth_gb_per_s = {{ value = 3010, unit = "GB/s", kind = "measured", source = "{SOURCE}", '
        'note = "triad" }',
        "instructions": f'lat_fp32_add = {{ value = 4, unit = "cycles", kind = "measured", source = "{SOURCE}", '
        'note = "points within 0.0% of the fit" }',
        "host": f'launch_interval_us = {{ value = 2, unit = "us", kind = "measured", source = "{SOURCE}", '
        'note = "points within 0.0% of the fit" }',
    }
    assert [line for line in after if line not in before] == list(written.values())
    gone = [line.partition(" ")[0] for line in before if line not in after]
    assert gone == ["latency_cycles", "bandwidth_gb_per_s", "lat_fp32_add"], "one was added"
    expected = [line for line in before if line not in set(before) - set(after)]
    assert [line for line in after if line in before] == expected, "in their order"
    assert after[after.index(written["host"]) - 1].startswith("launch_overhead_us = "), "where the schema has it"
    assert "\n\nWrote h100.toml, comments as they were.\n" in out
    assert sorted(each.name for each in tmp_path.iterdir() if "h100" in each.name) == ["h100.toml"], (
        "no sheet, no results"
    )
    gpu = load_gpu(str(tmp_path / "h100.toml"))
    assert gpu.l2.latency_cycles == pytest.approx(262 * 1980 / 1755)


def test_what_was_replaced_kept_and_not_measured_is_said(updating: Run, made_up_results: Write, tmp_path: Path) -> None:
    made_up_results()
    _, out, _ = updating(*FROM_RAW)
    assert re.search(
        r"^ +l2\.latency_cycles +291 +measured +262 +1\.02 +cycles +measured; ratio of times", out, re.MULTILINE
    )
    assert re.search(r"^ +dram\.bandwidth_gb_per_s +2959\.19 +measured +3010 +1\.02 +GB/s +triad$", out, re.MULTILINE)
    assert re.search(r"^ +instructions\.lat_fp32_add +4 +simulator_config +4 +1\.00 ", out, re.MULTILINE)
    assert re.search(r"^ +host\.launch_interval_us +- +- +2  +us ", out, re.MULTILINE)
    assert listed(out, "Kept, though measured more than 5 % away:") == [
        "device.sm_clock_mhz: 1980 MHz (datasheet_mirror), measured 1755, ratio 0.89",
        "l2.size_bytes: 52428800 bytes (datasheet_mirror), measured 60000000, ratio 1.14",
        "dram.size_gb: 80 GB (datasheet_mirror), measured 85, ratio 1.06",
    ]
    assert listed(out, "Kept, and measured within 5 %:") == ["device: compute_capability, sm_count, warp_size_threads"]
    left = listed(out, "Left as it is, not measured:")
    assert "shared: banks, bank_width_bytes, latency_cycles, bytes_per_clk_per_sm" in left
    assert not any("lat_fp32_add" in line or "l2: size" in line for line in left)


def test_a_second_time_changes_nothing(updating: Run, made_up_results: Write, tmp_path: Path) -> None:
    made_up_results()
    updating(*FROM_RAW)
    content, changed = (tmp_path / "h100.toml").read_bytes(), (tmp_path / "h100.toml").stat().st_mtime_ns
    code, out, _ = updating(*FROM_RAW)
    assert (code, (tmp_path / "h100.toml").read_bytes()) == (0, content)
    assert (tmp_path / "h100.toml").stat().st_mtime_ns == changed
    assert "h100.toml is as it was.\n" in out
    assert "dram: bandwidth_gb_per_s" in listed(out, "There already as measured:")


def test_a_fit_that_is_refused_replaces_nothing(updating: Run, made_up_results: Write, tmp_path: Path) -> None:
    made_up_results(chain=(283, 5390, 1051))
    code, out, _ = updating(*FROM_RAW)
    assert code == 1
    assert any(line.startswith("instructions.lat_fp32_add: ") for line in listed(out, "Measured, but without a value:"))
    entries = load_profile(str(tmp_path / "h100.toml")).entries
    assert entries["instructions.lat_fp32_add"].kind == "simulator_config"
    assert entries["dram.bandwidth_gb_per_s"].source == SOURCE


@pytest.mark.parametrize(
    ("measured", "updated", "said"),
    [
        ({"sm_count": 114}, "h100.toml", "it has 114 SMs, the profile 132 SMs"),
        ({}, "h200.toml", "it has 85 GB of memory, the profile 141 GB"),
        ({"without": "device.properties"}, "h100.toml", "its compute capability is not in the results"),
        ({"device": "NVIDIA H200"}, "h100.toml", "that is the GPU of the profile h200"),
    ],
)
def test_another_gpu_changes_nothing(
    updating: Run, made_up_results: Write, tmp_path: Path, measured: dict[str, object], updated: str, said: str
) -> None:
    made_up_results(**measured)
    code, out, err = updating("--update", updated, "--from-raw", "made-up.jsonl")
    assert (code, out) == (2, "")
    assert err.startswith(f"warplens: {updated}: is of another GPU than was measured, ")
    assert said in err
    assert (tmp_path / updated).read_bytes() == BEFORE[updated].read_bytes()


def test_a_profile_that_would_contradict_itself_is_not_written(
    updating: Run, made_up_results: Write, tmp_path: Path
) -> None:
    made_up_results(bandwidth_gb_per_s=4000)
    code, out, err = updating(*FROM_RAW)
    assert (code, out) == (1, "")
    assert "h100.toml, as it would be: dram.bandwidth_gb_per_s: is 4000, more than dram.theoretical_bandwidth" in err
    assert (tmp_path / "h100.toml").read_bytes() == BEFORE["h100.toml"].read_bytes()


def test_a_layout_that_cannot_be_changed_is_not_written(updating: Run, made_up_results: Write, tmp_path: Path) -> None:
    made_up_results()
    text = BEFORE["h100.toml"].read_text()
    moved = re.search(r"^bandwidth_gb_per_s = \{ value = 2959.*\n", text, re.MULTILINE)
    assert moved is not None
    table = "[dram.bandwidth_gb_per_s]\nvalue = 2959\nunit = 'GB/s'\nkind = 'memory'\nsource = 'memory'\n\n"
    (tmp_path / "h100.toml").write_text(
        text.replace(moved[0], "").replace("[instructions]\n", f"{table}[instructions]\n")
    )
    code, _, err = updating(*FROM_RAW)
    assert (code, "h100.toml: dram.bandwidth_gb_per_s can't be changed in place" in err) == (1, True)
    assert "value = 2959\n" in (tmp_path / "h100.toml").read_text()


def test_of_a_profile_that_extends_another_this_file_alone_is_written(
    updating: Run, made_up_results: Write, tmp_path: Path
) -> None:
    made_up_results()
    own = 'lat_fp32_add = { value = 9, unit = "cycles", kind = "assumed", source = "a guess" } # mine\n'
    text = f'schema = 1\nid = "mine"\nname = "Mine"\nextends = "h100"\n\n[instructions]\n{own}'
    (tmp_path / "mine.toml").write_text(text)
    code, out, _ = updating("--update", "mine.toml", "--from-raw", "made-up.jsonl")
    assert code == 0
    after = (tmp_path / "mine.toml").read_text()
    assert re.sub(r" = \{.*\}", "", after) == (
        'schema = 1\nid = "mine"\nname = "Mine"\nextends = "h100"\n\n[l2]\nlatency_cycles\n'
        "\n[dram]\nbandwidth_gb_per_s\n\n[instructions]\nlat_fp32_add # mine\n\n[host]\nlaunch_interval_us\n"
    )
    assert after.count(SOURCE) == 4
    assert "device.sm_clock_mhz: 1980 MHz (datasheet_mirror), measured 1755, ratio 0.89" in out, (
        "also what is inherited"
    )


STAND_IN_GPU = """schema = 1
id = "mine"
name = "Mine"
extends = "a100"

[device]
sm_count = { value = 96, unit = "SMs", kind = "datasheet", source = "made up" }

[dram]
size_gb = { value = 32, unit = "GB", kind = "datasheet", source = "made up" }
"""
ONLY = ("--only", "shared.latency_cycles,shared.banks")


def test_what_is_measured_now_goes_beside_the_profile(updating: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(STAND_IN_GPU)
    (tmp_path / "dies").write_text("shared.banks")
    code, out, _ = updating("--update", "mine.toml", *ONLY)
    assert code == 1
    assert listed(out, "Could not be measured:") == ["shared.banks: timing.cuh:12: out of memory"]
    assert "Wrote mine.toml, comments as they were. Curves and fits: mine.html\n" in out
    entry = load_profile(str(tmp_path / "mine.toml")).entries["shared.latency_cycles"]
    assert (entry.kind, entry.value) == ("measured", pytest.approx(TRUTH["shared"], rel=0.02))
    assert "<h2>shared.latency_cycles</h2>" in (tmp_path / "mine.html").read_text(encoding="utf-8")
    (tmp_path / "dies").unlink()
    shutil.copy(tmp_path / "mine.raw.jsonl", tmp_path / "earlier.jsonl")
    assert updating("--update", "mine.toml", *ONLY)[0] == 0, "goes on where it was"
    assert (tmp_path / "log").read_text().split()[-2:] == ["device.properties", "shared.banks"]
    assert '"shared.banks"' not in (tmp_path / "earlier.jsonl").read_text()
    assert '"shared.banks"' in (tmp_path / "mine.raw.jsonl").read_text()


def test_another_gpu_is_refused_before_it_is_measured(updating: Run, tmp_path: Path) -> None:
    code, _, err = updating("--update", "h100.toml", *ONLY)
    assert code == 2
    assert "it has compute capability 8.0, the profile compute capability 9.0" in err
    assert (tmp_path / "log").read_text().split() == ["device.properties"]
    assert sorted(each.name for each in tmp_path.iterdir() if "h100" in each.name) == ["h100.toml"]


def test_results_of_a_run_that_contradicts_the_profile_are_not_lost(updating: Run, tmp_path: Path) -> None:
    text = f"{STAND_IN_GPU}theoretical_bandwidth_gb_per_s = "
    text += '{ value = 1000, unit = "GB/s", kind = "datasheet", source = "made up" }\n'
    text += 'bandwidth_gb_per_s = { value = 900, unit = "GB/s", kind = "assumed", source = "made up" }\n'
    (tmp_path / "mine.toml").write_text(text)
    code, _, err = updating("--update", "mine.toml", "--only", "dram.bandwidth_gb_per_s")
    assert (code, "more than dram.theoretical_bandwidth_gb_per_s, which is 1000" in err) == (1, True)
    assert (tmp_path / "mine.toml").read_text() == text
    assert '"triad"' in (tmp_path / "mine.raw.jsonl").read_text()
    assert not (tmp_path / "mine.html").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--update", "h100.toml", "-o", "mine.toml"), "not allowed with argument"),
        (("--update", "h100.toml", "--name", "Mine"), "--name and --extends go with -o"),
        (("--update", "h100.toml", "--extends", "a100"), "--name and --extends go with -o"),
        (("--update", "h101.toml"), "h101.toml: can't be read: No such file"),
        (("--update", "h100"), "does not end in .toml"),
        (("--update", "cpu.toml"), "is the profile of a CPU"),
        (("--update", "h100.toml", "--from-raw", "none.jsonl"), "there is no such file"),
    ],
)
def test_a_wrong_command_line_says_so(updating: Run, tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    (tmp_path / "cpu.toml").write_text('schema = 1\nid = "c"\nname = "C"\nextends = "server"\n')
    code, _, err = updating(*arguments)
    assert (code, said in err) == (2, True), err
    assert not (tmp_path / "log").exists()


def test_the_documentation_names_the_kinds_that_are_kept_and_those_that_are_not() -> None:
    section = DOCS.read_text().partition("## A profile that is there already")[2].partition("\n## ")[0]
    said = {
        line.partition(":")[0]: set(re.findall(r"`(\w+)`", line))
        for line in section.splitlines()
        if line.startswith("- ")
    }
    assert said["- Kept"] == KEPT_KINDS
    assert said["- Replaced"] == set(get_args(ProvenanceKind)) - KEPT_KINDS
    assert f"{MOST_DIFFERENCE * 100:g} %" in section
