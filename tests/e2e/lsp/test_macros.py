"""Loops written in macros: shown at the use, with the place of the definition."""

import pytest

HEADER = "#define SIZE 512\n\n#define BoxLoop(i, n) \\\n    for (int i = 1; i < (n); i++)\n"
SOURCE = """#include "box.h"
#define LAST(k) x[(k) - 1]
void prefix(double *x)
{
    BoxLoop(i, SIZE)
        x[i] += LAST(i);
}
void copy(int n, const double *restrict x, double *restrict y)
{
    for (int j = 1; j < n; j++)
        y[j] = LAST(j);
}
"""


@pytest.mark.asyncio
async def test_a_loop_from_a_headers_macro(start) -> None:
    editor = await start(settings={"noise": "all"})
    (editor.folder / "box.h").write_text(HEADER)
    uri = editor.open("m.c", SOURCE)
    use = SOURCE.splitlines().index("    BoxLoop(i, SIZE)")
    related = [
        (r.location.uri, r.location.range.start.line, r.message)
        for d in await editor.diagnostics(uri)
        if d.range.start.line == use
        for r in d.related_information or ()
        if "macro" in r.message
    ]
    assert set(related) == {(editor.uri("box.h"), 2, "written in the macro `BoxLoop`, which is defined here")}
    hover = await editor.hover(uri, "BoxLoop")
    assert "| written in | the macro `BoxLoop`, defined at box.h:3 |" in hover
    assert "| macros | `SIZE` defined at box.h:1 |" in hover


@pytest.mark.asyncio
async def test_a_definition_in_the_file_follows_edits_before_the_next_analysis(start) -> None:
    editor = await start()
    (editor.folder / "box.h").write_text(HEADER)
    uri = editor.open("m.c", SOURCE)
    await editor.diagnostics(uri)
    assert "| written in | the macro `LAST`, defined in line 2 |" in await editor.hover(uri, "LAST(j)")
    editor.edit(uri, "#define LAST", "\n\n#define LAST")
    assert "| written in | the macro `LAST`, defined in line 4 |" in await editor.hover(uri, "LAST(j)")
    editor.edit(uri, "LAST(k) x[", "LAST(k) x [")
    assert "`LAST`, defined in line 4 |" in await editor.hover(uri, "LAST(j)")
    editor.edit(uri, "define LAST(k) x [", "define LA_ST(k) x [")
    hover = await editor.hover(uri, "LAST(j)")
    assert hover
    assert "written in" not in hover
