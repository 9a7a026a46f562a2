"""A person opens, reads, edits and saves C: everything the editor shows on the way."""

import asyncio
import re
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest
from lsprotocol import types
from support.fix_fixtures.unbroken import unbroken

EXAMPLES = Path(__file__).parents[3] / "examples"
MATMUL = """\
#include <math.h>

void scale(int n, float *restrict x)
{
    for (int i = 0; i < n; i++)
        x[i] = 2.0f * x[i];
}

void matmul(int n, const float *restrict a, const float *restrict b, float *restrict c)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0.0f;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}

void prefix(int n, float *restrict x)
{
    for (int i = 1; i < n; i++)
        x[i] += x[i - 1];
}
"""


@pytest.mark.asyncio
async def test_open_shows_diagnostics_below_errors_with_pages(start) -> None:
    editor = await start()
    uri = editor.open("m.c", MATMUL)
    diagnostics = await editor.diagnostics(uri)
    assert diagnostics
    for diagnostic in diagnostics:
        assert diagnostic.source == "warplens"
        assert diagnostic.severity != types.DiagnosticSeverity.Error
        if str(diagnostic.code).startswith("WL"):
            assert diagnostic.code_description is not None
            page = Path(unquote(urlparse(diagnostic.code_description.href).path))
            assert page.name == f"{diagnostic.code}.md"


@pytest.mark.asyncio
async def test_a_carried_dependence_names_both_places(start) -> None:
    editor = await start()
    uri = editor.open("m.c", MATMUL)
    carried = [d for d in await editor.diagnostics(uri) if d.related_information and "x" in d.message]
    lines = {r.location.range.start.line for d in carried for r in d.related_information or ()}
    assert MATMUL.splitlines().index("        x[i] += x[i - 1];") in lines


@pytest.mark.asyncio
async def test_lenses_stand_above_each_nest(start) -> None:
    editor = await start()
    uri = editor.open("m.c", MATMUL)
    await editor.diagnostics(uri)
    lenses = await editor.lenses(uri)
    assert [lens.range.start.line for lens in lenses] == [4, 10, 21]
    titles = [lens.command.title for lens in lenses if lens.command]
    speedup = r"[\d. ]+x( slower)?"
    for title in titles[:2]:
        assert re.fullmatch(
            rf"GPU {speedup}( \(copies: {speedup}\))?( · [\dx]+)? · n\?( from [\d ]+| any| never)?", title
        ), title
    assert titles[2].startswith("not parallel")


@pytest.mark.asyncio
async def test_hover_on_a_header_has_prediction_reasons_and_assumptions(start) -> None:
    editor = await start()
    uri = editor.open("m.c", MATMUL)
    await editor.diagnostics(uri)
    hover = await editor.hover(uri, "for (int i", 1)
    assert hover is not None
    assert hover.startswith("**Worth porting")
    for word in ("(as it is)", "with copies", "along `j` and `i`", "`n` = 1024 (a guess)", "iterations (`n`)"):
        assert word in hover
    inner = await editor.hover(uri, "for (int k")
    assert inner is not None
    assert "runs it from start to end" in inner


@pytest.mark.asyncio
async def test_hover_on_an_access_and_on_a_statement(start) -> None:
    editor = await start()
    uri = editor.open("m.c", MATMUL)
    await editor.diagnostics(uri)
    access = await editor.hover(uri, "a[i * n + k]")
    assert access is not None
    for word in ("cycles", "of 32 B per", "ideal", "broadcast", "served by"):
        assert word in access
    statement = await editor.hover(uri, "sum += ")
    assert statement is not None
    assert "instructions" in statement
    assert await editor.hover(uri, "#include") is None


@pytest.mark.asyncio
async def test_a_client_without_markdown_gets_plain_text(start) -> None:
    editor = await start(formats=[types.MarkupKind.PlainText])
    uri = editor.open("m.c", MATMUL)
    await editor.diagnostics(uri)
    hover = await editor.hover(uri, "for (int i", 1)
    assert hover is not None
    assert hover.startswith("Worth porting")
    assert "**" not in hover
    assert "|" not in hover


