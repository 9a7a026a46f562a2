"""Messages that are switched off from the editor, by level of noise, for a loop, for a folder."""

import pytest
from lsprotocol import types

SOURCE = """void f(double (*restrict a)[32768], double (*restrict b)[8192]) {
  for (int i = 0; i < 8192; i++)
    for (int j = 0; j < 8192; j++)
      b[j][i] = a[j][4 * i];
}
void tiny(float *restrict x) {
  for (int k = 0; k < 64; k++)
    x[k] *= 2;
}
"""


def codes(diagnostics: list[types.Diagnostic]) -> list[str]:
    return [str(each.code) for each in diagnostics]


def titled(actions: list[types.CodeAction], title: str) -> types.CodeAction:
    (action,) = [action for action in actions if action.title.startswith(title)]
    return action


@pytest.mark.asyncio
async def test_a_loop_too_small_is_silent_and_its_hover_says_why(start) -> None:
    editor = await start()
    uri = editor.open("f.c", SOURCE)
    shown = await editor.diagnostics(uri)
    tiny = SOURCE.splitlines().index("  for (int k = 0; k < 64; k++)")
    assert shown
    assert all(each.range.start.line < tiny for each in shown)
    assert [lens.range.start.line for lens in await editor.lenses(uri)] == [1]
    assert all(hint.position.line < tiny for hint in await editor.hints(uri))
    hover = await editor.hover(uri, "for (int k")
    assert "worthwhileMicroseconds" in hover
    loud = await start(settings={"noise": "all"})
    uri = loud.open("f.c", SOURCE)
    assert await loud.diagnostics(uri)
    assert len(await loud.lenses(uri)) == 2
    assert "worthwhileMicroseconds" not in await loud.hover(uri, "for (int k")


@pytest.mark.asyncio
async def test_a_rule_is_switched_off_for_a_loop_by_a_quick_fix(start) -> None:
    editor = await start()
    uri = editor.open("f.c", SOURCE)
    before = codes(await editor.diagnostics(uri))
    assert before.count("WL201") == 1
    await editor.apply(uri, titled(await editor.actions(uri, "a[j][4 * i]"), "Switch WL201 off for this loop"))
    lines = editor.texts[uri].splitlines()
    assert lines[lines.index("    for (int j = 0; j < 8192; j++)") - 1] == "    // warplens: off WL201"
    assert codes(await editor.saved(uri)) == [code for code in before if code != "WL201"]
    editor.edit(uri, "off WL201", "off WL210")
    shown = await editor.saved(uri)
    assert "WL201" in codes(shown)
    (note,) = [each for each in shown if each.code == "input"]
    assert note.severity == types.DiagnosticSeverity.Information
    assert "did you mean WL2" in note.message


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "content", [None, '# ours\ngpu = "v100"\n\n[sizes]\nn = 8\n', 'disabled_rules = [\n  "WL301",\n]\n']
)
async def test_a_rule_is_switched_off_in_the_folders_file(start, tmp_path, content: str | None) -> None:
    path = tmp_path / ".warplens.toml"
    if content is not None:
        path.write_text(content)
    editor = await start()
    uri = editor.open("f.c", SOURCE)
    before = codes(await editor.diagnostics(uri))
    title = f"Switch WL201 off in {tmp_path.name}/.warplens.toml"
    await editor.apply(uri, titled(await editor.actions(uri, "a[j][4 * i]"), title))
    text = path.read_text()
    assert [line for line in (content or "").splitlines() if line and line not in text] == []
    # The message of the hotspot stands where that of its remedy is off.
    left = [code for code in codes(await editor.saved(uri)) if code != "WL202"]
    assert left == [code for code in before if code != "WL201"]


@pytest.mark.asyncio
async def test_a_file_that_is_no_toml_is_not_changed(start, tmp_path) -> None:
    (tmp_path / ".warplens.toml").write_text("gpu = \n")
    editor = await start()
    uri = editor.open("f.c", SOURCE)
    await editor.diagnostics(uri)
    action = titled(await editor.actions(uri, "a[j][4 * i]"), "Switch WL201 off in ")
    with pytest.raises(Exception, match=r"\.warplens\.toml can't be changed"):
        await editor.apply(uri, action)
    assert (tmp_path / ".warplens.toml").read_text() == "gpu = \n"


@pytest.mark.asyncio
@pytest.mark.parametrize(("disabled", "shown"), [([], ["analysis-ended"]), (["analysis-ended"], [])])
async def test_that_an_analysis_ended_can_be_switched_off(start, disabled: list[str], shown: list[str]) -> None:
    editor = await start(settings={"disabledRules": disabled, "analysisTimeLimitSeconds": 0.001})
    assert codes(await editor.diagnostics(editor.open("f.c", SOURCE))) == shown
