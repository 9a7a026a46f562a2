"""`warplens check --json`: the fields that there are, and that they say what the text says."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.command_line.called import LOOPS, run
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.launch_ranking import LaunchRanking
from warplens.server.json.models import benefits_as_json, comparison_as_json, map_as_json, ranking_as_json

pytestmark = pytest.mark.process

SHARED = """\
void blur(int n, const float *restrict in, float *restrict out)
{
    for (int i = 8; i < n - 8; i++) {
        float sum = 0;
        for (int k = -8; k <= 8; k++)
            sum += in[i + k];
        out[i] = sum;
    }
}
"""


def names_in(value: object) -> Iterator[str]:
    """All keys, but those of `sizes`, which are the program's."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            if name != "sizes":
                yield from names_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from names_in(inner)


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loops.c").write_text(LOOPS)
    return "loops.c"


def test_json_says_the_same(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "check", "--json", "--size", "n=4096", "--gpu", "v100", source)
    assert code == 0
    (file,) = json.loads(out)["files"]
    axpy, prefix = file["nests"]
    assert (axpy["line"], axpy["function"], axpy["sizes"]) == (3, "axpy", {"n": 4096})
    assert axpy["loops"][0]["verdict"] == "parallel"
    assert axpy["kernels"][0]["threads"] >= 4095
    assert prefix["loops"][0]["verdict"] == "carried"
    assert prefix["gpu"] is None
    (loop,) = prefix["loops"]
    assert loop["dependences"] == [
        {
            "kind": "flow",
            "variable": "x",
            "source": {"line": 9, "column": 9, "text": "x[i]"},
            "sink": {"line": 9, "column": 17, "text": "x[i - 1]"},
            "distance": [1],
            "direction": ["<"],
        }
    ]
    assert "1 iteration earlier" in loop["reason"]
    assert axpy["loops"][0]["dependences"] == []
    assert axpy["loops"][0]["reason"] is None


