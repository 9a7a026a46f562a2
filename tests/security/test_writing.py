"""What is written, and where: never through a link, never outside of the folder that it belongs to, never unasked."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.wire import Wire
from warplens.server.cli.main import main
from warplens.server.files.atomic_file import replace_file
from warplens.server.files.sibling_file import Sibling, sibling
from warplens.server.files.whole_file import write_whole
from warplens.server.measure.calibration.gpu_results import GpuResults, save_results
from warplens.server.measure.counters.model_file import save_model
from warplens.server.measure.kernel_times.build_folder import build_folder
from warplens.server.measure.kernel_times.measured_file import add_measured, save_measured
from warplens.server.measure.loop_counts.profile_file import RunProfile, save_profile
from warplens.server.programs.programs import Programs

TEXT = """void scale(int n, double *restrict y, const double *restrict x) {
  for (int i = 0; i < n; i++)
    y[i] = 2 * x[i];
}
"""


def everything_in(folder: Path) -> dict[str, bytes | str]:
    """Files and links below a folder, with what is in them."""
    found: dict[str, bytes | str] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            found[str(path)] = str(path.readlink())
        elif path.is_file():
            found[str(path)] = path.read_bytes()
    return found


def cuda_action(wire: Wire, uri: str) -> dict[str, object]:
    whole = {"start": {"line": 1, "character": 4}, "end": {"line": 1, "character": 4}}
    asked = {"textDocument": {"uri": uri}, "range": whole, "context": {"diagnostics": []}}
    actions = wire.request("textDocument/codeAction", asked)["result"]
    (action,) = [each for each in actions if "CUDA" in each["title"]]
    return wire.request("codeAction/resolve", action)


def test_the_server_writes_nothing_into_the_workspace(tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    (folder / ".warplens").mkdir(parents=True)
    (folder / "scale.c").write_text(TEXT)
    with Wire(folder) as wire:
        before = everything_in(folder)
        wire.initialize()
        uri = wire.open("scale.c", TEXT)
        wire.diagnostics(uri)
        wire.hover(uri, 1, 3)
        assert "edit" in cuda_action(wire, uri)["result"]  # type: ignore[operator]
        wire.request("warplens/status", {})
        assert wire.shut_down() == 0
        after = everything_in(folder)
    log = str(wire.log)
    assert {name: text for name, text in after.items() if name != log} == {n: t for n, t in before.items() if n != log}


def test_a_created_file_lies_beside_its_source(tmp_path: Path) -> None:
    folder = tmp_path / "a%2F..%2Fb"
    folder.mkdir()
    with Wire(folder) as wire:
        wire.initialize()
        uri = wire.open("..%2f..%2fevil.c", TEXT)
        wire.diagnostics(uri)
        result = cuda_action(wire, uri)["result"]
        uris = [each.get("uri") or each["textDocument"]["uri"] for each in result["edit"]["documentChanges"]]  # type: ignore[index]
        assert uris
        for each in uris:
            assert each.rpartition("/")[0] == folder.as_uri()


@pytest.mark.parametrize(
    "uri", ["untitled:../../evil.c", "untitled:/etc/x.c", "http://host/../x.c", "file://host/share/x.c"]
)
def test_a_buffer_without_a_local_file_gets_no_file(tmp_path: Path, uri: str) -> None:
    with Wire(tmp_path) as wire:
        wire.initialize()
        wire.open(uri, TEXT)
        wire.diagnostics(uri)
        answer = cuda_action(wire, uri)
        places = [
            each.get("uri") or each["textDocument"]["uri"]
            for each in (answer.get("result") or {}).get("edit", {}).get("documentChanges", [])  # type: ignore[attr-defined]
        ]
        assert "error" in answer or all(place.startswith("file://host/share/") for place in places)


def test_a_link_where_a_file_shall_go_is_not_written_through(tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    folder.mkdir()
    mine = tmp_path / "mine.txt"
    mine.write_text("mine\n")
    with Wire(folder) as wire:
        wire.initialize()
        uri = wire.open("scale.c", TEXT)
        wire.diagnostics(uri)
        result = cuda_action(wire, uri)["result"]
        (created,) = [each for each in result["edit"]["documentChanges"] if each.get("kind") == "create"]  # type: ignore[index]
        (folder / created["uri"].rpartition("/")[2]).symlink_to(mine)
        assert "is no text file that could be replaced" in cuda_action(wire, uri)["error"]["message"]  # type: ignore[index]
    link = folder / "link"
    link.symlink_to(mine)
    assert sibling(link, "mine\n") is Sibling.NO_TEXT


@pytest.mark.parametrize("is_folder", [True, False], ids=["the folder is a link", "the file is a link"])
@pytest.mark.parametrize("name", ["profile.json", "measured.json"])
def test_our_files_are_not_written_through_a_link_that_leads_out(tmp_path: Path, name: str, is_folder: bool) -> None:
    folder, elsewhere = tmp_path / "workspace", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    (elsewhere / name).write_text('{"version": 1, "measured": []}')
    if is_folder:
        (folder / ".warplens").symlink_to(elsewhere, target_is_directory=True)
    else:
        (folder / ".warplens").mkdir()
        (folder / ".warplens" / name).symlink_to(elsewhere / name)
    before = everything_in(tmp_path)
    with pytest.raises(OSError, match="a symbolic link that leads out of"):
        save_profile(folder / ".warplens" / name, RunProfile()) if name == "profile.json" else add_measured(folder, [])
    assert everything_in(tmp_path) == before


MINE = "int mine;\n"
Write = Callable[[Path], object]


def run_quietly(*arguments: str) -> int:
    return main(arguments)


WRITERS: dict[str, tuple[str, Write]] = {
    "report": ("page.html", lambda path: run_quietly("report", "scale.c", "-o", str(path), "--gpus", "")),
    "search": ("map.svg", lambda path: run_quietly("search", "scale.c:2", "--top", "1", "--svg", str(path))),
    "port": ("out.cu", lambda path: run_quietly("port", "scale.c:2", "--to", "cuda", "-o", str(path))),
    "explain": ("WL101.md", lambda path: run_quietly("explain", "--write-pages", str(path.parent))),
    "measure": ("out.json", lambda path: save_measured(path, [])),
    "calibrate": ("gpu.raw.jsonl", lambda path: save_results(path, GpuResults("a", "b", "c"))),
    "fit": ("runs.counters", lambda path: save_model(path, ())),
    "profile": (".warplens/profile.json", lambda path: save_profile(path, RunProfile())),
}


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a C file, in which one works."""
    folder = tmp_path / "project"
    (folder / "sub").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / "scale.c").write_text(TEXT)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(folder)
    return folder


