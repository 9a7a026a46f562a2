"""`warplens check`: what it prints of which files, and its exit codes."""

import json
import re
from pathlib import Path

import pytest
from support.command_line.called import LOOPS, run

pytestmark = pytest.mark.process


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loops.c").write_text(LOOPS)
    return "loops.c"


def test_a_report_per_loop_and_a_summary(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "check", "-v", source)
    assert code == 0
    assert "loops.c:3:5: axpy()" in out
    assert "line 8, i: sequential. No: " in out
    assert "None of 2 loop nests is sure to be worth porting" in out
    assert "\x1b" not in out


def test_the_table_comes_first_and_its_counts_are_all_of_them(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "check", "--size", "n=100000000", source)
    head, _, rest = out.partition("\n\n")
    assert code == 0
    assert "1 of 2 loop nests is worth porting." in " ".join(head.split())
    assert re.search(r"^loops.c:3 +(worth it|if data stays) ", rest, re.MULTILINE)
    assert max(map(len, out.splitlines())) <= 80
    assert "+copies" in out
    legend = "  keep data: port the loops before and after too, so that arrays stay on the GPU\n"
    assert (legend in out, out.count("keep data")) == (True, 2)
    assert "keep data" not in run(capsys, "check", "--size", "n=100", source)[1]
    overview = json.loads(run(capsys, "check", "--json", "--size", "n=100000000", source)[1])["overview"]
    assert sum(each["count"] for each in overview["verdicts"]) == overview["nests"] == len(overview["rows"]) == 2
    first, second = overview["rows"]
    assert (first["line"], second["verdict"]) == (3, "not parallel")
    assert overview["now_s"] == pytest.approx(first["now_s"] + second["now_s"])
    assert overview["gain_s"] == pytest.approx(first["gain_s"])
    assert first["now_s"] > first["gain_s"] > overview["copied_gain_s"] >= 0


def test_a_line_of_a_file_is_one_loop_in_full(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "check", f"{source}:8")
    assert (code, "prefix()" in out, "axpy()" in out, "loop nests" in out) == (0, True, False, False)
    code, out, err = run(capsys, "check", f"{source}:1")
    assert (code, "no loop stands there" in err) == (2, True)
    code, out, _ = run(capsys, "check", "--noise", "quiet", "--size", "n=100000000", source)
    assert [line.split()[0] for line in out.splitlines()] == ["loop", "loops.c:3"]


def test_sizes_from_how_the_program_is_called(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "main.c").write_text(
        "#include <stdlib.h>\nextern double *x;\nint main(int argc, char **argv) {\n"
        "    int n = atoi(argv[1]);\n    for (int i = 0; i < n; i++)\n        x[i] *= 2.0;\n    return 0;\n}\n"
    )

    def said(*options: str) -> str:
        (nest,) = json.loads(run(capsys, "check", "--json", *options, "main.c")[1])["files"][0]["nests"]
        return next(one["text"] for one in nest["assumptions"] if one["subject"] == "n" and one["kind"] == "size")

    assert said().startswith("`n` is not known (the command line says it: `int n = atoi(argv[1])`)")
    assert said("--called-as", "./prog 9000000").startswith("`n` = 9000000: `int n = atoi(argv[1])`")
    (tmp_path / ".warplens.toml").write_text('called_as = "./prog 5000000"\n')
    assert said("--called-as", "./prog 9000000").startswith("`n` = 5000000")
    with pytest.raises(SystemExit, match="2"):
        run(capsys, "check", "--called-as", "./prog '", "main.c")
    assert "as in a shell" in capsys.readouterr().err


def test_colour_when_asked_for(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "\x1b[" in run(capsys, "check", "--color", "always", source)[1]


def test_loops_inside_a_library_are_not_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "scale.c"
    file.write_text(
        "void dscal_(const int *, const double *, double *, const int *);\n"
        "void scale(int m, int n, double a, double *x)\n{\n    const int one = 1;\n"
        "    for (int i = 0; i < m; i++)\n        dscal_(&n, &a, x + i * n, &one);\n}\n"
    )
    _, out, _ = run(capsys, "check", "--json", str(file))
    (nest,) = json.loads(out)["files"][0]["nests"]
    assert [loop["verdict"] for loop in nest["loops"]] == ["parallel"]
    _, out, _ = run(capsys, "check", "-v", str(file))
    assert re.findall(r"^    line (\d+), (\w+): parallel", out, re.MULTILINE) == [("5", "i")]
    assert "of 1 loop nest" in out


def test_a_file_that_is_not_there_does_not_stop_the_others(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "check", "-v", "gone.c", source)
    assert code == 1
    assert "gone.c" in err
    assert "axpy()" in out


def test_an_analysis_beyond_its_limit_is_a_failure(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "check", "--time-limit", "0.0001", source)
    assert code == 1
    assert "--time-limit" in err


def test_a_folder_stands_for_its_c_files(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("src/b.c", "src/deep/a.c", "src/.hidden/c.c", "src/d.h", "src/.hidden/e.h", "src/f.hpp"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(LOOPS)
    (tmp_path / "src" / "g.h").write_text("int g(void);\n")
    (tmp_path / "empty").mkdir()
    code, out, _ = run(capsys, "check", "--json", "src", "src/b.c")
    assert code == 0
    assert [file["path"] for file in json.loads(out)["files"]] == ["src/b.c", "src/d.h", "src/deep/a.c"]
    code, _, err = run(capsys, "check", "src", "empty")
    assert code == 1
    assert "empty: there is no C file in this folder" in err


def test_many_files_come_in_the_order_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [str(tmp_path / f"{k}.c") for k in (7, 3, 11, 5, 2, 9, 1, 8)]
    for name in names:
        Path(name).write_text(LOOPS + f"int last = {len(name)};\n")
    code, out, _ = run(capsys, "check", "--json", *names)
    assert code == 0
    assert [file["path"] for file in json.loads(out)["files"]] == names


def test_latin_1_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("latin.c").write_bytes("/* Größe für jede Fläche */\n".encode("latin-1") + LOOPS.encode())
    code, out, _ = run(capsys, "check", "-v", "latin.c")
    assert code == 0
    assert "latin.c:4:5:" in out
