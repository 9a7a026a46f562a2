"""`warplens search FILE:LINE` on real files: the ranking in every form, and every line that has none."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from warplens.server.cli.main import main

WARPLENS = Path(sys.executable).with_name("warplens")
PROGRAM = """\
void blur(int n, const float *restrict in, float *restrict out)
{
    for (int i = 8; i < n - 8; i++) {
        float sum = 0;
        for (int k = -8; k <= 8; k++)
            sum += in[i + k];
        out[i] = sum;
    }
}

void prefix(int n, float *restrict x)
{
    for (int i = 1; i < n; i++)
        x[i] += x[i - 1];
}

void lu(int n, double a[restrict n][n])
{
    for (int k = 0; k < n; k++) {
        for (int j = k + 1; j < n; j++)
            a[k][j] /= a[k][k];
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++)
                a[i][j] -= a[i][k] * a[k][j];
    }
}

int wait(volatile int *flag)
{
    while (*flag)
        ;
    return 0;
}
"""

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `warplens search` in the folder of f.c: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.c").write_text(PROGRAM)

    def run_command(*arguments: str) -> tuple[int, str, str]:
        code = main(("search", *arguments))
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run_command


def ranked(run: Run, *arguments: str) -> dict[str, Any]:
    code, out, err = run(*arguments, "--json")
    assert code == 0, err
    report: dict[str, Any] = json.loads(out)
    return report


def test_the_whole_ranking_is_printed_best_first(run: Run) -> None:
    code, out, err = run("f.c:3", "--gpu", "k20", "--size", "n=1000000")
    assert code == 0, err
    assert out.startswith("f.c:3: blur() on Tesla K20c, n = 1000000\n")
    searched = re.search(r"([\d ]+) launches searched(?:, ([\d ]+) of them possible)?", out)
    assert searched is not None
    listed = re.findall(r"^ +(\d+)  .* ([\d.]+)x +\d+ % +\d+", out, re.MULTILINE)
    possible = int((searched[2] or searched[1]).replace(" ", ""))
    assert [int(rank) for rank, _ in listed] == list(range(1, possible + 1))
    factors = [float(factor) for _, factor in listed]
    assert factors[0] == 1.0
    assert factors[-1] == max(factors) > 1.0
    assert "threads per block (across)" in out
    assert "- Best: block " in out
    assert "\x1b" not in out


def test_the_table_can_be_short(run: Run) -> None:
    _, out, _ = run("f.c:3", "--top", "3")
    assert re.search(r"and [\d ]+ more launches, up to [\d.]+x \(--top all\)", out)
    assert len(re.findall(r"^ +\d+  .*x +\d+ %", out, re.MULTILINE)) == 3


def test_json_has_all_launches_and_the_map(run: Run) -> None:
    report = ranked(run, "f.c:5")
    assert (report["path"], report["line"], report["function"], report["gpu"]) == ("f.c", 3, "blur", "a100")
    ranking, heat = report["ranking"], report["map"]
    launches = ranking["launches"]
    assert len(launches) > 100
    assert launches[0]["vs_best"] == 1
    assert all(len(row) == len(heat["threads_per_block"]) for row in heat["times_s"])
    assert len(heat["times_s"]) == len(heat["outputs_per_thread"])
    least = min(time for row in heat["times_s"] for time in row if time is not None)
    assert least == pytest.approx(min(launch["time_s"] for launch in launches))
    assert len(ranked(run, "f.c:5", "--top", "7")["ranking"]["launches"]) == 7


@pytest.mark.parametrize("model", ["resios", "mwp_cwp", "gpuperf", "haigh"])
def test_any_model_can_be_the_cost(run: Run, model: str) -> None:
    report = ranked(run, "f.c:3", "--model", model, "--gpu", "k20", "--top", "1")
    assert report["ranking"]["model"] == model
    assert report["ranking"]["launches"][0]["time_s"] > 0


def test_the_map_is_written_as_a_picture(run: Run, tmp_path: Path) -> None:
    code, _, err = run("f.c:3", "--svg", "map.svg", "--top", "1")
    assert code == 0, err
    root = ET.parse(tmp_path / "map.svg").getroot()
    title = root.find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert title.text == "blur(), line 3, on A100 SXM4 40 GB"
    assert run("f.c:3", "--svg", "gone/map.svg")[0] == 1


def test_a_loop_around_several_kernels_names_the_others(run: Run) -> None:
    _, out, _ = run("f.c:19", "--top", "1")
    assert out.startswith("f.c:22: lu()")
    assert "the others start at 20," in out
    _, out, _ = run("f.c:20", "--top", "1")
    assert out.startswith("f.c:20: lu()")
    assert "the others" not in out


@pytest.mark.parametrize(
    ("place", "code", "says"),
    [
        ("gone.c:3", 1, "gone.c: No such file"),
        (".:3", 1, ".: a folder has no lines, name a C file"),
        ("f.c:10", 2, "no loop stands there; the nearest are in line 5 in blur() and line 13 in prefix()"),
        ("f.c:99", 2, "there is no line 99, the last one is 34"),
        ("f.c:0", 2, "there is no line 0"),
        ("f.c:13", 1, "the loop is not parallel. No: `x[i - 1]` (line 14) reads what `x[i]` (line 14) wrote"),
        ("f.c:29", 2, "no loop stands there"),
    ],
)  # fmt: skip
def test_a_line_without_a_launch_is_said(run: Run, place: str, code: int, says: str) -> None:
    given, out, err = run(place)
    assert (given, out) == (code, "")
    assert err.startswith(f"warplens: {place.partition(':')[0]}")
    assert says in err


def test_a_file_without_a_loop_is_said(run: Run) -> None:
    Path("empty.c").write_text("int x;\n")
    code, _, err = run("empty.c:1")
    assert code == 2
    assert "no loop stands there, and no other line has one" in err


def test_a_file_that_was_not_understood_says_why(run: Run) -> None:
    deep = "(" * 800 + "x[i]" + " + 1)" * 800
    Path("deep.c").write_text(
        f"void f(int n, float *x)\n{{\n    for (int i = 0; i < n; i++)\n        x[i] = {deep};\n}}\n"
    )
    code, _, err = run("deep.c:3")
    assert code != 0
    assert "nested" in err


@pytest.mark.parametrize(
    "arguments",
    [("f.c",), ("f.c:one",), (":3",), ("f.c:3", "--model", "guess"), ("f.c:3", "--gpu", "voodoo2"),
     ("f.c:3", "--size", "n=big"), ("f.c:3", "--top", "0"), ()],
    ids=str,
)  # fmt: skip
def test_a_wrong_command_line_is_said(run: Run, arguments: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(*arguments)
    assert ended.value.code == 2


def test_a_grid_of_one_iteration_has_an_answer(run: Run) -> None:
    code, out, err = run("f.c:3", "--size", "n=17", "--top", "2")
    assert code == 0, err
    assert not {"nan", "inf"} & set(out.lower().split())


def test_a_grid_of_no_iteration_has_nothing_to_rank(run: Run) -> None:
    assert run("f.c:3", "--size", "n=16") == (1, "", "warplens: f.c:3: Nothing to run on the GPU at these sizes.\n")


def test_the_command_runs_as_users_run_it(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text(PROGRAM)
    done = subprocess.run(
        [WARPLENS, "search", "f.c:3", "--top", "1"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "blur()" in done.stdout
