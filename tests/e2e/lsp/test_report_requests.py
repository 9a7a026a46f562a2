"""The report's requests at a real client: the data of an open document, and parts of its nests."""

from __future__ import annotations

from typing import Any

import pytest
from pygls.exceptions import JsonRpcException

SOURCE = """
void scale(int n, float *restrict x, const float *restrict y) {
  for (int i = 0; i < n; i++)
    x[i] = 2 * y[i];
}

void prefix(int n, float *a) {
  for (int i = 1; i < n; i++)
    a[i] += a[i - 1];
}
"""
SCALE = {"function": "scale", "ordinal": 0}


def of(uri: str, **params: Any) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, **params}


@pytest.mark.asyncio
async def test_the_report_of_a_document_has_its_nests_and_their_parts_when_they_are_asked_for(start) -> None:
    editor = await start()
    uri = editor.open("f.c", SOURCE)
    await editor.diagnostics(uri)
    data = await editor.ask("warplens/report", of(uri))
    (file,) = data["files"]
    scale, prefix = file["nests"]
    assert (scale["function"], scale["line"], scale["last_line"], scale["detail"]) == ("scale", 3, 4, None)
    assert (prefix["function"], prefix["kernels"]) == ("prefix", [])
    assert (prefix["verdict"]["word"], prefix["stake"]["gain_s"]) == ("not parallel", 0)
    stakes = [nest["stake"] for nest in file["nests"]]
    assert data["overview"]["now_s"] == pytest.approx(sum(stake["now_s"] for stake in stakes))
    assert {"warp", "kernel"} <= {term["name"] for term in data["glossary"]}
    assert [lens.command.title.startswith(nest["headline"]) for lens, nest in zip(
        await editor.lenses(uri), file["nests"], strict=True
    )] == [True, True]  # fmt: skip

    parts = await editor.ask("warplens/reportNest", of(uri, nest=SCALE, parts=["detail", "break_even", "none such"]))
    assert set(parts) >= {"detail", "break_even", "verdict"}
    assert parts["verdict"]["faster_from"]["name"] == "n"
    assert parts["detail"]["card"]["headline"].replace("`", "") == parts["verdict"]["sentence"]
    assert parts["detail"]["kernels"][0]["line"] == 3
    assert parts["break_even"]["name"] == "n"
    again = await editor.ask("warplens/report", of(uri))
    assert again["files"][0]["nests"][0]["break_even"] == parts["break_even"]
    assert again["files"][0]["nests"][0]["verdict"] == parts["verdict"]
    gpus = await editor.ask("warplens/reportNest", of(uri, nest=SCALE, parts=["gpus"]))
    assert len({gpu["gpu"] for gpu in gpus["gpus"]}) == len(gpus["gpus"]) > 3


@pytest.mark.asyncio
async def test_a_break_even_that_the_page_asks_for_is_in_the_report_from_then_on(start) -> None:
    editor = await start()
    uri = editor.open("f.c", SOURCE[: SOURCE.index("void prefix")])
    await editor.diagnostics(uri)
    editor.edit(uri, "2 * y", "3 * y")  # behind the background's rest the page is the first to ask
    await editor.saved(uri)
    before = await editor.ask("warplens/report", of(uri))
    seen = len(editor.refreshed)
    parts = await editor.ask("warplens/reportNest", of(uri, nest=SCALE, parts=["break_even"]))
    after = await editor.ask("warplens/report", of(uri))
    (was,), (nest,) = before["files"][0]["nests"], after["files"][0]["nests"]
    assert parts["break_even"] is not None
    assert [nest[name] for name in ("break_even", "verdict", "step")] == [
        parts[name] for name in ("break_even", "verdict", "step")
    ]
    assert nest["content"] == was["content"]
    assert was["break_even"] is not None or len(editor.refreshed) > seen
    editor.edit(uri, "3 * y", "i * y")
    await editor.saved(uri)
    (edited,) = (await editor.ask("warplens/report", of(uri)))["files"][0]["nests"]
    assert edited["content"] != nest["content"]


@pytest.mark.asyncio
async def test_a_what_if_brings_what_the_page_draws(start) -> None:
    editor = await start()
    uri = editor.open("f.c", SOURCE)
    await editor.diagnostics(uri)
    answer = await editor.ask("warplens/whatIf", of(uri, nest=SCALE, changes={"sizes": {"n": 77}}, page=True))
    detail = answer["page"]["detail"]
    assert detail["sizes"] == [{"name": "n", "text": "n", "value": 77, "is_assumed": False}]
    assert detail["offload"]["cold_s"] == answer["result"]["gpu"]["cold_s"]
    assert answer["page"]["verdict"]["comparison"] is not None
    assert "stake" not in answer["page"]
    without = await editor.ask("warplens/whatIf", of(uri, nest=SCALE, changes={"sizes": {"n": 77}}))
    assert "page" not in without


@pytest.mark.asyncio
async def test_the_page_comes_without_data(start) -> None:
    editor = await start()
    page = await editor.ask("warplens/reportPage")
    assert '<script type="application/json" id="report-data">null</script>' in page["html"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"textDocument": {"uri": "file:///not-open.c"}}, "not open"),
        ({"textDocument": "nothing"}, "not open"),
        ({"nothing": 1}, "not open"),
    ],
)
async def test_what_is_asked_wrongly_is_said(start, params: dict[str, Any], said: str) -> None:
    editor = await start()
    with pytest.raises(JsonRpcException, match=said):
        await editor.ask("warplens/report", params)


@pytest.mark.asyncio
@pytest.mark.parametrize("nest", [None, {"function": "scale"}, {"function": "gone", "ordinal": 0}])
async def test_a_nest_that_is_not_there_was_edited(start, nest: Any) -> None:
    editor = await start()
    uri = editor.open("f.c", SOURCE)
    await editor.diagnostics(uri)
    with pytest.raises(JsonRpcException, match="edited"):
        await editor.ask("warplens/reportNest", of(uri, nest=nest, parts=["detail"]))