def attempt(write: Write, path: Path) -> None:
    """A refusal is an exit code of a command, or an OSError of what a command calls."""
    with contextlib.suppress(OSError):
        assert write(path) != 0


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("where", ["nowhere", "there", "within"])
def test_no_command_writes_through_a_link_of_the_workspace(work: Path, name: str, where: str) -> None:
    file, write = WRITERS[name]
    target = {"nowhere": work.parent / "new", "there": work.parent / "mine.c", "within": work / "own.c"}[where]
    if where != "nowhere":
        target.write_text(MINE)
    link = work / file
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(target)
    attempt(write, link)
    assert link.readlink() == target
    assert target.exists() == (where != "nowhere")
    assert where == "nowhere" or target.read_text() == MINE


@pytest.mark.parametrize("name", WRITERS)
def test_no_command_writes_into_a_folder_that_a_link_leads_out_to(work: Path, name: str) -> None:
    file, write = WRITERS[name]
    place = work / "out" / file
    (work / "out").symlink_to(work.parent / "elsewhere", target_is_directory=True)
    attempt(write, place)
    assert [*(work.parent / "elsewhere").iterdir()] == []


@pytest.mark.parametrize("name", ["report", "search", "measure", "calibrate", "fit"])
@pytest.mark.parametrize("text", [TEXT, ""], ids=["text", "empty"])
def test_a_file_of_another_kind_is_not_replaced(work: Path, name: str, text: str) -> None:
    source = work / "other.c"
    source.write_text(text)
    attempt(WRITERS[name][1], source)
    assert source.read_text() == text


