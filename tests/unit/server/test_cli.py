"""The command line: what it prints, in which form, and its exit codes."""

import json
from pathlib import Path

import pytest
from warplens.server.cli.main import main

LOOPS = """\
void axpy(int n, float a, const float *restrict x, float *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}
void prefix(int n, float *restrict x)
{
    for (int i = 1; i < n; i++)
        x[i] += x[i - 1];
}
"""


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loops.c").write_text(LOOPS)
    return "loops.c"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_report_per_loop_and_a_summary(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "check", source)
    assert code == 0
    assert "loops.c:3:5:" in out
    assert "axpy()" in out
    assert "GPU " in out
    assert "line 8, i: sequential. No: " in out
    assert "1 file, 2 loops in 2 nests" in out
    assert "\x1b" not in out


def test_colour_when_asked_for(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "\x1b[" in run(capsys, "check", "--color", "always", source)[1]


def test_json_says_the_same(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "check", "--json", "-D", "n=4096", "--gpu", "v100", source)
    assert code == 0
    (file,) = json.loads(out)["files"]
    axpy, prefix = file["nests"]
    assert (axpy["line"], axpy["function"], axpy["sizes"]) == (3, "axpy", {"n": 4096})
    assert axpy["loops"][0]["verdict"] == "parallel"
    assert axpy["kernels"][0]["threads"] >= 4095
    assert prefix["loops"][0]["verdict"] == "carried"
    assert prefix["gpu"] is None


def test_a_file_that_is_not_there_does_not_stop_the_others(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "check", "gone.c", source)
    assert code == 1
    assert "gone.c" in err
    assert "axpy()" in out


def test_an_analysis_beyond_its_limit_is_a_failure(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "check", "--time-limit", "0.0001", source)
    assert code == 1
    assert "--time-limit" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["check"],
        ["check", "-D", "n=big", "x.c"],
        ["check", "--gpu", "voodoo2", "x.c"],
        ["check", "--time-limit", "-1", "x.c"],
        ["lsp", "--tcp", "nowhere"],
        ["fly"],
    ],
)
def test_a_wrong_command_line_is_exit_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "error" in capsys.readouterr().err


def test_a_rule_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "explain", "WL201")
    assert code == 0
    assert out.startswith("# ")
    assert run(capsys, "explain", "WL999")[0] == 2


def test_profiles_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "profiles")
    assert code == 0
    assert "a100" in out


def test_latin_1_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("latin.c").write_bytes("/* Größe für jede Fläche */\n".encode("latin-1") + LOOPS.encode())
    code, out, _ = run(capsys, "check", "latin.c")
    assert code == 0
    assert "latin.c:4:5:" in out
