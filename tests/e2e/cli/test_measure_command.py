"""`warplens measure FILE:LINE`: everything but the times on the CPU, and what is said where nothing can be measured."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from warplens.server.cli.main import main

ON_CPU = Path(__file__).parents[2] / "support" / "cuda_on_cpu"
PROGRAM = """\
void product(int n, float c[n][n], const float a[n][n], const float b[n][n])
{
    // warplens: n = 64
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}

void scan(int n, double *x)
{
    for (int i = 1; i < n; i++)
        x[i] += x[i - 1];
}

void lookup(int n, const int *restrict at, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[at[i]];
}

double all[64];
int main(void)
{
    for (int i = 0; i < 64; i++)
        all[i] = i;
    return 0;
}
"""

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `warplens measure` in the folder of f.c: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.c").write_text(PROGRAM, encoding="utf-8")

    def command(*arguments: str) -> tuple[int, str, str]:
        code = main(("measure", *arguments, "--color", "never"))
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return command


def test_launches_and_sizes_are_checked_on_the_cpu(run: Run, tmp_path: Path) -> None:
    code, out, err = run(
        "f.c:5", "--on-cpu", str(ON_CPU), "--sweep", "n=33,40", "--block", "16x4", "--outputs", "1x1", "--shared", "",
        "--shared", "a,b", "-o", "out.json",
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert out.count("product() on the CPU, without times, n = ") == 2
    assert out.count("block 16x4, a, b in shared memory") == 2
    assert "All 1089 numbers of the result are those of the C (gcc -O2, " in out
    document = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    found = [(one["sizes"]["n"], one["launches"][0]["shared_arrays"], one["timing"]) for one in document["measured"]]
    assert found == [(33, [], None), (33, ["a", "b"], None), (40, [], None), (40, ["a", "b"], None)]
    assert document["measured"][0]["launches"][0]["block"] == [16, 4, 1]
    assert not (tmp_path / ".warplens").exists(), "what has no times is not stored"


def test_what_can_not_be_measured_is_said(
    run: Run, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_cpu = ("--on-cpu", str(ON_CPU))
    assert run("f.c:15", *on_cpu)[0] == 1
    code, out, _ = run("f.c:5", *on_cpu, "--block", "64x64")
    assert code == 1
    assert "block 64x64: a block of 4096 threads is too large" in out
    code, _, err = run("f.c:21", *on_cpu)
    assert code == 1
    assert "`x[at[i]]`" in err
    assert "declare the array's size" in err
    code, _, err = run("f.c:5", *on_cpu, "--sweep", "m=5")
    assert code == 2
    assert "`m` is no size of this nest; it has `n`" in err
    code, _, err = run("f.c:28", *on_cpu)
    assert code == 1
    assert "it stands in `main`, which is the whole program: move it into a function of its own" in err
    assert run("f.c:2")[0] in {1, 2}
    tools = tmp_path_factory.mktemp("tools")
    gcc = shutil.which("gcc")
    assert gcc is not None
    (tools / "gcc").symlink_to(gcc)
    monkeypatch.setenv("PATH", str(tools))
    code, _, err = run("f.c:5")
    assert (code, "nvcc is not on PATH" in err) == (1, True)


WRONG = {
    "--seconds": ("nan", "-1", "0", "inf", "1e300", "soon"),
    "--run-limit": ("nan", "0", "inf"),
    "--on-cpu": (".", "nowhere"),
}


@pytest.mark.parametrize(("option", "value"), [(option, value) for option, values in WRONG.items() for value in values])
def test_what_is_no_time_and_no_folder_is_a_wrong_command_line(
    run: Run, capsys: pytest.CaptureFixture[str], option: str, value: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        run("f.c:5", f"{option}={value}")
    said = f"there is no cuda_runtime.h and no control.cc in the folder '{value}'"
    reason = said if option == "--on-cpu" else f"'{value}' is not a number of seconds above 0"
    assert ended.value.code == 2
    assert f"argument {option}: {reason}" in capsys.readouterr().err


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed: nothing can be built for a GPU")
def test_it_is_measured_where_there_is_a_gpu_and_said_where_there_is_none(run: Run, tmp_path: Path) -> None:
    code, out, err = run("f.c:5", "--block", "32x8", "--outputs", "1x1", "--shared", "", "--runs", "3")
    if code:
        assert "warplens: f.c:5: no GPU: " in err
    else:
        assert "x is predicted / measured" in out
        assert (tmp_path / ".warplens" / "measured.json").exists()
