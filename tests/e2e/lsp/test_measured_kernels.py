"""A loop nest beside the measured kernel that it is linked to, and the link through edits."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from support.measured_kernel_file import write_model

SOURCE = """void matmul(int n, const float *restrict a, const float *restrict b, float *restrict c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}
"""
TITLE = "**Measured kernel matmul on Tesla K20c**"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("model") / "mm.counters"
    write_model(path)
    return path.read_bytes()


def put(folder: Path, content: bytes, name: str = "mm.counters") -> None:
    (folder / ".warplens" / "counters").mkdir(parents=True, exist_ok=True)
    (folder / ".warplens" / "counters" / name).write_bytes(content)


async def with_predictions(editor: Any, uri: str) -> str:
    """The hover on the first loop once its second part is there."""
    for _ in range(300):
        text = str(await editor.hover(uri, "for"))
        if "| predicted |" in text:
            return text
        await asyncio.sleep(0.05)
    raise AssertionError(text)


@pytest.mark.asyncio
async def test_measured_and_predicted_stand_beside_each_other(start, model: bytes) -> None:
    editor = await start()
    put(editor.folder, model)
    uri = editor.open("f.c", SOURCE)
    await editor.diagnostics(uri)
    first = str(await editor.hover(uri, "for"))
    assert TITLE in first
    bottleneck = next(line for line in first.splitlines() if "First bottleneck by its counters" in line)
    assert "uncoalesced" in bottleneck
    assert "(WL201)" in bottleneck
    assert "12% of the loaded bytes were asked for" in first
    assert "is being worked out: hover once more" in first
    text = await with_predictions(editor, uri)
    assert "| n | block | measured | predicted | predicted / measured |" in text
    (largest,) = [line for line in text.splitlines() if line.startswith("| 4096 | 16x16 |")]
    assert all(cell.strip() for cell in largest.strip("|").split("|"))


@pytest.mark.asyncio
async def test_the_link_survives_edits_and_a_comment_names_another_kernel(start, model: bytes) -> None:
    editor = await start()
    put(editor.folder, model)
    uri = editor.open("f.c", SOURCE)
    await editor.diagnostics(uri)
    editor.edit(uri, "float s = 0;", "float s = 1;\n      /* edited */")
    await editor.saved(uri)
    assert TITLE in str(await editor.hover(uri, "for"))
    editor.edit(uri, "void matmul(", "void multiply(")
    await editor.saved(uri)
    assert "Measured kernel" not in str(await editor.hover(uri, "for"))
    editor.edit(uri, "  for (int i", "  // warplens: kernel = matmul\n  for (int i")
    shown = await editor.saved(uri)
    assert not [diagnostic for diagnostic in shown if diagnostic.code == "input"]
    text = str(await editor.hover(uri, "for"))
    assert TITLE in text
    assert "Linked by its name" not in text
    editor.edit(uri, "kernel = matmul", "kernel = matmull")
    (said,) = [one for one in await editor.saved(uri) if "no model in" in one.message]
    assert "`matmull`: did you mean `matmul`?" in said.message
    assert said.range.start.line == 1


@pytest.mark.asyncio
async def test_a_new_model_is_read_and_a_damaged_one_is_said(start, model: bytes) -> None:
    editor = await start()
    uri = editor.open("f.c", SOURCE)
    await editor.diagnostics(uri)
    assert "Measured kernel" not in str(await editor.hover(uri, "for"))

    async def changed() -> list[types.Diagnostic]:
        seen = len(editor.published)
        event = types.FileEvent(editor.uri(".warplens/counters/mm.counters"), types.FileChangeType.Changed)
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
        return list(await editor.diagnostics(uri, seen))

    put(editor.folder, model)
    await changed()
    assert TITLE in str(await editor.hover(uri, "for"))
    put(editor.folder, model[: len(model) // 2])
    await changed()
    assert "Measured kernel" not in str(await editor.hover(uri, "for"))
    (said,) = await editor.messages("mm.counters")
    assert "not read: not a model of counters, or only a part of one" in said