def test_from_which_size_the_gpu_wins_is_in_the_text_and_in_the_json(
    source: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--size", "n=4096", "--gpu", "v100", "--worthwhile-us", "0", source)
    text, out = (run(capsys, "check", *form, *options)[1] for form in (("-v",), ("--json",)))
    axpy, prefix = json.loads(out)["files"][0]["nests"]
    assert prefix["break_even"] is None
    found = axpy["break_even"]
    assert (found["name"], found["current"], found["least"], found["most"]) == ("n", 4096, 1, 2**31 - 1)
    assert (found["ends_at"], found["others"], found["why_not"]) == ("its type", [], None)
    at = found["sizes"].index(4096)
    assert found["gpu_cold_s"][at] == axpy["gpu"]["cold_s"]
    assert found["one_core_s"][at] == axpy["cpu"]["one_core_s"]
    resident = next(each for each in found["wins"] if (each["data"], each["cores"]) == ("resident", "one core"))
    assert resident["size"] in found["sizes"]
    shown = re.search(r"faster +from `n` = ([\d ]+)(?: \(|, with copies)", text)
    assert shown is not None
    assert int(shown[1].replace(" ", "")) == pytest.approx(resident["size"], rel=0.05)


def test_json_says_what_a_loop_keeps_and_accumulates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "dot.c"
    file.write_text(
        "double dot(int n, const double *x, const double *y)\n{\n    double s = 0, t;\n"
        "    for (int i = 0; i < n; i++) {\n        t = x[i] * y[i];\n        s += t;\n    }\n    return s;\n}\n"
    )
    _, out, _ = run(capsys, "check", "--json", str(file))
    (loop,) = json.loads(out)["files"][0]["nests"][0]["loops"]
    assert (loop["verdict"], loop["private"], loop["dependences"]) == ("reduction", ["t"], [])
    assert loop["reductions"] == [{"variable": "s", "operator": "+", "is_array_element": False, "line": 6, "column": 9}]


def test_copies_that_start_with_what_is_there_are_told_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "part.c"
    file.write_text(
        "struct part { int now, before; };\n"
        "void f(int n, const int *restrict x, int *restrict y)\n{\n    struct part s, t;\n    s.before = 2;\n"
        "    for (int i = 0; i < n; i++) {\n        t.now = x[i];\n        s.now = t.now;\n"
        "        y[i] = s.now * s.before;\n    }\n}\n"
    )
    _, out, _ = run(capsys, "check", "--json", str(file))
    (loop,) = json.loads(out)["files"][0]["nests"][0]["loops"]
    assert (loop["private"], loop["copied_in"]) == (["s", "t"], ["s"])
    _, out, _ = run(capsys, "check", "-v", str(file))
    assert "Each iteration has its own `s`, `t`." in out
    assert "The copies of `s` start with what it holds before the loop." in out


def test_json_and_text_say_where_macros_are_defined(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header, file = tmp_path / "box.h", tmp_path / "box.c"
    header.write_text("#pragma once\n#define BoxLoop(i, n) for (int i = 1; i < n; i++)\n")
    file.write_text(
        """#include "box.h"
#  define N 64
void f(double *x) { BoxLoop(i, N) x[i] += x[i - 1]; }
void g(double *y) { for (int j = FIRST; j < N; j++) y[j] = __INT_MAX__; }
"""
    )
    code, out, _ = run(capsys, "check", "--noise", "all", "--json", "--define", "FIRST=2", str(file))
    assert code == 0
    f, g = json.loads(out)["files"][0]["nests"]
    in_header = {"name": "BoxLoop", "path": str(header), "line": 2, "column": None}
    bound = {"name": "N", "path": str(file), "line": 2, "column": 11}
    assert (f["line"], f["column"]) == (3, 21)
    assert (f["loops"][0]["macro"], f["loops"][0]["macros"]) == (in_header, [bound])
    assert [finding["macro"] for finding in f["findings"] if finding["column"] == 21] == [in_header]
    assert g["loops"][0]["macro"] is None
    assert g["loops"][0]["macros"] == [{"name": "FIRST", "path": None, "line": None, "column": None}, bound]
    _, out, _ = run(capsys, "check", "-v", "--noise", "all", "--define", "FIRST=2", str(file))
    assert "written in the macro `BoxLoop`, defined at box.h:2" in out
    assert "macros `FIRST` defined by a compiler flag or setting, `N` defined in line 2" in out


def test_the_page_on_json_lists_exactly_the_fields_there_are(
    source: str, compared: NestEvaluation, ranking: LaunchRanking, capsys: pytest.CaptureFixture[str]
) -> None:
    bounded = "#define N 9\nvoid m(int *a) { for (int i = 0; i < N; i++) a[i] = 0; }\n"
    Path(source).write_text("void h(int *a) { while (*a) a++; }\nint broken = ;\n" + LOOPS + SHARED + bounded)
    counted = {"line_number": 5, "count": 11, "branches": [{"count": 10}, {"count": 1}]}
    run_of_it = {"format_version": "1", "files": [{"file": source, "functions": [], "lines": [counted]}]}
    Path("loops.gcov.json").write_text(json.dumps(run_of_it))
    assert run(capsys, "profile", "import", "loops.gcov.json")[0] == 0
    _, out, _ = run(capsys, "check", "--json", source, "gone.c", "--gpu", "k20")
    report = json.loads(out)
    assert report["version"] == 1
    page = (Path(__file__).parents[3] / "docs" / "json.md").read_text()
    fields = {name for row in re.findall(r"^\| (`.*?) \|", page, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    named = set(re.findall(r"`(\w+)`", page))
    (kernel,) = compared.kernels
    models = [ranking_as_json(ranking, 1), comparison_as_json(kernel.comparison), benefits_as_json(kernel.benefits)]
    ported = json.loads(run(capsys, "port", "--json", f"{source}:5", "--to", "omp")[1])
    found = set(names_in([report, models, ported, {"map": map_as_json(ranking.map), "error": None}]))
    assert found <= named
    assert fields <= found | {"configuration"}