@pytest.mark.asyncio
async def test_the_inserted_pragma_compiles_and_stays_once(start, tmp_path: Path) -> None:
    editor = await start()
    uri = editor.open("m.c", MATMUL)
    await editor.diagnostics(uri)
    action = next(a for a in await editor.actions(uri, "for (int i", 1) if "OpenMP" in a.title)
    assert action.edit is None
    assert len(action.title) < 130
    await editor.apply(uri, action)
    text = editor.texts[uri]
    lines = unbroken(text).splitlines()
    pragma = next(line for line in lines if "#pragma omp target" in line)
    assert "collapse(2)" in pragma
    assert "map(" in pragma
    assert lines.index(pragma) + 1 == lines.index("    for (int i = 0; i < n; i++)", 9)
    (tmp_path / "ported.c").write_text(text)
    command = ["gcc", "-fopenmp", "-O1", "-Wall", "-Werror", "-c", "ported.c", "-o", "ported.o"]
    compiler = await asyncio.create_subprocess_exec(*command, cwd=tmp_path)
    assert await compiler.wait() == 0
    await editor.saved(uri)
    again = [a for a in await editor.actions(uri, "for (int i", 1) if "OpenMP" in a.title]
    assert all(a.disabled for a in again)


@pytest.mark.asyncio
@pytest.mark.parametrize("example", sorted(path.name for path in EXAMPLES.glob("*.c")))
async def test_every_directive_offered_for_the_examples_compiles(start, example: str, tmp_path: Path) -> None:
    editor = await start()
    text = (EXAMPLES / example).read_text()
    uri = editor.open(example, text)
    await editor.diagnostics(uri)
    count = 0
    for lens in reversed(await editor.lenses(uri)):
        here = types.Range(lens.range.start, lens.range.start)
        for action in await editor.actions_in(uri, here):
            if "OpenMP" in action.title and not action.disabled:
                before = editor.texts[uri]
                await editor.apply(uri, action)
                count += 1
                (tmp_path / "ported.c").write_text(editor.texts[uri])
                editor.replace(uri, before)
                await editor.saved(uri)
                command = ["gcc", "-fopenmp", "-fsyntax-only", "-Wall", "-Werror", "ported.c"]
                assert await (await asyncio.create_subprocess_exec(*command, cwd=tmp_path)).wait() == 0, action.title
    assert count


@pytest.mark.asyncio
async def test_a_refused_directive_is_shown_with_its_reason_or_not_at_all(start) -> None:
    source = "void f(int n, float *x) {\n  for (int i = n; i--;)\n    x[i] = 1;\n}\n"
    macro = "#define EACH(i) for (int i = 0; i < n; i++)\nvoid g(int n, float *restrict x) {\n  EACH(k) x[k] = 1;\n}\n"
    offers = []
    for client in ("visual-studio-code", "emacs"):
        editor = await start(client=client)
        uri = editor.open("f.c", macro + source)
        await editor.diagnostics(uri)
        offers.append([a for a in await editor.actions(uri, "EACH(k)") if "OpenMP" in a.title])
    (shown,), hidden = offers
    assert "macro" in shown.disabled.reason
    assert hidden == []


@pytest.mark.asyncio
async def test_a_size_is_inserted_with_the_line_s_indent_and_the_file_s_line_ends(start) -> None:
    editor = await start()
    uri = editor.open("f.c", "void f(int n, float *x) {\r\n\tfor (int i = 0; i < n; i++)\r\n\t\tx[i] = 0;\r\n}\r\n")
    await editor.diagnostics(uri)
    action = next(a for a in await editor.actions(uri, "for (") if "`n`" in a.title)
    await editor.apply(uri, action)
    assert editor.texts[uri].startswith("void f(int n, float *x) {\r\n\t// warplens: n = 1024\r\n\tfor (")


@pytest.mark.asyncio
async def test_a_menu_of_one_kind_gets_that_kind_and_what_is_below_it(start) -> None:
    editor = await start()
    uri = editor.open("m.c", MATMUL)
    await editor.diagnostics(uri)
    for only, kinds in {
        "quickfix": {"quickfix"},
        "refactor": {"refactor.rewrite"},
        "refactor.rewrite": {"refactor.rewrite"},
        "refactor.rew": set(),
        "refactor.inline": set(),
        "": {"quickfix", "refactor.rewrite"},
    }.items():
        offered = await editor.actions(uri, "for (int i", 1, [only])
        assert {types.CodeActionKind(a.kind).value for a in offered} == kinds, only


@pytest.mark.asyncio
async def test_setting_a_size_takes_the_assumption_away(start) -> None:
    editor = await start()
    uri = editor.open("m.c", MATMUL)
    await editor.diagnostics(uri)
    action = next(a for a in await editor.actions(uri, "for (int i", 1) if "`n`" in a.title)
    await editor.apply(uri, action)
    assert "    // warplens: n = 1024\n    for" in editor.texts[uri]
    editor.edit(uri, "n = 1024", "n = 2048")
    await editor.saved(uri)
    hover = await editor.hover(uri, "for (int i", 1)
    assert hover is not None
    assert "`n` = 2048 (your comment)" in hover
    assert not [a for a in await editor.actions(uri, "for (int i", 1) if "`n`" in a.title]


