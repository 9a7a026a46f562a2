"""What is written, and where: never through a link, never outside of the folder that it belongs to, never unasked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.wire import Wire
from warplens.server.files.atomic_file import replace_file
from warplens.server.files.sibling_file import Sibling, sibling
from warplens.server.measure.kernel_times.measured_file import add_measured
from warplens.server.measure.loop_counts.profile_file import RunProfile, save_profile

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
