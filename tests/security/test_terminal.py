"""What commands write on a terminal or into a pipe: hidden characters as escapes, no traceback whatever takes it."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from warplens.server.render.visible_text import visible_html, visible_json, visible_name, visible_values

SERVER = Path(__file__).parents[2] / "server"
HIDDEN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")
EVIL = "\x1b[31mRED\x1b]0;title\x07 \u202e\x9b2J"
LOOP = "void f(int n, double *y) {\n  for (int i = 0; i < n; i++)\n    y[i] = 0;\n}\n"
HOSTILE = f"/* {EVIL} */\n#error {EVIL}\n{LOOP}// warplens: {EVIL}red = 3\n"
PROGRAM = "import sys; from warplens.server.cli.main import main; sys.exit(main(sys.argv[1:]))"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Every text in it that is someone else's is hostile."""
    (tmp_path / "f.c").write_text(HOSTILE)
    (tmp_path / f"n {EVIL}.c").write_text(HOSTILE)
    (tmp_path / "[bold]markup[red].c").write_text(HOSTILE)
    config = ('"k\\u202e\\u001b[31m\\u0007x" = 1', 'gpu = "\\u001b[31ma1\\u202e"', 'disabled_rules = ["WL\\u001b[2J"]')
    (tmp_path / ".warplens.toml").write_text("\n".join(config))
    entry = {"directory": ".", "file": "f.c", "arguments": ["cc", "-D\udfff=1", "-D\x1b[31m=1"]}
    (tmp_path / "compile_commands.json").write_text(json.dumps([entry]))
    return tmp_path


def run(here: Path, *arguments: str | bytes, **given: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "WARPLENS_CACHE": "", "COLUMNS": "200", **given.pop("environment", {})}  # type: ignore[dict-item]
    options: dict[str, object] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **given}
    command = [sys.executable, "-P", "-c", PROGRAM, *arguments]
    return subprocess.run(
        command, cwd=here, env=environment, text=True, errors="surrogateescape", check=False, **options
    )  # type: ignore[call-overload, no-any-return]


COMMANDS = (
    ("check", "-v", "."),
    ("check", "."),
    ("check", "--json", "."),
    ("port", "f.c:4", "--to", "omp", "--json"),
    ("search", f"n {EVIL}.c:4", "--top", "1"),
    ("doctor", "--json", "."),
)


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: " ".join(map(visible_name, arguments)))
def test_no_text_of_a_workspace_reaches_a_terminal_as_it_is(folder: Path, arguments: tuple[str, ...]) -> None:
    ran = run(folder, *arguments)
    assert HIDDEN.findall(ran.stdout + ran.stderr) == []
    assert "Traceback" not in ran.stderr
    if "--json" in arguments:
        json.loads(ran.stdout)
    elif "-v" in arguments:
        assert "#error \\x1b[31mRED" in ran.stdout
        assert "unknown key `k\\u202e\\x1b[31mx`" in ran.stdout
        assert "[bold]markup[red].c:" in ran.stdout


def test_colours_are_our_own(folder: Path) -> None:
    ran = run(folder, "check", "--color", "always", "f.c")
    found = set(re.findall("\x1b[^m]*m?", ran.stdout))
    assert found
    assert all(re.fullmatch("\x1b\\[[0-9;]*m", each) for each in found), found
    assert "\\x1b[31mRED" in ran.stdout


def test_a_file_that_is_piped_is_as_it_is(folder: Path) -> None:
    """What is written for a file keeps every character of the source."""
    ran = run(folder, "port", "f.c:4", "--to", "omp", "-o", "-")
    assert ran.stdout.startswith(f"/* {EVIL} */")


