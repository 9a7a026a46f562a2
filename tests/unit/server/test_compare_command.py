"""`warplens compare`: order, ranges, the smallest GPU, and what can't be compared."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from warplens.analysis.models.sizes.gpu_comparison import gpu_size
from warplens.hwprofiles.loader import gpu_names, load_gpu
from warplens.server.cli.main import main
from warplens.server.compared_gpus.default_gpus import COMPARED

pytestmark = pytest.mark.process

_SOURCE = """void sum(int n, float *restrict a, const float *restrict b) {
  // warplens: n = 16777216
  for (int i = 0; i < n; i++)
    a[i] = 2 * b[i];
}
void scan(int n, float *a) {
  for (int i = 1; i < n; i++)
    a[i] += a[i - 1];
}
"""


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.c").write_text(_SOURCE)
    return "f.c:3"


def _json(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    code = main(["compare", *arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_each_gpu_is_what_check_says_of_it(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, answer = _json(capsys, source, "--gpu", "k20,h100,mi250x", "--no-break-even")
    assert code == 0
    assert [row["gpu"] for row in answer["gpus"]] == ["h100", "mi250x", "k20"]
    for row in answer["gpus"]:
        assert main(["check", "f.c", "--gpu", row["gpu"], "--json"]) == 0
        report = json.loads(capsys.readouterr().out)
        (offload,) = [nest["gpu"] for nest in report["files"][0]["nests"] if nest["function"] == "sum"]
        assert (row["cold_s"], row["kernels_range_s"]) == (offload["cold_s"], offload["kernels_range_s"])
    assert [bool(row["caveat"]) for row in answer["gpus"]] == [False, True, False]
    assert row["break_even"] is None


def test_resident_data_makes_another_order(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    cold = _json(capsys, source, "--no-break-even")[1]["gpus"]
    resident = _json(capsys, source, "--no-break-even", "--data", "resident")[1]["gpus"]
    assert {row["gpu"] for row in cold} == set(COMPARED)
    assert [row["cold_s"] for row in cold] == sorted(row["cold_s"] for row in cold)
    assert [row["resident_s"] for row in resident] == sorted(row["resident_s"] for row in resident)
    assert [row["gpu"] for row in cold] != [row["gpu"] for row in resident]


def test_the_smallest_gpu_is_the_smallest_that_is_fast_enough(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, answer = _json(capsys, source, "--reaches", "0.3", "--data", "resident", "--no-break-even")
    assert code == 0
    assert {row["gpu"] for row in answer["gpus"]} == set(gpu_names())
    enough = [row["gpu"] for row in answer["gpus"] if row["resident_s"] <= 0.3e-3]
    assert answer["smallest"] == min(enough, key=lambda name: gpu_size(load_gpu(name)))
    assert len(enough) > 3
    code, answer = _json(capsys, source, "--gpu", "k20", "--reaches", "0.001", "--no-break-even")
    assert (code, answer["smallest"]) == (1, None)
    assert answer["notes"][-1] == "None of the 1 GPUs takes at most 1 µs (with copies)."


def test_the_table_is_for_reading(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", source, "--gpu", "a100,l40s"]) == 0
    out = capsys.readouterr().out
    assert "f.c:3: sum() on 2 GPUs, fastest first with copies, n = 16777216" in out
    assert re.search(r"^ +A100 SXM4 40 GB +.* ms +.* µs +.* to .* \d+ +from n = .* +never", out, re.MULTILINE)
    assert re.search(r"vs all 32 CPU cores .*faster than the CPU, data there +with copies$", out, re.MULTILINE)
    assert "Kernel times that the ranges can't tell from the A100 SXM4 40 GB's: L40S." in out


def test_what_can_not_be_compared_is_said(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "f.c:7"]) == 1
    assert "the loop can't run on a GPU" in capsys.readouterr().err
    assert main(["compare", "f.c:9"]) == 2
    for options, said in (
        (("--gpu", "a100,h101"), "did you mean h100"),
        (("--gpu", ","), "name at least one GPU"),
        (("--reaches", "fast"), "no number of milliseconds above 0"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(["compare", source, *options])
        assert ended.value.code == 2
        said_now = capsys.readouterr().err
        assert said in said_now.replace("is not a number", "no number")


def test_the_page_names_every_field(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[3] / "docs" / "compare.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+)`", page))
    answer = _json(capsys, source, "--gpu", "k20", "--no-break-even")[1]
    assert {*answer, *answer["gpus"][0]} <= named


def test_what_a_profile_does_not_know_is_said_where_it_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody measured divisions on a V100, and this loop does nothing else."""
    path = tmp_path / "divisions.c"
    path.write_text(
        "void f(double *restrict a, const double *restrict b) {\n"
        " for (int i = 0; i < 1 << 22; i++) {\n"
        "  double x = b[i];\n  for (int k = 0; k < 64; k++) x = 1.5 / x + 0.5;\n  a[i] = x; } }\n"
    )
    assert main(["compare", f"{path}:2", "--gpu", "h100,v100_pcie"]) == 0
    assert re.search(r"Ranges wider each way for values not measured on that GPU: [^:]*V100", capsys.readouterr().out)