@pytest.mark.parametrize("name", ["report", "search", "measure", "calibrate", "fit"])
def test_what_a_command_wrote_before_it_replaces(work: Path, name: str) -> None:
    file, write = WRITERS[name]
    for _ in range(2):
        write(work / "sub" / file)
    first = (work / "sub" / file).read_bytes()
    assert first
    assert [path.name for path in (work / "sub").iterdir()] == [file]


def test_a_source_behind_a_link_is_changed_in_its_project_alone(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = work.parent / "elsewhere" / "scale.c"
    other.write_text(TEXT)
    (work / "out.c").symlink_to(other)
    assert main(("port", "out.c:2", "--to", "omp", "--write")) == 1
    assert "a symbolic link leads it out of" in capsys.readouterr().err
    assert other.read_text() == TEXT
    (work / "sub" / "in.c").symlink_to(work / "scale.c")
    assert main(("port", "sub/in.c:2", "--to", "omp", "--write")) == 0
    assert (work / "sub" / "in.c").is_symlink()
    assert "#pragma omp" in (work / "scale.c").read_text()


def test_a_kept_program_is_not_built_upon_where_the_project_brought_it_along(work: Path) -> None:
    (work / "kept").mkdir()
    (work / "kept" / "port.so").write_text("evil")
    (work / "kept" / "mine.c").symlink_to(work / "scale.c")
    (work / "kept" / "sources").symlink_to(work.parent / "elsewhere", target_is_directory=True)
    with build_folder(Path("kept"), "test", Programs.outside_of([work])) as folder:
        assert [*folder.iterdir()] == []
        (folder / "port.so").write_text("built")
        (folder / "port.so").chmod(0o755)
    assert (work / "kept" / "port.so").read_text() == "built"
    assert os.access(work / "kept" / "port.so", os.X_OK)
    for name in ("mine.c", "sources/new.c"):
        with pytest.raises(OSError, match="symbolic link"):
            keep_a_file(work, name)
    assert (work / "scale.c").read_text() == TEXT
    assert [*(work.parent / "elsewhere").iterdir()] == []
    outside = work.parent / "elsewhere"
    with build_folder(outside, "test", Programs.outside_of([work])) as folder:
        assert folder == outside


def keep_a_file(work: Path, name: str) -> None:
    with build_folder(Path("kept"), "test", Programs.outside_of([work])) as folder:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("x")


def test_a_process_that_is_killed_while_it_writes_leaves_nothing(tmp_path: Path) -> None:
    """Ended before the file has its name, at the place where most of the time goes."""
    program = (
        "import os, sys; from pathlib import Path\n"
        "from warplens.server.files import whole_file\n"
        "link = os.link\n"
        "os.link = lambda *a, **k: os.kill(os.getpid(), 9)\n"
        "whole_file.write_whole(Path(sys.argv[1]), b'x' * 1000000)\n"
    )
    run = subprocess.run([sys.executable, "-P", "-c", program, str(tmp_path / "out.json")], check=False)
    assert run.returncode == -signal.SIGKILL
    assert [*tmp_path.iterdir()] == []


def test_where_every_file_has_a_name_old_leftovers_are_taken_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "O_TMPFILE")
    old, young = tmp_path / ".warplens-1.unfinished", tmp_path / ".warplens-2.unfinished"
    for path in (old, young):
        path.touch()
    os.utime(old, (0, 0))
    write_whole(tmp_path / "out.json", b"x")
    assert sorted(path.name for path in tmp_path.iterdir()) == [young.name, "out.json"]
    assert (tmp_path / "out.json").read_bytes() == b"x"


def test_an_unfinished_file_has_a_name_that_nobody_can_have_put_a_link_at(tmp_path: Path) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("mine\n")
    target = tmp_path / "out.json"
    for guess in (f"out.json.{os.getpid()}", "out.json.tmp", "out.json~", ".out.json"):
        (tmp_path / guess).symlink_to(mine)
    replace_file(target, b"new")
    assert target.read_bytes() == b"new"
    assert mine.read_text() == "mine\n"
    assert target.stat().st_mode & 0o777 == 0o666 & ~_umask()
    assert sorted(path.name for path in tmp_path.iterdir() if not path.is_symlink()) == ["mine.txt", "out.json"]


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
