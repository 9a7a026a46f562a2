"""A nest on several GPUs: the request, the command, and the table that a hover has once it is worked out."""

from typing import Any

import pytest
from lsprotocol import types

SOURCE = """void sum(int n, float *restrict a, const float *restrict b) {
  // warplens: n = 16777216
  for (int i = 0; i < n; i++)
    a[i] = 2 * b[i];
}
void scan(int n, float *a) {
  for (int i = 1; i < n; i++)
    a[i] += a[i - 1];
}
"""
NEST = {"function": "sum", "ordinal": 0}


async def ask(editor: Any, uri: str, **params: Any) -> dict[str, Any]:
    params.setdefault("nest", NEST)
    answer = await editor.client.protocol.send_request_async(
        "workspace/executeCommand",
        types.ExecuteCommandParams("warplens.compareGpus", [{"textDocument": {"uri": uri}, **params}]),
    )
    assert isinstance(answer, dict)
    return answer


@pytest.mark.asyncio
async def test_gpus_are_sorted_and_each_has_its_break_even(start) -> None:
    editor = await start()
    uri = editor.open("f.c", SOURCE)
    await editor.diagnostics(uri)
    answer = await ask(editor, uri, gpus=["h100", "RTX 2080 Ti", "k20"], data="resident")
    assert answer["problems"] == []
    rows = answer["gpus"]
    assert [row["gpu"] for row in rows] == ["h100", "a100", "RTX 2080 Ti", "k20"]
    assert [row["is_current"] for row in rows] == [False, True, False, False]
    assert [row["resident_s"] for row in rows] == sorted(row["resident_s"] for row in rows)
    assert all(len(row["break_even"]) == 2 for row in rows)
    assert "from n = " in answer["text"]
    enough = await ask(editor, uri, gpus=["h100", "k20"], data="resident", reachesSeconds=rows[1]["resident_s"])
    assert enough["smallest"] == "a100"
    assert (await ask(editor, uri, gpus=["k20"], reachesSeconds=1e-9))["smallest"] is None


@pytest.mark.asyncio
async def test_what_can_not_be_compared_is_said(start) -> None:
    editor = await start()
    uri = editor.open("f.c", SOURCE)
    await editor.diagnostics(uri)
    answer = await ask(editor, uri, gpus=["h101", 7, "/etc/passwd.toml"])
    assert [row["gpu"] for row in answer["gpus"]] == []
    assert "did you mean h100" in answer["problems"][0]
    assert answer["problems"][1:3] == ["`gpus` has something that is no name of a profile"] * 2
    answer = await ask(editor, uri, nest={"function": "scan", "ordinal": 0})
    assert answer["problems"] == ["the loop can't run on a GPU, or has nothing to run at its sizes"]
    assert (await ask(editor, uri, gpus="all"))["problems"][0].startswith("`gpus` is no list")
    assert (await ask(editor, "file:///nowhere.c"))["problems"] == ["the file is not open in this session"]
    assert (await ask(editor, uri, nest="x"))["problems"] == ["a question names a `position` or a `nest`"]
