"""`warplens port FILE:LINE`: what is listed, printed and written, and what is left alone."""

import codecs
import io
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from warplens.server.cli.main import main

PROGRAM = """\
void scale(int n, double *restrict x, const double *restrict y)
{
\tfor (int i = 0; i < n; i++)
\t\tx[i] = 2 * y[i]; /* é */
}

void prefix(int n, double *restrict x)
{
\tfor (int i = 1; i < n; i++)
\t\tx[i] += x[i - 1];
}

void copy(int n, double *x, const double *y)
{
\tfor (int i = 0; i < n; i++)
\t\tx[i] = y[i];
}
"""

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `warplens port` in the folder of f.c: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.c").write_text(PROGRAM)

    def run_command(*arguments: str) -> tuple[int, str, str]:
        code = main(("port", *arguments))
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run_command


def compiles(name: str) -> bool:
    command = ["gcc", "-fopenmp", "-fsyntax-only", "-Wall", "-Werror", name]
    return subprocess.run(command, check=False).returncode == 0


def test_without_a_fix_named_everything_is_listed(run: Run) -> None:
    code, out, _ = run("f.c:4")
    assert code == 0
    head, lens, *fixes, how = out.splitlines()
    assert how == "  --to NAME shows a fix, --to NAME --write applies it"
    assert head.startswith("f.c:3: scale() on A100")
    assert lens.startswith("  GPU ")
    (openmp,) = [line for line in fixes if line.startswith("  openmp ")]
    assert "line 3  " in openmp
    assert "with OpenMP, block 256: faster " in openmp
    assert " from " in lens or " any" in lens
    report = json.loads(run("f.c:4", "--json")[1])
    assert [fix["code"] for fix in report["fixes"]] == [line.split()[0].partition(":")[0] for line in fixes]
    assert {fix["line"] for fix in report["fixes"]} == {3}
    (title,) = (fix["title"] for fix in report["fixes"] if fix["code"] == "openmp")
    assert openmp.endswith(title)
    assert json.loads(run("f.c:4", "--to", "omp", "--json")[1])["title"] == title


def test_a_loop_that_has_no_fix_says_why(run: Run) -> None:
    Path("g.c").write_text("void f(int n, double *x) { for (int i = 1; i < n; i++) x[i] += x[i - 1]; }\n")
    assert "the loop is not parallel. No: `x[i - 1]` (line 1) reads what `x[i]` (line 1) wrote" in run("g.c:1")[1]


def test_directives_are_printed_as_a_diff_that_applies(run: Run) -> None:
    code, out, err = run("f.c:3", "--to", "omp")
    assert (code, err) == (0, "")
    assert out.startswith("--- a/f.c\n+++ b/f.c\n")
    assert Path("f.c").read_text() == PROGRAM
    Path("fix.diff").write_text(out)
    assert subprocess.run(["git", "apply", "fix.diff"], check=False).returncode == 0
    assert compiles("f.c")
    assert "\n\t#pragma omp target " in Path("f.c").read_text()
    report = json.loads(run("f.c:5", "--to", "omp", "--json")[1])
    assert report["written"] == []
    assert report["line"] in {3, 5}


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [("latin-1", b""), ("utf-8", codecs.BOM_UTF8), ("utf-16-be", codecs.BOM_UTF16_BE), ("utf-8", b"")],
)
def test_writing_keeps_encoding_mark_line_ends_and_permissions_and_happens_once(
    run: Run, encoding: str, mark: bytes
) -> None:
    before = mark + PROGRAM.rstrip("\n").replace("\n", "\r\n").encode(encoding)
    Path("real.c").write_bytes(before)
    Path("real.c").chmod(0o640)
    Path("f.c").unlink()
    Path("f.c").symlink_to("real.c")
    assert run("f.c:3", "--to", "omp", "--write")[:2] == (0, "f.c\n")
    assert Path("f.c").is_symlink()
    assert Path("real.c").stat().st_mode & 0o777 == 0o640
    after = Path("real.c").read_bytes()
    lines = after.removeprefix(mark).decode(encoding).replace(" \\\r\n\t\t", " ").split("\r\n")
    assert after.startswith(mark)
    (pragma,) = [line for line in lines if "#pragma" in line]
    lines.remove(pragma)
    assert mark + "\r\n".join(lines).encode(encoding) == before
    run("f.c:5", "--to", "omp", "--write", "--force")
    assert Path("real.c").read_bytes() == after
    assert sorted(path.name for path in Path().iterdir()) == ["f.c", "real.c"]


def test_a_file_that_holds_other_text_is_replaced_only_by_force(run: Run) -> None:
    Path("out.c").write_text("mine\n")
    code, out, err = run("f.c:3", "--to", "omp", "-o", "out.c")
    assert (code, out) == (1, "")
    assert "out.c exists and holds other text" in err
    assert Path("out.c").read_text() == "mine\n"
    assert run("f.c:3", "--to", "omp", "-o", "out.c", "--force")[:2] == (0, "out.c\n")
    written = Path("out.c").read_text()
    assert "#pragma omp target" in written
    assert run("f.c:3", "--to", "omp", "-o", "out.c")[0] == 0
    assert run("f.c:3", "--to", "omp", "-o", "-")[1] == written
    assert Path("f.c").read_text() == PROGRAM


