"""`warplens check` on files that are wrong: a clear word, an exit code, the rest analysed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

WARPLENS = Path(sys.executable).with_name("warplens")
LOOP = "void f(int n, float *x) {\n  for (int i = 0; i < n; i++)\n    x[i] = 0;\n}\n"


def check(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([WARPLENS, "check", *arguments], capture_output=True, text=True, timeout=120, check=False)


def nests(run: subprocess.CompletedProcess[str]) -> list[dict[str, object]]:
    return json.loads(run.stdout)["files"][-1]["nests"]


@pytest.mark.parametrize(
    "command", [("check",), ("check", "--json"), ("search",), ("search", "--json"), ("profiles", "a100")], ids=" ".join
)
def test_nobody_reads_on(tmp_path: Path, command: tuple[str, ...]) -> None:
    """As in `warplens check ... | head`: no traceback, and no failure."""
    file = tmp_path / "f.c"
    file.write_text(LOOP)
    place = {"check": [file, file], "search": [f"{file}:2"], "profiles": []}[command[0]]
    with subprocess.Popen([WARPLENS, *command, *place], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (0, b"")


@pytest.mark.parametrize(
    "data",
    [
        LOOP.encode("utf-16"),
        b"\xef\xbb\xbf" + LOOP.encode(),
        ("/* Gr\u00f6\u00dfe und L\u00e4nge \u00fcber alles, f\u00fcr jeden */\n" + LOOP).encode("latin-1"),
        LOOP.replace("\n", "\r\n").encode(),
        LOOP.replace("  ", "\t").rstrip().encode(),
    ],
    ids=["utf-16", "utf-8-bom", "latin-1", "crlf", "tabs-no-final-newline"],
)
def test_any_encoding_is_read(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "f.c"
    file.write_bytes(data)
    run = check("--json", file)
    assert run.returncode == 0, run.stderr
    assert len(nests(run)) == 1


@pytest.mark.parametrize(
    ("trips", "body"),
    [
        ("long i = 0; i < 9223372036854775807L", "x[i & 7] = 0;"),
        ("unsigned long i = 0; i < 18446744073709551615UL", "x[i & 7] = 0;"),
        ("int i = 0; i < 0", "x[i] = 0;"),
        ("int i = 10; i < 3", "x[i] = 0;"),
        ("int i = 0; i < 1", "x[i] = 0;"),
    ],
    ids=["2^63-1", "2^64-1", "zero", "negative", "one"],
)
def test_extreme_trip_counts_have_finite_answers(tmp_path: Path, trips: str, body: str) -> None:
    file = tmp_path / "f.c"
    file.write_text(f"void f(float *x) {{ for ({trips}; i++) {body} }}\n")
    run = check("--json", file)
    assert run.returncode == 0, run.stderr
    assert len(nests(run)) == 1
    assert not {"NaN", "Infinity", "-Infinity"} & set(run.stdout.replace(",", " ").split())
    plain = check(file)
    assert plain.returncode == 0, plain.stderr
    assert "internal error" not in plain.stdout
    assert "nan" not in plain.stdout.lower().split()


@pytest.mark.parametrize("compiler", [True, False], ids=["compiler", "python-preprocessor"])
def test_includes_that_go_round_end(tmp_path: Path, compiler: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "self.h").write_text('#include "self.h"\nextern int deep;\n')
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "link.h").symlink_to("link.h")
    file = tmp_path / "f.c"
    file.write_text('#include "self.h"\n#include "loop/loop/loop/self.h"\n#include "link.h"\n' + LOOP)
    if not compiler:
        monkeypatch.setenv("PATH", "")
    run = check("--json", file)
    assert len(nests(run)) == 1, run.stderr


def test_a_binary_file_loses_nothing_else(tmp_path: Path) -> None:
    binary, good = tmp_path / "a.c", tmp_path / "b.c"
    binary.write_bytes(bytes(range(256)) * 40)
    good.write_text(LOOP)
    run = check("--json", binary, good)
    assert len(json.loads(run.stdout)["files"]) == 2
    assert len(nests(run)) == 1


def test_a_name_that_is_not_there(tmp_path: Path) -> None:
    run = check(tmp_path / "none.c")
    assert run.returncode == 1
    assert "none.c" in run.stderr + run.stdout


@pytest.mark.parametrize(
    "arguments", [("--gpu", "voodoo2"), ("-D", "n"), ("-D", "n=many"), ("--no-such-option",)], ids=str
)
def test_a_wrong_command_line_is_said(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    file = tmp_path / "f.c"
    file.write_text(LOOP)
    run = check(*arguments, file)
    assert run.returncode == 2
    assert arguments[-1].partition("=")[0] in run.stderr or arguments[0] in run.stderr