def test_names_that_are_not_utf_8_are_names(tmp_path: Path) -> None:
    name = os.fsdecode(b"na\xffme.c")
    (tmp_path / name).write_text(LOOP)
    for arguments in (
        ("check", name),
        ("check", "--json", "."),
        ("report", name, "-o", "page.html", "--gpus", ""),
        ("search", f"{name}:2", "--top", "1", "--svg", "map.svg"),
        ("port", f"{name}:2", "--to", "cuda", "-o", "out.cu"),
        ("port", f"{name}:2", "--to", "omp", "--write"),
    ):
        ran = run(tmp_path, *arguments)
        assert (ran.returncode, ran.stderr) == (0, ""), arguments
        assert HIDDEN.findall(ran.stdout) == []
    for written in ("page.html", "map.svg", "out.cu"):
        (tmp_path / written).read_text(encoding="utf-8")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_every_terminal_can_show_it(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "größe_漢.c").write_text(LOOP.replace("y", "größe"))
    environment = {"PYTHONIOENCODING": encoding}
    for arguments in (("check", "."), ("check", "--json", "."), ("port", "größe_漢.c:2", "--json")):
        ran = run(tmp_path, *arguments, environment=environment)
        assert ran.returncode == 0, ran.stderr
        assert "Traceback" not in ran.stderr
        if "--json" in arguments and encoding != "latin-1":  # whose bytes are no UTF-8 here
            assert "größe_漢" in json.dumps(json.loads(ran.stdout), ensure_ascii=False)


@pytest.mark.parametrize("arguments", [("check", "f.c"), ("doctor", "--json"), ("--help",)], ids=" ".join)
def test_a_full_disk_is_said(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "f.c").write_text(LOOP)
    with Path("/dev/full").open("w") as full:
        ran = run(tmp_path, *arguments, stdout=full)
        assert (ran.returncode, ran.stderr) == (1, "warplens: No space left on device\n")
        assert run(tmp_path, "check", "nowhere.c", stderr=full).returncode == 1


def test_closed_streams_are_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text(LOOP)

    def closed(*handles: int, arguments: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
        shell = " ".join(("exec", '"$@"', *(f"{handle}>&-" for handle in handles)))
        command = ["sh", "-c", shell, "sh", sys.executable, "-P", "-c", PROGRAM, *arguments]
        environment = {**os.environ, "WARPLENS_CACHE": ""}
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    ran = closed(0, arguments=("check", "-"))
    assert ran.returncode == 1
    assert "warplens: -: standard input is closed" in ran.stderr
    assert (closed(1, arguments=("check", "f.c")).returncode, closed(1, arguments=("check", "f.c")).stderr) == (0, "")
    assert closed(2, arguments=("check", "nowhere.c")).returncode == 1
    assert closed(0, 1, 2, arguments=("check", "f.c")).returncode == 0


def test_a_folder_that_was_removed_is_said(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    shell = 'rmdir ../gone; exec "$@"'
    command = ["sh", "-c", shell, "sh", sys.executable, "-P", "-c", PROGRAM, "check", "f.c"]
    ran = subprocess.run(command, cwd=tmp_path / "gone", capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "Traceback" not in ran.stderr


def test_each_view_has_its_own_form() -> None:
    assert visible_name("a\nb\t\x1b") == "a\\x0ab\\x09\\x1b"
    text = "\x9b\u202e\ud800é"
    assert json.loads(visible_json(json.dumps(text, ensure_ascii=False))) == text
    assert not HIDDEN.search(visible_json(json.dumps(text, ensure_ascii=False)))
    assert visible_html("<\u202e'>") == "&lt;\\u202e&#x27;&gt;"
    assert visible_values({"\x1b": ["\u202e", 1, None, {"a": "b"}]}) == {"\\x1b": ["\\u202e", 1, None, {"a": "b"}]}


def test_nobody_writes_around_it() -> None:
    """The command line writes by streams.py and terminal.py, HTML is escaped by visible_text.py."""
    allowed = {"cli/streams.py", "cli/write_json.py", "cli/terminal.py"}
    for file in SERVER.rglob("*.py"):
        name = file.relative_to(SERVER).as_posix()
        calls = {ast.unparse(node.func) for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)}
        if name not in allowed:
            assert not calls & {"sys.stdout.write", "sys.stderr.write", "print", "Console", "rich.print"}, name
        if name != "render/visible_text.py":
            assert "from html import escape" not in file.read_text(), name
