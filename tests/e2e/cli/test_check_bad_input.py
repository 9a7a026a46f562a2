"""`warplens check` on files that are wrong: a clear word, an exit code, the rest analysed."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

WARPLENS = Path(sys.executable).with_name("warplens")
LOOP = "void f(int n, float *x) {\n  for (int i = 0; i < n; i++)\n    x[i] = 0;\n}\n"


def check(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([WARPLENS, "check", *arguments], capture_output=True, text=True, timeout=120, check=False)


def reported(run: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    return json.loads(run.stdout)["files"]


@pytest.mark.cold_start
@pytest.mark.parametrize(
    "command",
    [("check",), ("check", "--json"), ("search",), ("search", "--json"), ("machines", "show", "a100")],
    ids=" ".join,
)
def test_nobody_reads_on(tmp_path: Path, command: tuple[str, ...]) -> None:
    """As in `warplens check ... | head`: no traceback, and no failure."""
    file = tmp_path / "f.c"
    file.write_text(LOOP)
    place = {"check": [file, file], "search": [f"{file}:2"], "machines": []}[command[0]]
    with subprocess.Popen([WARPLENS, *command, *place], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (0, b"")


ENCODED = {
    "utf-16": LOOP.encode("utf-16"),
    "utf-8 with a mark": b"\xef\xbb\xbf" + LOOP.encode(),
    "latin-1": ("/* Gr\u00f6\u00dfe und L\u00e4nge \u00fcber alles, f\u00fcr jeden */\n" + LOOP).encode("latin-1"),
    "carriage returns": LOOP.replace("\n", "\r\n").encode(),
    "tabs and no final newline": LOOP.replace("  ", "\t").rstrip().encode(),
}


def test_any_encoding_is_read(tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.c" for name in ENCODED]
    for file, data in zip(files, ENCODED.values(), strict=True):
        file.write_bytes(data)
    run = check("--json", *files)
    assert run.returncode == 0, run.stderr
    assert {Path(file["path"]).stem: len(file["nests"]) for file in reported(run)} == dict.fromkeys(ENCODED, 1)


EXTREME = {
    "2^63-1": ("long i = 0; i < 9223372036854775807L", "x[i & 7] = 0;"),
    "2^64-1": ("unsigned long i = 0; i < 18446744073709551615UL", "x[i & 7] = 0;"),
    "zero": ("int i = 0; i < 0", "x[i] = 0;"),
    "negative": ("int i = 10; i < 3", "x[i] = 0;"),
    "one": ("int i = 0; i < 1", "x[i] = 0;"),
}


def test_extreme_trip_counts_have_finite_answers(tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.c" for name in EXTREME]
    for file, (trips, body) in zip(files, EXTREME.values(), strict=True):
        file.write_text(f"void f(float *x) {{ for ({trips}; i++) {body} }}\n")
    run = check("--json", *files)
    assert run.returncode == 0, run.stderr
    assert {Path(file["path"]).stem: len(file["nests"]) for file in reported(run)} == dict.fromkeys(EXTREME, 1)
    assert not {"NaN", "Infinity", "-Infinity"} & set(run.stdout.replace(",", " ").split())
    plain = check(*files)
    assert plain.returncode == 0, plain.stderr
    assert "internal error" not in plain.stdout
    assert not {"nan", "inf"} & set(plain.stdout.lower().split())


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
    (file_,) = reported(run)
    assert len(file_["nests"]) == 1, run.stderr


def test_a_binary_file_loses_nothing_else(tmp_path: Path) -> None:
    binary, good = tmp_path / "a.c", tmp_path / "b.c"
    binary.write_bytes(bytes(range(256)) * 40)
    good.write_text(LOOP)
    run = check("--json", binary, good)
    assert [len(file["nests"]) for file in reported(run)] == [0, 1]


def test_a_name_that_is_not_there(tmp_path: Path) -> None:
    run = check(tmp_path / "none.c")
    assert run.returncode == 1
    assert "none.c" in run.stderr + run.stdout
