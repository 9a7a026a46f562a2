"""The command line: what it prints, in which form, and its exit codes."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from rich.text import Text
from warplens.analysis.advice.catalogue import RULES
from warplens.analysis.engine.report import Recomputed
from warplens.analysis.ir.ids import LoopId
from warplens.analysis.ir.nest import NestSpans
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.launch_ranking import LaunchRanking
from warplens.analysis.text.span import Span
from warplens.server.cli.analyse_files import FileResult
from warplens.server.cli.layout import print_indented
from warplens.server.cli.main import main
from warplens.server.json.models import benefits_as_json, comparison_as_json, map_as_json, ranking_as_json
from warplens.server.worker.job import Answer, FunctionAnswer, NestAnswer

pytestmark = pytest.mark.process

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


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


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


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["check"], "FILE"),
        (["check", "--size", "n", "x.c"], "'n' is not NAME=SIZE"),
        (["check", "--size", "n=big", "x.c"], "n=big"),
        (["check", "--gpu", "voodoo2", "x.c"], "voodoo2"),
        (["check", "--no-such-option", "x.c"], "--no-such-option"),
        (["check", "--time-limit", "-1", "x.c"], "--time-limit"),
        (["lsp", "--tcp", "nowhere"], "nowhere"),
        (["fly"], "fly"),
        (["explain", "WL201", "--write-pages", "pages"], "--write-pages"),
    ],
)
def test_a_wrong_command_line_is_exit_code_2_and_names_what_is_wrong(
    arguments: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert named in capsys.readouterr().err.partition("error:")[2]


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


def test_a_nest_that_failed_is_no_complete_result() -> None:
    nest = NestAnswer(LoopId("f", 0), NestSpans(0, (), (), ()), (), "it did not end", "", b"")
    answer = Answer(
        (FunctionAnswer("f", Span(0, 1), (nest,), has_one_nest=True),),
        (),
        (),
        (),
        (),
        "a100",
        "server",
        "cc",
        1,
        1,
        Recomputed(0, 0, 0),
    )
    assert not FileResult("f.c", "", answer).is_complete
    whole = replace(answer, functions=())
    assert FileResult("f.c", "", whole).is_complete


def test_a_terminal_gets_lines_of_its_width_and_a_pipe_whole_ones() -> None:
    text = "word " * 60
    narrow, whole = Console(file=StringIO(), force_terminal=True, width=60), Console(file=StringIO(), soft_wrap=True)
    for console in (narrow, whole):
        print_indented(console, Text("  - "), Text(text), 4)
    lines = narrow.file.getvalue().splitlines()
    assert len(lines) > 4
    assert all(len(line) <= 60 for line in lines)
    assert all(line.startswith("    word") for line in lines[1:])
    assert len(whole.file.getvalue().splitlines()) == 1


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


def test_all_pages_of_the_rules_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "explain", "--write-pages", str(tmp_path / "pages"))[0] == 0
    written = {page.stem: page.read_text() for page in (tmp_path / "pages").iterdir()}
    assert set(written) == {rule.code for rule in RULES}
    assert "[warp](../glossary.md#warp)" in written["WL201"]
    assert run(capsys, "explain", "WL201")[1] == re.sub(r"\[([^\[\]]*)\]\([^)]*\)", r"\1", written["WL201"])
    (tmp_path / "file").touch()
    assert run(capsys, "explain", "--write-pages", str(tmp_path / "file"))[0] == 1


def test_a_rule_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "explain", "WL201")
    assert code == 0
    assert out.startswith("# ")
    assert run(capsys, "explain", "WL999")[0] == 2


def test_profiles_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "machines")
    assert code == 0
    assert "a100" in out


def test_a_profile_shows_its_values_with_their_sources(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "250")
    code, out, _ = run(capsys, "machines", "show", "GTX 680")
    assert code == 0
    assert "dram.bandwidth_gb_per_s" in out
    assert "157.1" in out
    assert "fitted to: every other of the 40 lengths" in out
    assert "checked on: the lengths between" in out


def test_an_unknown_profile_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "machines", "show", "voodoo2")
    assert (code, out) == (2, "")
    assert "no GPU profile of that name; known: 8800gtx" in err


def test_latin_1_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("latin.c").write_bytes("/* Größe für jede Fläche */\n".encode("latin-1") + LOOPS.encode())
    code, out, _ = run(capsys, "check", "-v", "latin.c")
    assert code == 0
    assert "latin.c:4:5:" in out