@pytest.mark.asyncio
async def test_only_the_changed_nest_is_analysed_again(start) -> None:
    editor = await start(settings={"analyseWhileTyping": True})  # nothing is prepared: the save does all of the work
    uri = editor.open("m.c", MATMUL)
    await editor.diagnostics(uri)

    async def counts() -> tuple[int, int, int]:
        (document,) = (await editor.ask("warplens/status"))["documents"]
        return document["declarationsParsed"], document["nestsAnalysed"], document["nestsEvaluated"]

    assert (await counts())[1:] == (3, 3)
    editor.edit(uri, "2.0f * x[i]", "3.0f * x[i]")
    await editor.saved(uri)
    assert await counts() == (1, 1, 1)
    editor.edit(uri, "#include <math.h>\n", "#include <math.h>\n\n/* moved down */\n")
    await editor.saved(uri)
    assert await counts() == (0, 0, 0)


@pytest.mark.asyncio
async def test_typing_moves_what_is_below_and_drops_the_edited_function(start) -> None:
    editor = await start(settings={"noise": "all"})
    uri = editor.open("m.c", MATMUL)
    await editor.diagnostics(uri)
    seen = len(editor.published)
    editor.edit(uri, "void matmul", "\n\nvoid matmul")
    moved = await editor.diagnostics(uri, seen)
    assert [lens.range.start.line for lens in await editor.lenses(uri)] == [4, 12, 23]
    seen = len(editor.published)
    editor.edit(uri, "sum += a", "sum -= a")
    left = await editor.diagnostics(uri, seen)
    assert [lens.range.start.line for lens in await editor.lenses(uri)] == [4, 23]
    assert all(not 10 < d.range.start.line < 20 for d in left)
    assert len(left) < len(moved)


@pytest.mark.asyncio
async def test_analysing_while_typing_is_opt_in(start) -> None:
    editor = await start(settings={"analyseWhileTyping": True})
    uri = editor.open("m.c", MATMUL)
    await editor.diagnostics(uri)
    editor.edit(uri, "2.0f * x[i]", "3.0f * x[i]")
    seen = len(editor.published)
    await editor.diagnostics(uri, seen + 1)
    assert [lens.range.start.line for lens in await editor.lenses(uri)] == [4, 10, 21]


@pytest.mark.asyncio
async def test_closing_takes_everything_back(start) -> None:
    editor = await start()
    uri = editor.open("m.c", MATMUL)
    await editor.diagnostics(uri)
    seen = len(editor.published)
    identifier = types.TextDocumentIdentifier(uri)
    editor.client.text_document_did_close(types.DidCloseTextDocumentParams(identifier))
    assert await editor.lenses(uri) == []
    assert list(editor.published[seen].diagnostics) == []


@pytest.mark.asyncio
@pytest.mark.parametrize("encoding", list(types.PositionEncodingKind))
async def test_positions_in_every_encoding(start, encoding: types.PositionEncodingKind) -> None:
    editor = await start(encodings=[encoding])
    text = "void f(int n, float *x) {\n/* 😀é */ for (int i = 0; i < n; i++) x[i] = 0;\n}\n"
    uri = editor.open("u.c", text)
    await editor.diagnostics(uri)
    (lens,) = await editor.lenses(uri)
    line = text.splitlines()[1]
    codec, unit = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}[encoding.value]
    assert lens.range.start.character == len(line[: line.index("for")].encode(codec)) // unit


@pytest.mark.asyncio
async def test_pictures_stand_only_in_the_hovers_of_a_client_that_shows_images(start) -> None:
    for options, expected in (({}, 0), ({"images": "dark"}, 1), ({"images": {"not": "a theme"}}, 0)):
        editor = await start(options=options)
        uri = editor.open("f.c", MATMUL)
        await editor.diagnostics(uri)
        assert (await editor.hover(uri, "for (", 1)).count("![What would help") == expected
    pictures = re.compile(r"data:image[^)]*")
    editor = await start(options={"images": "light"})
    uri = editor.open("f.c", MATMUL)
    await editor.diagnostics(uri)
    light = pictures.findall(await editor.hover(uri, "for (", 1))[0]
    editor.client.protocol.notify("warplens/images", {"theme": "dark"})
    assert pictures.findall(await editor.hover(uri, "for (", 1))[0] != light