def test_force_replaces_no_folder_device_or_link_to_nothing(run: Run) -> None:
    Path("folder").mkdir()
    Path("link").symlink_to("nowhere")
    os.mkfifo("pipe")
    for name in ("folder", "link", "pipe"):
        code, out, err = run("f.c:3", "--to", "cuda", "-o", name, "--force")
        assert (code, out) == (1, "")
        assert f"{name} is there and is no text file that could be replaced" in err
    assert Path("link").is_symlink()
    assert not Path("nowhere").exists()


def test_cuda_is_printed_and_written_beside_the_source_once(run: Run) -> None:
    code, text, err = run("f.c:3", "--to", "cuda")
    assert (code, err) == (0, "")
    assert "__global__" in text
    assert run("f.c:3", "--to", "cuda", "--diff")[1].startswith("--- /dev/null\n+++ b/f_scale.cu\n")
    assert run("f.c:3", "--to", "cuda", "--write")[:2] == (0, "f_scale.cu\n")
    assert Path("f_scale.cu").read_text() == text
    assert run("f.c:3", "--to", "cuda", "--write")[:2] == (0, "")
    code, out, err = run("f.c:3", "--to", "cuda", "--block", "64", "--write")
    assert (code, out) == (1, "")
    assert "f_scale.cu exists and holds other text (--force replaces it)" in err
    assert run("f.c:3", "--to", "cuda", "--block", "64", "--write", "--force")[:2] == (0, "f_scale.cu\n")
    assert "block 64" in Path("f_scale.cu").read_text()
    assert Path("f.c").read_text() == PROGRAM
    code, out, err = run("f.c:3", "--to", "cuda", "--shared", "q")
    assert (code, out) == (1, "")
    assert "`q`" in err


def test_a_promise_is_said_with_the_result(run: Run) -> None:
    code, out, err = run("f.c:15", "--to", "restrict")
    assert code == 0
    assert "+void copy(int n, double *restrict x, const double *restrict y)" in out
    assert "f.c:15: right only if no caller passes memory in which `x` and `y` overlap" in err


def test_a_refusal_says_which_dependence(run: Run) -> None:
    code, out, err = run("f.c:9", "--to", "omp")
    assert (code, out) == (1, "")
    assert err.startswith("warplens: f.c:9: the loop is not parallel. No: `x[i - 1]` (line 10) reads what")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("f.c:3", "--to", "fortran"), "'fortran' is no fix; there are omp"),
        (("f.c:3", "--to", "omp", "--block", "32xx8"), "whole numbers"),
        (("f.c:3", "--to", "omp", "--outputs", "1x2x3x4"), "one to three"),
        (("f.c",), "not FILE:LINE"),
    ],
)
def test_a_wrong_command_line_is_said(
    run: Run, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], says: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        run(*arguments)
    assert ended.value.code == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("f.c:3", "--write"), "without --to"),
        (("f.c:3", "--block", "32"), "without --to"),
        (("f.c:3", "--to", "omp", "--write", "-o", "x.c"), "two places"),
        (("--to", "omp", "--write", "--", "-:3"), "standard input"),
    ],
)
def test_options_that_contradict_each_other_are_said(run: Run, arguments: tuple[str, ...], says: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert says in err
    assert Path("f.c").read_text() == PROGRAM


def test_standard_input_is_ported_to_standard_output(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(PROGRAM.encode())))
    code, out, _ = run("--to", "omp", "-o", "-", "--", "-:3")
    assert code == 0
    Path("ported.c").write_text(out)
    assert compiles("ported.c")


@pytest.mark.parametrize(("place", "code"), [("gone.c:3", 1), (".:3", 1), ("f.c:6", 2), ("f.c:99", 2)])
def test_a_place_without_a_loop_is_said(run: Run, place: str, code: int) -> None:
    given, out, err = run(place)
    assert (given, out) == (code, "")
    assert err.startswith("warplens: ")


def test_a_suggestion_is_no_refusal(run: Run) -> None:
    source = """\
double A[2048][2048], B[2048][32768], C[2048][2048];
void product(void)
{
    for (int i = 0; i < 2048; i++)
        for (int j = 0; j < 2048; j++) {
            double s = 0;
            for (int k = 0; k < 2048; k++)
                s += A[i][k] * B[j][16 * k];
            C[i][j] = s;
        }
}
"""
    Path("f.c").write_text(source)
    (listed,) = [line for line in run("f.c:4")[1].splitlines() if line.startswith("  transpose:B")]
    assert "  suggestion: with `B` stored transposed" in listed
    assert [fix["code"] for fix in json.loads(run("f.c:4", "--json")[1])["fixes"] if fix["is_suggestion"]] == [
        "transpose"
    ]
    code, out, err = run("f.c:4", "--to", "transpose", "--write")
    assert (code, out) == (1, "")
    assert err.startswith("warplens: f.c:4: suggestion: with `B`")
    assert Path("f.c").read_text() == source
