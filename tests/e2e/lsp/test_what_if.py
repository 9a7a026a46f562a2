"""`warplens/whatIf` at a real client: other sizes, machines and launches of a nest, and everything asked wrongly."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

SOURCE = """// warplens: m = 64

void scale(int n, float *restrict x, const float *restrict y) {
  for (int i = 0; i < n; i++)
    x[i] = 2 * y[i];
}

void product(int n, int m, const float *restrict a, const float *restrict b, float *restrict c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int k = 0; k < m; k++)
        s += a[i * m + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

void prefix(int n, float *a) {
  for (int i = 1; i < n; i++)
    a[i] += a[i - 1];
}
"""
PRODUCT = {"function": "product", "ordinal": 0}


async def ask(editor: Any, uri: str, changes: Any = None, **params: Any) -> dict[str, Any]:
    params.setdefault("nest", PRODUCT)
    answer = await editor.client.protocol.send_request_async(
        "workspace/executeCommand",
        types.ExecuteCommandParams("warplens.whatIf", [{"textDocument": {"uri": uri}, "changes": changes, **params}]),
    )
    assert isinstance(answer, dict)
    return answer


def problems(answer: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["change"], each["message"]) for each in answer["problems"]]


@pytest.mark.asyncio
async def test_choices_pinned_launches_and_loops_that_are_not_parallel(start) -> None:
    editor = await start()
    uri = editor.open("f.c", SOURCE)
    await editor.diagnostics(uri)
    answer = await ask(editor, uri)
    assert (answer["version"], answer["problems"], answer["differences"]) == (1, [], [])
    assert answer["base"] == answer["result"]
    lens = [each for each in await editor.lenses(uri) if each.range.start.line == 8]
    assert [each.command.title for each in lens] == [answer["base"]["headline"]]
    assert answer["nest"] == {**PRODUCT, "line": 9, "column": 3}
    choices = answer["choices"]
    assert [(each["name"], each["value"], each["origin"]) for each in choices["parameters"]] == [
        ("m", 64, "directive"),
        ("n", 1024, "default"),
    ]
    assert {"id": "k20", "name": "Tesla K20c"} in choices["gpus"]
    assert {each["id"] for each in choices["cpus"]} >= {"server", "desktop"}
    (kernel,) = choices["kernels"]
    assert [32, 8, 1] in kernel["blocks"]
    assert (kernel["dimensions"], kernel["max_threads_per_block"]) == (2, 1024)
    assert {each["array"] for each in kernel["shared"]} == {"a", "b"}
    named = await editor.ask(
        "warplens/whatIf", {"textDocument": {"uri": uri}, "position": {"line": 10, "character": 4}}
    )
    assert named["base"]["headline"] == answer["base"]["headline"]
    await is_launched_as_pinned(editor, uri)
    await has_cpu_times_only(editor, uri)


@pytest.mark.asyncio
async def test_sizes_and_gpu_are_as_an_analysis_with_them(start) -> None:
    editor = await start()
    uri = editor.open("f.c", SOURCE)
    await editor.diagnostics(uri)
    asked = await ask(editor, uri, {"sizes": {"n": 4096, "m": 128}, "gpu": "k20"})
    other = await start(settings={"gpu": "k20", "sizes": {"n": 4096}})
    changed = other.open("f.c", SOURCE.replace("m = 64", "m = 128"))
    await other.diagnostics(changed)
    fresh = (await ask(other, changed))["base"]
    result = asked["result"]
    for field in ("headline", "sizes", "cpu", "gpu", "profiles", "total"):
        assert result[field] == fresh[field]
    assert [as_predicted(kernel) for kernel in result["kernels"]] == [
        as_predicted(kernel) for kernel in fresh["kernels"]
    ]
    assert [kernel["ranking"] for kernel in result["kernels"]] == [kernel["ranking"] for kernel in fresh["kernels"]]
    assert {a["origin"] for a in result["assumptions"] if a["kind"] == "size"} == {"what-if"}
    assert any("Against" in each or "Speedup" in each for each in asked["differences"])


def as_predicted(kernel: dict[str, Any]) -> dict[str, Any]:
    """A kernel without what only an analysis says: other launches, the rule that speaks of a benefit and its fix."""
    benefits = [{k: v for k, v in each.items() if k not in {"finding", "has_fix"}} for each in kernel["benefits"]]
    return {**kernel, "ranking": None, "benefits": benefits}


async def is_launched_as_pinned(editor: Any, uri: str) -> None:
    answer = await ask(
        editor, uri, {"block": [16, 16], "workPerThread": 4, "shared": ["b"], "data": "resident", "kernel": 0}
    )
    assert answer["problems"] == []
    (kernel,) = answer["result"]["kernels"]
    assert kernel["block"] == [16, 16, 1]
    x, y, z = kernel["outputs_per_thread"]
    assert x * y * z == 4
    assert [each["array"] for each in kernel["shared"]] == ["b"]
    total, gpu = answer["result"]["total"], answer["result"]["gpu"]
    assert (total["data"], total["gpu_s"]) == ("resident", gpu["resident_s"])
    assert total["speedup_vs_one_core"] == gpu["speedup_resident_vs_one_core"]
    least, most = total["speedup_vs_all_cores_range"]
    assert least < most
    assert any(each.startswith("Launch: block 16x16, 4 ") for each in answer["differences"])


async def has_cpu_times_only(editor: Any, uri: str) -> None:
    """Of a loop that is not parallel."""
    changes = {"sizes": {"n": 4096}, "cpu": "desktop", "block": [256]}
    answer = await ask(editor, uri, changes, nest={"function": "prefix", "ordinal": 0})
    assert problems(answer) == [("block", "no loop here is known to be parallel, so nothing is launched on a GPU")]
    assert (answer["result"]["gpu"], answer["result"]["total"], answer["choices"]["data"]) == (None, None, [])
    assert answer["result"]["cpu"]["one_core_s"] > answer["base"]["cpu"]["one_core_s"]
    assert answer["result"]["profiles"]["cpu"]["id"] == "desktop"


WRONG = (
    ({"sizes": {"q": 5}}, "sizes", "the loop does not depend on a size `q`, but on `m`, `n`"),
    ({"sizes": {"n": -1}}, "sizes", "`n` must be a whole number from 0 on, not -1"),
    ({"sizes": {"n": 2.5}}, "sizes", "`n` must be a whole number from 0 on, not 2.5"),
    ({"sizes": {"n": True}}, "sizes", "`n` must be a whole number from 0 on, not True"),
    ({"sizes": {"n": "9"}}, "sizes", "`n` must be a whole number from 0 on, not `9`"),
    ({"sizes": {"n": 2**63}}, "sizes", "`n` = 9223372036854775808 is more than any memory holds"),
    ({"sizes": {"n": 10**400}}, "sizes", "is more than any memory holds"),
    ({"sizes": [5]}, "sizes", "`sizes` is not an object"),
    ({"gpu": "h101"}, "gpu", "there is no GPU `h101`: did you mean `h100`?"),
    ({"gpu": "/etc/passwd.toml"}, "gpu", "there is no GPU `/etc/passwd.toml`"),
    ({"gpu": 5}, "gpu", "there is no GPU 5: known are 8800gtx, a100,"),
    ({"cpu": "z80"}, "cpu", "there is no CPU `z80`: known are desktop, server"),
    ({"block": [64, 32]}, "block", "a block of 2048 threads is too large: the A100 SXM4 40 GB allows 1024"),
    ({"block": [8, 8, 8]}, "block", "threads lie along 2 loops here: a block has 2 extents"),
    ({"block": [0]}, "block", "a block is one to three whole numbers from 1 on, not [0]"),
    ({"block": []}, "block", "a block is one to three whole numbers from 1 on"),
    ({"block": "32x8"}, "block", "a block is one to three whole numbers from 1 on, not `32x8`"),
    ({"workPerThread": 7}, "workPerThread", "a thread of this loop can have 1, 2, 3, 4, 6, 8,"),
    ({"workPerThread": "4"}, "workPerThread", "outputs per thread are a whole number from 1 on, not `4`"),
    ({"shared": ["z"]}, "shared", "there is no array `z` in this loop, its arrays are `a`, `b`, `c`"),
    (
        {"shared": ["c"]},
        "shared",
        "`c` is written in the loop: only arrays that it just reads can be staged, and those",
    ),
    ({"shared": "a"}, "shared", "`shared` is a list of at most 100 arrays' names, not `a`"),
    ({"shared": ["a"] * 5000}, "shared", "`shared` is a list of at most 100 arrays' names"),
    ({"data": "warm"}, "data", "`data` is `cold` (on the host before and after) or `resident`, not `warm`"),
    ({"kernel": 3, "block": [32, 4]}, "kernel", "there is no kernel 3 here, only kernel 0"),
    ({"blok": [32]}, "", "`blok` can't be changed: what can be is sizes, gpu,"),
    ("n=5", "", "`changes` is not an object"),
)


@pytest.mark.asyncio
async def test_what_is_asked_wrongly_is_said_and_the_rest_is_applied(start) -> None:
    editor = await start()
    uri = editor.open("f.c", SOURCE)
    await editor.diagnostics(uri)
    for changes, change, message in WRONG:
        answer = await ask(editor, uri, changes)
        ((named, said),) = problems(answer)
        assert named == change
        assert message in said, said
        assert len(said) < 250
        assert answer["result"] is not None
    both = await ask(editor, uri, {"sizes": {"n": 2048, "q": 1}, "block": [1, 1, 65]})
    assert both["result"]["sizes"]["n"] == 2048
    assert [change for change, _ in problems(both)] == ["sizes", "block"]
    assert not [each for each in editor.shown if "rror" in each]


@pytest.mark.asyncio
async def test_where_there_is_no_nest_the_answer_says_why(start) -> None:
    editor = await start()
    uri = editor.open("f.c", SOURCE)
    await editor.diagnostics(uri)
    document = {"uri": uri}
    for params, message in (
        ({"textDocument": {"uri": editor.uri("g.c")}}, "the file is not open in this session"),
        (
            {"textDocument": document, "nest": {"function": "product", "ordinal": 5}},
            "no loop nest 5 in a function `pro",
        ),
        ({"textDocument": document, "position": {"line": 0, "character": 0}}, "no loop that was analysed stands there"),
        ({"textDocument": document, "position": {"line": -1, "character": 0}}, "names a `position` or a `nest`"),
        ({"textDocument": document, "position": "here"}, "names a `position` or a `nest`"),
        ({"textDocument": document}, "names a `position` or a `nest`"),
        ({}, "the file is not open in this session"),
        ({"textDocument": 5, "nest": 7}, "the file is not open in this session"),
        (
            {"textDocument": document, "nest": {"function": ["product"]}},
            "no loop nest None in a function `['product']`",
        ),
    ):
        answer = await editor.ask("warplens/whatIf", params)
        assert (answer["result"], answer["base"], answer["choices"], answer["nest"]) == (None, None, None, None)
        ((change, said),) = problems(answer)
        assert change == ""
        assert message in said
    await takes_names_that_python_keeps_for_itself(editor)


async def takes_names_that_python_keeps_for_itself(editor: Any) -> None:
    text = "void f(int in, int _m, float *x) { for (int i = 0; i < in + _m; i++) x[i] = 0; }\n"
    uri = editor.open("h.c", text)
    await editor.diagnostics(uri)
    params = {"textDocument": {"uri": uri}, "nest": {"function": "f", "ordinal": 0}}
    answer = await editor.ask("warplens/whatIf", {**params, "changes": {"sizes": {"in": 5, "_m": 7}}})
    assert answer["problems"] == []
    asked = await ask(editor, uri, {"sizes": {"in": 5, "_m": 7}}, nest={"function": "f", "ordinal": 0})
    assert asked["result"]["sizes"] == {"in": 5, "_m": 7}


@pytest.mark.asyncio
async def test_an_edited_loop_is_refused_until_it_is_analysed_again(start) -> None:
    editor = await start()
    uri = editor.open("f.c", SOURCE)
    await editor.diagnostics(uri)
    editor.edit(uri, "2 * y", "3 * y")
    other = await ask(editor, uri)  # of another function
    assert other["result"] is not None
    for place in ({"nest": {"function": "scale", "ordinal": 0}}, {"nest": 0, "position": {"line": 3, "character": 4}}):
        with pytest.raises(JsonRpcException) as edited:
            await ask(editor, uri, **place)
        assert edited.value.code == types.LSPErrorCodes.ContentModified.value
    for other_version in (1, [2]):
        with pytest.raises(JsonRpcException) as version:
            await ask(editor, uri, textDocument={"uri": uri, "version": other_version})
        assert version.value.code == types.LSPErrorCodes.ContentModified.value
    await editor.saved(uri)
    again = await ask(editor, uri, nest={"function": "scale", "ordinal": 0})
    assert again["result"] is not None


async def code_of(request: Any) -> int:
    try:
        await request
    except JsonRpcException as error:
        return error.code
    return 0


@pytest.mark.asyncio
async def test_a_newer_question_of_a_panel_takes_the_place_of_one_that_waits(start) -> None:
    editor = await start()
    uri = editor.open("f.c", SOURCE)
    await editor.diagnostics(uri)
    process = (await editor.ask("warplens/status"))["analysisProcessId"]
    asked = [ask(editor, uri, {"sizes": {"n": 1000 + n}}, panel="one") for n in range(20)]
    other = [ask(editor, uri, {"sizes": {"n": 2000 + n}}) for n in range(3)]
    codes = await asyncio.gather(*map(code_of, [*asked, *other]))
    superseded = types.LSPErrorCodes.ServerCancelled.value
    assert codes[19:] == [0, 0, 0, 0]
    assert set(codes[:19]) <= {0, superseded}
    assert codes[:19].count(superseded) >= 15
    assert (await editor.ask("warplens/status"))["analysisProcessId"] == process


@pytest.mark.asyncio
async def test_cancelled_questions_end_neither_an_analysis_nor_its_process(start) -> None:
    editor = await start()
    uri = editor.open("f.c", SOURCE)
    await editor.diagnostics(uri)
    process = (await editor.ask("warplens/status"))["analysisProcessId"]
    editor.edit(uri, "x[i] = 2 *", "x[i] = 3 *")
    seen = len(editor.published)
    editor.save(uri)
    params = {"textDocument": {"uri": uri}, "nest": PRODUCT}
    asked = []
    for number in range(30):
        changes = {"sizes": {"n": 3000 + number}}
        asked.append(
            editor.client.protocol.send_request("warplens/whatIf", {**params, "changes": changes}, msg_id=f"w{number}")
        )
        if number % 3 == 0:
            await asyncio.sleep(0.01)
        editor.client.cancel_request(types.CancelParams(f"w{number}"))
    async with asyncio.timeout(30):
        ended = await asyncio.gather(*map(asyncio.wrap_future, asked), return_exceptions=True)
    cancelled = [each for each in ended if isinstance(each, JsonRpcException)]
    assert {each.code for each in cancelled} <= {types.LSPErrorCodes.RequestCancelled.value}
    assert len(cancelled) >= 20
    await editor.diagnostics(uri, seen)
    assert (await ask(editor, uri, {"sizes": {"n": 5000}}))["result"]["sizes"]["n"] == 5000
    assert (await editor.ask("warplens/status"))["analysisProcessId"] == process
