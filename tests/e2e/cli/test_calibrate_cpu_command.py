"""`warplens calibrate cpu`: the profile that it writes is one that predictions use, and what it refuses to do."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from warplens.hwprofiles.loader import load_cpu
from warplens.server.cli import calibrate_cpu
from warplens.server.cli.main import main
from warplens.server.measure.calibration.cpu_program import CpuProgram

CHEAP = ("device.clock_mhz", "l1.latency_ns")
LOOP = "void f(int n, float *x) {\n    // warplens: n = 1000\n    for (int i = 0; i < n; i++) x[i] = 2 * x[i];\n}\n"

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `warplens calibrate cpu`, of two quantities, in an empty folder: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(calibrate_cpu, "cpu_quantities", _cheap)

    def command(*arguments: str) -> tuple[int, str, str]:
        parser = argparse.ArgumentParser(prog="warplens calibrate")
        calibrate_cpu.add_command(parser.add_subparsers(required=True))
        try:
            parsed = parser.parse_args(("cpu", *arguments, "--quick", "--color", "never"))
            code = parsed.run(parsed)
        except SystemExit as wrong:
            code = int(str(wrong.code))
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return command


def _cheap(_: CpuProgram, __: Path) -> tuple[str, ...]:
    return CHEAP


def test_the_profile_is_one_that_predictions_use(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run("-o", "mine.toml", "--extends", "server", "--name", "My machine")
    assert code == 0, err
    cpu, base = load_cpu(str(tmp_path / "mine.toml")), load_cpu("server")
    assert (cpu.id, cpu.name) == ("my-machine", "My machine")
    measured = {each.key: each for each in cpu.provenance if each.source.startswith("warplens calibrate cpu, ")}
    assert {each.kind for each in measured.values()} == {"measured"}
    assert set(measured) == set(CHEAP), "and nothing else says that it was measured"
    assert cpu.dram_latency_s == base.dram_latency_s, "what was not measured is inherited"
    assert re.search(r"^  device\.clock_mhz +[\d.]+ +2800 +\d\.\d\d  MHz  +[\d.]+ to [\d.]+$", out, re.MULTILINE)
    assert "Inherited from server:" in out
    assert "dram: bandwidth_one_core_gb_per_s, bandwidth_all_cores_gb_per_s, latency_ns" in out
    assert "Use it with --cpu mine.toml" in out
    (tmp_path / "loop.c").write_text(LOOP, encoding="utf-8")
    assert main(("check", "--cpu", "mine.toml", "--color", "never", "loop.c")) == 0
    assert "loop.c" in capsys.readouterr().out


def test_what_the_user_has_is_not_replaced_unless_asked(run: Run, tmp_path: Path) -> None:
    mine = tmp_path / "my-cpu.toml"
    mine.write_text("mine", encoding="utf-8")
    code, out, err = run()
    assert (code, out) == (2, "")
    assert "my-cpu.toml: is there already; --force replaces it" in err
    assert mine.read_text(encoding="utf-8") == "mine"
    assert run("--force")[0] == 0
    assert load_cpu(str(mine)).clock_hz > 0
    assert [path.name for path in tmp_path.iterdir()] == ["my-cpu.toml"], "nothing is left beside it"


def test_a_profile_that_is_not_there_is_not_extended(run: Run, tmp_path: Path) -> None:
    code, _, err = run("--extends", "destkop")
    assert code == 2
    assert "did you mean `desktop`?" in err
    assert list(tmp_path.iterdir()) == []


def test_without_a_compiler_nothing_is_written(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    code, out, err = run()
    assert (code, out) == (1, "")
    assert "gcc or cc or clang is not on PATH" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("output", "said"), [("mine", "does not end in .toml"), ("no/such/folder/mine.toml", "there is no folder")]
)
def test_a_place_that_can_hold_no_profile_is_said_before_it_measures(run: Run, output: str, said: str) -> None:
    code, _, err = run("-o", output)
    assert code == 2
    assert said in err
    assert "measuring" not in err


def test_where_nothing_can_be_measured_nothing_is_written(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibrate_cpu, "cpu_quantities", lambda *_: ("no.such_quantity",))
    code, out, err = run()
    assert (code, out) == (1, "")
    assert "nothing was measured" in err
    assert "no.such_quantity is not measured here" in err
    assert list(tmp_path.iterdir()) == []
