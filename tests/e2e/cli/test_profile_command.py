"""`warplens profile`: from a program that ran to what is shown, and every way the files can be wrong."""

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from warplens.server.cli.main import main
from warplens.server.measure.loop_counts.profile_file import load_profile

PROGRAM = """\
#include <stdlib.h>
static double x[100000];
void scale(int n, double *restrict v)
{
    for (int i = 0; i < n; i++)
        v[i] *= 2;
}
void never(int n, double *restrict v)
{
    for (int i = 0; i < n; i++)
        v[i] = 0;
}
int main(int argc, char **argv)
{
    for (int t = 0; t < 3; t++)
        scale(70000, x);
    if (argc > 5)
        never(100000, x);
    return 0;
}
"""
LOOP = "void f(int n, double *x)\n{\n    for (int i = 0; i < n; i++)\n        x[i] = 0;\n}\n"

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in the test's folder: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)

    def run_command(*arguments: str) -> tuple[int, str, str]:
        code = main(arguments)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run_command


@pytest.fixture
def ran(tmp_path: Path) -> Path:
    """A folder with src/main.c and gcov's file of a run of it in build/."""
    (tmp_path / "src").mkdir()
    (tmp_path / "build").mkdir()
    (tmp_path / "src" / "main.c").write_text(PROGRAM)
    for command in ("gcc -O2 --coverage -fno-early-inlining ../src/main.c -o main", "./main"):
        subprocess.run(command.split(), cwd=tmp_path / "build", check=True, capture_output=True)
    data = [file.name for file in (tmp_path / "build").glob("*.gcda")]
    subprocess.run(["gcov", "--json-format", "-b", *data], cwd=tmp_path / "build", check=True, capture_output=True)
    return tmp_path


