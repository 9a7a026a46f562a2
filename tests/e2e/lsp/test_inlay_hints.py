"""What stands in the lines: quiet by default, in full on request."""

import pytest
from lsprotocol import types

SOURCE = """\
void turn(int n, const float *restrict in, float *restrict out)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[j * n + i] = in[i * n + j];
}

void prefix(int n, float *restrict the_x)
{
    // warplens: n = 1000000
    for (int i = 1; i < n; i++)
        the_x[i] += the_x[i - 1];
}

void few(float *restrict x)
{
    for (int i = 1; i < 4; i++)
        x[i] += x[i - 1];
}

void both(int n, const float *restrict in, float *restrict out)
{
    turn(n, in, out);
    for (int step = 0; step < 10; step++)
        turn(n, in, out);
}
"""


def hears_refreshes(capabilities: types.ClientCapabilities) -> None:
    assert capabilities.workspace
    capabilities.workspace.inlay_hint = types.InlayHintWorkspaceClientCapabilities(refresh_support=True)


def shown(text: str, hints: list[types.InlayHint]) -> list[str]:
    """The lines with hints, as an editor shows them, less their indentation."""
    lines = text.splitlines()
    places: dict[int, list[types.InlayHint]] = {}
    for hint in hints:
        places.setdefault(hint.position.line, []).append(hint)
    for number, of_line in places.items():
        for hint in sorted(of_line, key=lambda h: -h.position.character):
            at = hint.position.character
            lines[number] = f"{lines[number][:at]} «{hint.label}»{lines[number][at:]}"
    return [lines[number].strip() for number in sorted(places)]


@pytest.mark.asyncio
async def test_a_nest_has_one_hint_and_a_loop_that_is_no_work_none(start) -> None:
    editor = await start()
    uri = editor.open("f.c", SOURCE)
    hints = await editor.hints(uri)  # this client does not listen: it is answered when there is something to say
    hot, sequential, called = shown(SOURCE, hints)
    assert "[" in hot
    assert "] «hotspot: " in hot
    assert " % of time»" in hot
    assert sequential == "for (int i = 1; i < n; i++) «sequential: needs the_x of iteration i - 1»"
    assert called.startswith("turn(n, in, out) «hotspot: ")
    for hint in hints:
        assert isinstance(hint.tooltip, types.MarkupContent)
        assert hint.tooltip.kind == types.MarkupKind.Markdown
    assert "the\\_x" in hints[1].tooltip.value
    await editor.ask("warplens/status")
    assert "hints" not in editor.refreshed


@pytest.mark.asyncio
async def test_every_loop_says_where_it_goes_when_that_is_wanted_and_none_when_not(start) -> None:
    editor = await start(settings={"inlayHints": {"everyLoop": True}}, formats=[types.MarkupKind.PlainText])
    uri = editor.open("f.c", SOURCE)
    await editor.diagnostics(uri)
    everywhere = await editor.hints(uri)
    outer, inner, *_ = shown(SOURCE, everywhere)
    assert outer.startswith("for (int i = 0; i < n; i++) «threadIdx.")
    assert ", block " in outer
    assert inner.startswith("for (int j = 0; j < n; j++) «threadIdx.")
    assert "block" not in inner
    assert {outer.split("threadIdx.")[1][0], inner.split("threadIdx.")[1][0]} == {"x", "y"}
    assert all(isinstance(hint.tooltip, str) for hint in everywhere)
    places = [(hint.position.line, hint.position.character) for hint in everywhere]
    assert len(set(places)) == len(places)  # the loops of a called function stand at one place
    assert places == sorted(places)
    for first in range(SOURCE.count("\n")):
        range_ = types.Range(types.Position(first, 0), types.Position(first + first % 3, 40))
        inside = [h for h, at in zip(everywhere, places, strict=True) if (first, 0) <= at <= (first + first % 3, 40)]
        assert await editor.hints(uri, range_) == inside
    editor.client.set_configuration({"warplens": {"inlayHints": {"enabled": False, "everyLoop": True}}})
    seen = len(editor.published)
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings=None))
    await editor.diagnostics(uri, seen)
    assert await editor.hints(uri) == []


@pytest.mark.asyncio
async def test_hints_leave_an_edited_function_and_the_client_is_told_when_they_are_back(start) -> None:
    editor = await start(adjust=hears_refreshes)
    uri = editor.open("f.c", SOURCE)
    assert await editor.hints(uri) == []  # it is told later
    await editor.diagnostics(uri)
    before = await editor.hints(uri)
    editor.edit(uri, "void turn", "\n\nvoid turn")
    moved = await editor.hints(uri)
    assert [(h.position.line - 2, h.label) for h in moved] == [(h.position.line, h.label) for h in before]
    editor.edit(uri, "the_x[i] += the_x[i - 1]", "the_x[i] -= the_x[i - 1]")
    assert [h.label.split(":")[0] for h in await editor.hints(uri)] == ["hotspot", "hotspot"]
    told = len(editor.refreshed)
    await editor.saved(uri)
    await editor.ask("warplens/status")
    assert "hints" in editor.refreshed[told:]
    assert [h.label for h in await editor.hints(uri)] == [h.label for h in before]
