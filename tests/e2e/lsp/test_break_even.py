"""Break-evens come behind the diagnostics: lenses and hovers have them once they are known, and keep them."""

import asyncio
import os
import re
import signal
from typing import Any

import pytest
from lsprotocol import types

TWO = """\
void scale(int n, double *restrict a, const double *restrict b)
{
    for (int i = 0; i < n; i++)
        a[i] = 2.0 * b[i];
}
void add(int m, double *restrict a, const double *restrict b)
{
    for (int j = 0; j < m; j++)
        for (int k = 0; k < m; k++)
            a[j * m + k] += b[k * m + j];
}
"""


async def status(editor) -> dict[str, Any]:
    (document,) = (await editor.ask("warplens/status"))["documents"]
    return dict(document)


async def titles(editor, uri: str) -> list[str]:
    return [lens.command.title for lens in await editor.lenses(uri) if lens.command]


@pytest.mark.asyncio
async def test_lens_and_hover_have_it_once_it_is_known_and_the_client_is_told(start) -> None:
    editor = await start()
    uri = editor.open("two.c", TWO)
    await editor.diagnostics(uri)
    await editor.settled()
    lenses = await titles(editor, uri)
    assert [re.findall(r"(\w+)\? from \d", title) for title in lenses] == [["n"], ["m"]]
    hover = await editor.hover(uri, "int j")
    assert hover is not None
    assert re.match(r"\*\*May be worth porting: faster from about `m` = \d+ if its data stays on the GPU", hover)
    async with asyncio.timeout(60), editor.arrived:
        # Once with the diagnostics and once more with the break-evens.
        while editor.refreshed.count("lenses") < 2:
            await editor.arrived.wait()


@pytest.mark.asyncio
async def test_a_nest_that_stays_the_same_keeps_it_while_another_is_edited(start) -> None:
    editor = await start()
    uri = editor.open("two.c", TWO)
    await editor.diagnostics(uri)
    await editor.settled()
    before = await titles(editor, uri)
    editor.edit(uri, "2.0 * b[i]", "2.0 * b[i] + b[i] * b[i]")
    (kept,) = await titles(editor, uri)
    assert kept == before[1]
    await editor.saved(uri)
    after = await titles(editor, uri)
    assert after[1] == before[1]
    await editor.settled()
    assert "n? from " in (await titles(editor, uri))[0]


@pytest.mark.asyncio
async def test_closing_while_they_are_sought_ends_it(start) -> None:
    editor = await start()
    uri = editor.open("two.c", TWO)
    await editor.diagnostics(uri)
    editor.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
    other = editor.open("other.c", TWO)
    await editor.diagnostics(other)
    await editor.settled()
    assert [each["uri"] for each in (await editor.ask("warplens/status"))["documents"]] == [other]


@pytest.mark.asyncio
async def test_a_process_that_dies_meanwhile_costs_nothing_but_time(start) -> None:
    editor = await start()
    uri = editor.open("two.c", TWO)
    await editor.diagnostics(uri)
    os.kill((await editor.ask("warplens/status"))["analysisProcessId"], signal.SIGKILL)
    await editor.settled()
    assert all("? from " in title for title in await titles(editor, uri))
