"""Input that is wrong in every way: a note at the right place, the rest analysed, the server alive."""

import pytest

LOOP = "void f(int n, float *x) {\n  for (int i = 0; i < n; i++)\n    x[i] = 0;\n}\n"
DEEP = "int deep(int a) { return " + "(" * 10_000 + "a" + ")" * 10_000 + "; }\n"


RUBBISH = {
    "empty": "",
    "prose": "This is a letter, not C. It's got quotes \" and ' too.\n",
    "half-typed": "int half(int n) { for (int i = 0; i < n; i++) { if (",
    "unbalanced": "void g(void) { } }}}} )))\n",
    "include": "#include <no_such_header.h>\n",
    "nul": "int a\0;\n",
    "if": "#if 1\nint unfinished;\n",
    "quote": '#define LOOP "unterminated\n',
    "binary": "\ud83d".encode("utf-16", "surrogatepass").decode("utf-16", "replace") + "\x00\x01\x02\n",
    "deep": DEEP,
}


@pytest.mark.asyncio
async def test_no_rubbish_ends_the_server(start) -> None:
    editor = await start()
    for name, rubbish in RUBBISH.items():
        await editor.diagnostics(editor.open(f"{name}.c", rubbish))
        good = editor.open(f"behind {name}.c", LOOP)
        await editor.diagnostics(good)
        assert len(await editor.lenses(good)) == 1, name


BEFORE = {
    "token": "@@@ not C;\n",
    "include": "#include <no_such_header.h>\n",
    "struct": "typedef struct { int x } broken;\n",
    "deep": DEEP,
    "nul": "int t[] = {1, 2\0, 3};\n",
}


@pytest.mark.asyncio
async def test_the_rest_of_the_file_is_analysed(start) -> None:
    editor = await start()
    for name, before in BEFORE.items():
        uri = editor.open(f"{name}.c", before + LOOP)
        await editor.diagnostics(uri)
        assert len(await editor.lenses(uri)) == 1, name


@pytest.mark.asyncio
async def test_a_missing_include_is_said_at_its_line(start) -> None:
    editor = await start()
    uri = editor.open("f.c", "\n\n#include <no_such_header.h>\n" + LOOP)
    (note,) = [d for d in await editor.diagnostics(uri) if "no_such_header.h" in d.message]
    assert note.range.start.line == 2


@pytest.mark.asyncio
async def test_line_ends_and_tabs_don_t_move_anything(start) -> None:
    editor = await start()
    uri = editor.open("f.c", "\r\n\r\n" + LOOP.replace("\n", "\r\n").replace("  for", "\tfor"))
    await editor.diagnostics(uri)
    (lens,) = await editor.lenses(uri)
    assert (lens.range.start.line, lens.range.start.character) == (3, 1)


@pytest.mark.asyncio
async def test_five_megabytes_of_tables(start) -> None:
    editor = await start(settings={"analysisTimeLimitSeconds": 60})
    table = "const int table[] = {\n" + "0x12345678, 0x9abcdef0, 1, 2, 3,\n" * 150_000 + "};\n"
    uri = editor.open("f.c", table + LOOP)
    await editor.diagnostics(uri)
    assert len(await editor.lenses(uri)) == 1
