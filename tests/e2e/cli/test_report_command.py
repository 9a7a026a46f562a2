"""`warplens report` on real files: one page, and what it says where something is not in it."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from warplens.server.cli.main import main

EXAMPLES = Path(__file__).parents[3] / "examples"
SCALE = "void scale(int n, float *restrict x) {\n  for (int i = 0; i < n; i++)\n    x[i] *= 2;\n}\n"


def data_of(page: Path) -> Any:
    return json.loads(re.findall(r'id="report-data">(.*?)</script>', page.read_text(encoding="utf-8"))[0])


def test_files_and_folders_are_one_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.c").write_text(SCALE)
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "é b.c").write_text(SCALE)
    page = tmp_path / "out.html"
    arguments = ["report", str(tmp_path), "-o", str(page), "--gpus", "v100", "--gpu", "h100", "--size", "n=5000"]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert "2 loop nests of 2 files" in out
    data = data_of(page)
    assert out.startswith(data["overview"]["sentence"])
    assert [Path(file["path"]).name for file in data["files"]] == ["a.c", "é b.c"]
    assert data["options"] == "--size n=5000"
    assert data["machine"]["gpu"]["id"] == "h100"
    (nest,) = data["files"][0]["nests"]
    assert [gpu["gpu"] for gpu in nest["gpus"]] == ["h100", "v100"]
    assert nest["detail"]["sizes"][0]["value"] == nest["break_even"]["current"] == 5000


def test_the_report_says_what_check_says_in_its_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(EXAMPLES / name) for name in ("heat2d.c", "matrix.c")]
    page = tmp_path / "out.html"
    assert main(["report", *files, "-o", str(page), "--gpus", ""]) == 0
    data = data_of(page)
    capsys.readouterr()
    assert main(["check", *files, "--json"]) == 0
    checked = json.loads(capsys.readouterr().out)["overview"]
    assert main(["check", *files]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert data["overview"]["sentence"] in text
    assert data["overview"]["gain_s"] == pytest.approx(checked["gain_s"], rel=1e-5)
    assert data["overview"]["now_s"] == pytest.approx(checked["now_s"], rel=1e-5)
    nests = sorted(
        ((file["path"], nest) for file in data["files"] for nest in file["nests"]), key=lambda n: n[1]["rank"]
    )
    shown = [(path, nest["line"], nest["verdict"]["word"], nest["bound"], nest["reason"]) for path, nest in nests]
    rows = [(row["path"], row["line"], row["verdict"], row["bound"], row["reason"]) for row in checked["rows"]]
    assert shown == rows
    steps = [nest["step"]["long"].replace("`", "") if nest["step"] else None for _, nest in nests]
    assert steps == [row["step"] for row in checked["rows"]]
    assert {nest["step"]["kind"] for _, nest in nests if nest["step"]} <= set(data["steps"])
    assert len({row["verdict"] for row in checked["rows"]}) > 3


def test_the_options_of_a_report_are_those_that_another_command_takes(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(SCALE)
    page = tmp_path / "out.html"
    given = ["--cpu", "desktop", "--size", "p->n=7", "--called-as", "./x -n 'a b'", "-D", "A=1", "--alone"]
    assert main(["report", str(tmp_path / "a.c"), "-o", str(page), "--gpus", "", *given]) == 0
    words = shlex.split(data_of(page)["options"])
    assert words == [
        "--cpu",
        "desktop",
        "--size",
        "p->n=7",
        "--called-as",
        "./program -n 'a b'",
        "-D",
        "A=1",
        "--alone",
    ]
    assert main(["what-if", f"{tmp_path / 'a.c'}:2", *words]) in {0, 1}  # 1: the loop has no size `p->n`


def test_one_file_is_said_as_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.c").write_text(SCALE)
    assert main(["report", str(tmp_path / "a.c"), "-o", str(tmp_path / "out.html"), "--gpus", ""]) == 0
    assert "1 loop nest of 1 file," in capsys.readouterr().out


def test_a_page_without_one_of_the_files_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.c").write_text(SCALE)
    page = tmp_path / "out.html"
    assert main(["report", str(tmp_path / "a.c"), str(tmp_path / "gone.c"), "-o", str(page), "--gpus", ""]) == 1
    assert "gone.c: No such file" in capsys.readouterr().err
    (file,) = data_of(page)["files"]
    assert [gpu["gpu"] for gpu in file["nests"][0]["gpus"]] == ["a100"]


def test_a_page_that_cannot_be_written_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.c").write_text("int x;\n")
    assert main(["report", str(tmp_path / "a.c"), "-o", str(tmp_path / "none" / "out.html")]) == 1
    assert "No such file or directory" in capsys.readouterr().err


def test_a_gpu_without_profile_is_a_wrong_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["report", str(tmp_path / "a.c"), "-o", str(tmp_path / "o.html"), "--gpus", "a100,none-such"])
    assert ended.value.code == 2
    assert "none-such" in capsys.readouterr().err