def document(*lines: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """gcov's JSON for f.c."""
    file = {"file": "f.c", "functions": [function("f", 1)], "lines": list(lines)}
    return {"format_version": "1", "current_working_directory": ".", "files": [file], **changes}


def function(name: str, line: int) -> dict[str, Any]:
    return {"name": name, "start_line": line, "end_line": line + 4, "execution_count": 1}


def line(number: int, *branches: int, count: int | None = None) -> dict[str, Any]:
    ways = [{"count": branch, "fallthrough": False, "throw": False} for branch in branches]
    return {"line_number": number, "count": sum(branches) if count is None else count, "branches": ways}


def test_a_run_is_imported_shown_and_checked(ran: Path, run: Run) -> None:
    code, out, err = run("profile", "import", "build")
    assert (code, err) == (0, "")
    assert "1 file, 3 loops counted (1 never ran)" in out
    assert (ran / ".warplens" / "profile.json").is_file()

    code, out, _ = run("profile", "show")
    assert code == 0
    head, hottest, *rest = out.splitlines()
    assert head.split() == ["place", "iterations", "runs", "average", "line", "executions", "loop"]
    assert hottest.split()[:7] == ["src/main.c:5:5", "210", "000", "3", "70", "000", "100"]
    assert hottest.endswith("for (int i = 0; i < n; i++)")
    assert "src/main.c:10:5" in rest[-1]

    code, out, _ = run("check", "-v", "--noise", "all", "src/main.c")
    assert code == 0
    assert "measured: 210 000 iterations in 3 runs of the loop (70 000 each), 100 % of the program's line" in out
    assert "measured: never ran in the imported run" in out
    assert "`n` = 70000, measured: 70 000 iterations per run of the loop over `i`" in out

    code, out, _ = run("check", "--json", "src/main.c")
    scale, never, _ = json.loads(out)["files"][0]["nests"]
    assert scale["sizes"] == {"n": 70000}
    measured = scale["loops"][0]["measured"]
    assert (measured["iterations"], measured["entries"], measured["average_trips"]) == (210000, 3, 70000)
    assert measured["line_execution_share"] > 0.99
    assert measured["is_confirmed"]
    assert never["loops"][0]["measured"]["average_trips"] is None
    assert [a["origin"] for a in scale["assumptions"] if a["kind"] == "size"] == ["measured"]

    code, out, _ = run("check", "--size", "n=12", "--json", "src/main.c")
    assert json.loads(out)["files"][0]["nests"][0]["sizes"] == {"n": 12}


def test_a_second_import_adds_and_replace_starts_over(ran: Path, run: Run) -> None:
    def iterations() -> int:
        return json.loads(run("profile", "show", "--json")[1])["loops"][0]["iterations"]

    run("profile", "import", "build")
    run("profile", "import", "build")
    assert iterations() == 420000
    code, out, _ = run("profile", "import", "--replace", "--json", "build")
    assert code == 0
    assert json.loads(out)["files"] == ["src/main.c"]
    assert iterations() == 210000


def test_an_edit_is_said_and_costs_only_its_function(ran: Path, run: Run) -> None:
    run("profile", "import", "build")
    file = ran / "src" / "main.c"
    file.write_text("/* new */\n" + PROGRAM.replace("v[i] *= 2", "v[i] *= 3"))
    code, out, _ = run("check", "-v", "src/main.c")
    assert code == 0
    assert "note: The profile imported " in out
    assert "`scale` changed since then" in out
    assert "measured: never ran" in out
    assert "measured: 210" not in out
    assert "= 70000, measured" not in out
    out = run("profile", "show")[1]
    assert "src/main.c: the function at line 4 changed since the program ran" in out
    assert "1 loop without counts" in out
    file.unlink()
    assert "src/main.c: No such file" in run("profile", "show")[1]


@pytest.mark.parametrize("form", ["plain", "gzip", "two documents", "version 2"])
def test_every_form_that_gcov_writes_is_read(tmp_path: Path, run: Run, form: str) -> None:
    (tmp_path / "f.c").write_text(LOOP)
    one = document(line(3, 300, 3), line(4, count=300))
    text = json.dumps(one)
    if form == "version 2":
        new = {"source_block_id": 2, "destination_block_id": 3}
        for each in one["files"][0]["lines"]:
            each.update(block_ids=[2], calls=[], conditions=[], function_name="f")
            each["branches"] = [{**branch, **new} for branch in each["branches"]]
        text = json.dumps({**one, "format_version": "2", "gcc_version": "14.2.0"})
    data = {"two documents": f"{text}\n{text}\n"}.get(form, text).encode()
    (tmp_path / "f.gcov.json").write_bytes(gzip.compress(data) if form == "gzip" else data)
    assert run("profile", "import", "f.gcov.json")[0] == 0
    (loop,) = json.loads(run("profile", "show", "--json")[1])["loops"]
    expected = 600 if form == "two documents" else 300
    assert (loop["path"], loop["line"], loop["iterations"], loop["average_trips"]) == ("f.c", 3, expected, 100)


BAD = {
    "not JSON": (b"\x7fELF", "not"),
    "cut off": (json.dumps(document()).encode()[:-9], "not JSON"),
    "empty": (b"", "the file is empty"),
    "damaged gzip": (gzip.compress(b"{}")[:-9], "damaged gzip"),
    "other JSON": (b"[1, 2]", "it has no format_version"),
    "other version": (json.dumps(document(format_version="7")).encode(), "format version 7 is not known"),
    "no files": (b'{"format_version": "1"}', "not what gcov writes (KeyError: 'files')"),
    "negative": (json.dumps(document(line(3, 5, -1))).encode(), "-1 is no count"),
    "text for a number": (json.dumps(document({**line(3, 5, 1), "count": "6"})).encode(), "'6' is no count"),
    "no branches": (json.dumps(document(line(3, count=7))).encode(), "run gcov with --branch-probabilities (-b)"),
    "deep": (b"[" * 100_000, "not JSON"),
    "no loop": (json.dumps(document(line(1, 1, 2))).encode(), "no loop was found in the counted files (f.c)"),
    "past the end": (json.dumps(document(line(99, 5, 1))).encode(), "it has no line 99"),
    "other text": (
        json.dumps(
            document(files=[{"file": "f.c", "functions": [function("f", 4)], "lines": [line(3, 5, 1)]}])
        ).encode(),
        "`f` is not at line 4",
    ),
    "source gone": (
        json.dumps(document(files=[{"file": "gone.c", "functions": [], "lines": [line(3, 5, 1)]}])).encode(),
        "gone.c: the counted source can't be read (No such file or directory)",
    ),
    "elsewhere": (
        json.dumps(document(files=[{"file": "/usr/x.c", "functions": [], "lines": [line(3, 5, 1)]}])).encode(),
        "none of the counted files lies in ",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_with_a_file_is_said_and_nothing_is_written(tmp_path: Path, run: Run, name: str) -> None:
    data, message = BAD[name]
    (tmp_path / "f.c").write_text(LOOP)
    (tmp_path / "f.gcov.json").write_bytes(data)
    code, out, err = run("profile", "import", "f.gcov.json")
    assert code == 1
    assert message in err
    assert "Traceback" not in err
    assert out == ""
    assert not (tmp_path / ".warplens").exists()


def test_files_that_gcov_has_not_read_yet_are_explained(tmp_path: Path, run: Run) -> None:
    (tmp_path / "f.gcda").write_bytes(b"adcg")
    for name in ("f.gcda", "."):
        code, _, err = run("profile", "import", name)
        assert code == 1
        assert "gcov --json-format -b FILE.gcda" in err
    assert "No such file" in run("profile", "import", "gone.gcov.json")[2]


def test_good_files_count_beside_bad_ones(tmp_path: Path, run: Run) -> None:
    (tmp_path / "f.c").write_text(LOOP)
    (tmp_path / "a.gcov.json").write_text("{")
    (tmp_path / "b.gcov.json").write_text(json.dumps(document(line(3, 40, 1))))
    code, out, err = run("profile", "import", ".")
    assert code == 1
    assert "a.gcov.json: not JSON" in err
    assert "1 file, 1 loop counted" in out


@pytest.mark.parametrize(
    "content", ["", "{}", '{"version": 9, "files": {}}', '{"version":1,"files":{"f.c":[]}}', "[" * 99999]
)
def test_a_broken_profile_is_said_and_costs_nothing_else(tmp_path: Path, run: Run, content: str) -> None:
    (tmp_path / "f.c").write_text(LOOP)
    (tmp_path / "f.gcov.json").write_text(json.dumps(document(line(3, 40, 1))))
    profile = tmp_path / ".warplens" / "profile.json"
    profile.parent.mkdir()
    profile.write_text(content)
    code, out, _ = run("check", "-v", "f.c")
    assert code == 0
    assert f"{profile}: not read: not a profile" in out
    assert "`n` is not known, 1024 is assumed" in out
    for part in (("show",), ("import", "f.gcov.json")):
        code, _, err = run("profile", *part)
        assert code == 1
        assert "profile import --replace" in err
    assert run("profile", "import", "--replace", "f.gcov.json")[0] == 0
    assert run("profile", "show")[0] == 0


def test_show_without_a_profile_says_how_to_get_one(run: Run) -> None:
    code, _, err = run("profile", "show")
    assert code == 1
    assert "no counts were imported here" in err


def test_imports_at_the_same_time_lose_no_counts(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text("void f(int n, double *x)\n{\n  for (int i = 0; i < n; i++)\n    x[i] = 2;\n}\n")
    lines = [
        {"line_number": number, "count": count, "branches": [{"count": each} for each in branches]}
        for number, count, branches in ((1, 1, ()), (3, 11, (10, 1)), (4, 10, ()))
    ]
    function = {"name": "f", "start_line": 1, "end_line": 5, "execution_count": 1}
    document = {"format_version": "1", "files": [{"file": "f.c", "functions": [function], "lines": lines}]}
    (tmp_path / "a.gcov.json").write_text(json.dumps(document))
    program = (
        "import sys; from warplens.server.cli.main import main; sys.exit(main(['profile', 'import', 'a.gcov.json']))"
    )
    runs = [
        subprocess.Popen([sys.executable, "-P", "-c", program], cwd=tmp_path, stdout=subprocess.DEVNULL)
        for _ in range(4)
    ]
    assert [run.wait() for run in runs] == [0] * 4
    source = load_profile(tmp_path / ".warplens" / "profile.json").sources["f.c"]
    assert source.runs == 4
    assert {line.line: line.count for line in source.lines} == {1: 4, 3: 44, 4: 40}
    assert [path.name for path in (tmp_path / ".warplens").iterdir()] == ["profile.json"]
