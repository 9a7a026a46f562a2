"""A person reads that a loop would be parallel if they promised something, takes the quick fix: the verdict changes."""

import re

import pytest
from lsprotocol import types

SOURCE = """\
void touch(int i, double *y);
double *row_of(double *image, int y);
void finish(double *image, int y, double *row);

void apply(int n, double *y)
{
    #pragma GCC ivdep
    for (int i = 0; i < n; i++)
        touch(i, y);
}

void steps(int n, int t, double *y)
{
    for (int s = 0; s < t; s++)
        for (int i = 0; i < n; i++)
            touch(i, y);
}

void rows(int n, double *image)
{
    if (n) for (int y = 0; y < n; y++) {
        double *row = row_of(image, y);
        for (int x = 0; x < n; x++) row[x] = x;
        finish(image, y, row);
    }
}
"""


def promises(actions: list[types.CodeAction]) -> list[types.CodeAction]:
    return [action for action in actions if action.title.startswith("Promise ")]


def undecided(diagnostics: list[types.Diagnostic]) -> list[int]:
    return [d.range.start.line for d in diagnostics if d.code == "WL102"]


@pytest.mark.asyncio
async def test_the_quick_fix_writes_the_promise_and_the_verdict_rests_on_it(start) -> None:
    editor = await start()
    uri = editor.open("f.c", SOURCE)
    found = await editor.diagnostics(uri)
    assert undecided(found) == [7, 13, 20]
    message = next(d.message for d in found if d.code == "WL102")
    assert message.startswith("Parallel if calls of `touch` ")
    before = await editor.hover(uri, "for (int i")
    assert "it is if you promise that" in before
    assert "`touch is independent`" in before

    (action,) = promises(await editor.actions(uri, "for (int i"))
    assert action.kind == types.CodeActionKind.QuickFix
    assert action.title == "Promise `touch is independent`: the loop is then parallel"
    assert not action.is_preferred
    await editor.apply(uri, action)
    assert "    #pragma GCC ivdep\n    // warplens: touch is independent\n    for (int i" in editor.texts[uri]
    assert undecided(await editor.saved(uri)) == [14, 21]
    after = await editor.hover(uri, "for (int i")
    assert "its iterations are" in after
    assert re.search(r"your \[?promise(\]\S*)? of `touch`", after)
    assert promises(await editor.actions(uri, "for (int i")) == []


@pytest.mark.asyncio
async def test_the_quick_fix_of_a_size_writes_the_relation(start) -> None:
    editor = await start()
    source = "void f(int n, int m, double *restrict x)\n{\n  for (int i = 0; i < n; i++)\n    x[i] = x[i + m];\n}\n"
    uri = editor.open("f.c", source)
    await editor.diagnostics(uri)
    (action,) = promises(await editor.actions(uri, "for (int i"))
    assert action.title == "Promise `m >= n`: the loop is then parallel"
    await editor.apply(uri, action)
    assert "  // warplens: m >= n\n  for (int i" in editor.texts[uri]
    assert undecided(await editor.saved(uri)) == []
    assert "of `m >= n`" in await editor.hover(uri, "for (int i")


@pytest.mark.asyncio
async def test_the_quick_fix_of_names_that_may_overlap_writes_the_statement(start) -> None:
    editor = await start()
    source = """long at(int k);
void f(int n, double *x)
{
  double *p = x + at(1), *q = x + at(2);
  for (int i = 0; i < n; i++)
    p[i] = q[i];
}
"""
    uri = editor.open("f.c", source)
    await editor.diagnostics(uri)
    (action,) = promises(await editor.actions(uri, "for (int i"))
    assert action.title == "Promise `p and q do not overlap`: the loop is then parallel"
    await editor.apply(uri, action)
    assert "  // warplens: p and q do not overlap\n  for (int i" in editor.texts[uri]
    assert undecided(await editor.saved(uri)) == []
    assert "of `p and q do not overlap`" in await editor.hover(uri, "for (int i")


@pytest.mark.asyncio
async def test_the_promise_of_an_inner_loop_stands_above_it_and_says_nothing_of_the_outer_one(start) -> None:
    editor = await start()
    uri = editor.open("f.c", SOURCE)
    await editor.diagnostics(uri)
    both = promises(await editor.actions(uri, "for (int i", occurrence=1))
    assert len(both) == 2
    (outer,) = promises(await editor.actions(uri, "for (int s"))
    inner = next(action for action in both if action.data != outer.data)
    await editor.apply(uri, inner)
    assert "s++)\n        // warplens: touch is independent\n        for (int i" in editor.texts[uri]
    assert undecided(await editor.saved(uri)) == [7, 21]
    assert "its iterations are" in await editor.hover(uri, "for (int i", 1)
    assert "starts the" in await editor.hover(uri, "for (int s")


@pytest.mark.asyncio
async def test_a_loop_behind_other_code_gets_the_comment_right_in_front(start) -> None:
    editor = await start()
    uri = editor.open("f.c", SOURCE)
    found = await editor.diagnostics(uri)
    (diagnostic,) = (d for d in found if d.code == "WL102" and d.range.start.line == 20)
    assert "`row_of` and `finish` touch or give a pointer to no memory" in diagnostic.message
    (action,) = promises(await editor.actions(uri, "for (int y"))
    assert action.title == "Promise `row_of is independent` and 1 more: the loop is then parallel"
    await editor.apply(uri, action)
    assert (
        "    if (n)\n    // warplens: row_of is independent, finish is independent\n    for (int y" in editor.texts[uri]
    )
    assert undecided(await editor.saved(uri)) == [7, 13]
    assert "without the work of `row_of` and 1 more function" in await editor.hover(uri, "for (int y")


@pytest.mark.asyncio
async def test_the_quick_fix_belongs_to_the_diagnostic_of_its_loop(start) -> None:
    editor = await start()
    uri = editor.open("f.c", SOURCE)
    found = await editor.diagnostics(uri)
    everywhere = types.Range(types.Position(0, 0), types.Position(27, 0))
    context = types.CodeActionContext(diagnostics=found, only=[types.CodeActionKind.QuickFix])
    params = types.CodeActionParams(types.TextDocumentIdentifier(uri), everywhere, context)
    offered = promises(await editor.client.text_document_code_action_async(params))
    lines = [[d.range.start.line for d in action.diagnostics or ()] for action in offered]
    assert lines == [[7], [13], [], [20]]  # the inner loop of `steps` has no diagnostic of its own


@pytest.mark.asyncio
async def test_no_port_of_a_loop_that_calls_code_of_another_file(start) -> None:
    editor = await start()
    uri = editor.open("f.c", SOURCE.replace("    #pragma GCC ivdep\n", "    // warplens: touch is independent\n"))
    await editor.diagnostics(uri)
    refused = [a for a in await editor.actions(uri, "for (int i") if a.disabled is not None]
    reasons = {action.data["code"]: action.disabled.reason for action in refused}
    assert {"openmp", "openacc", "cuda"} <= reasons.keys()
    assert reasons["openmp"] == "calls `touch`, whose code is not in this file: it must be compiled for the device"
    assert "without touch()" in (await editor.lenses(uri))[0].command.title
