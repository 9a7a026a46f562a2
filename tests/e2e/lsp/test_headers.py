"""Headers in an editor, whatever language it takes them for; other files of C++ are left alone."""

import asyncio
from pathlib import Path

import pytest

LOOP = "static inline void scale(double *restrict x, int n) {\n  for (int i = 0; i < n; i++)\n    x[i * 64] *= 2;\n}\n"
MAIN = '#include "scale.h"\ndouble x[64 * 50000];\nint main(void) { scale(x, 50000); return 0; }\n'


@pytest.mark.asyncio
@pytest.mark.parametrize("language", ["c", "cpp", "c++"])
async def test_a_header_of_c_is_served(start, language: str) -> None:
    editor = await start()
    uri = editor.open("scale.h", f"// warplens: n = 1000000\n{LOOP}", language)
    assert "WL201" in [each.code for each in await editor.diagnostics(uri)]
    assert "of 32 B per" in (await editor.hover(uri, "x[i * 64]") or "")
    assert len(await editor.lenses(uri)) == 1


@pytest.mark.asyncio
async def test_of_a_header_of_cpp_nothing_is_said(start) -> None:
    editor = await start()
    text = f"#include <vector>\n#include <none.h>\n{LOOP}class A {{ void f() {{ for (;;) ; }} }};\n"
    uri = editor.open("grid.h", text, "cpp")
    assert await editor.diagnostics(uri) == []
    assert await editor.lenses(uri) == []
    (document,) = (await editor.ask("warplens/status"))["documents"]
    assert document["language"] == "C++"


@pytest.mark.asyncio
async def test_other_files_of_cpp_are_not_analysed(start) -> None:
    editor = await start()
    other = editor.open("grid.cpp", LOOP, "cpp")
    uri = editor.open("scale.h", LOOP, "cpp")
    await editor.diagnostics(uri)
    editor.edit(other, "i * 64", "i")
    editor.save(other)
    assert await editor.hover(other, "for") is None
    documents = (await editor.ask("warplens/status"))["documents"]
    assert [document["uri"] for document in documents] == [uri]
    assert other not in [each.uri for each in editor.published if each.diagnostics]


@pytest.mark.asyncio
@pytest.mark.parametrize("first", ["main.c", "scale.h"])
async def test_a_header_of_a_program_of_one_file_has_its_sizes(start, tmp_path: Path, first: str) -> None:
    texts = {"main.c": MAIN, "scale.h": LOOP}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    editor = await start()
    await editor.diagnostics(editor.open(first, texts[first]))
    uri = editor.uri("scale.h") if first == "scale.h" else editor.open("scale.h", LOOP, "cpp")
    async with asyncio.timeout(60):
        while "main.c" not in (await editor.hover(uri, "for (") or ""):  # noqa: ASYNC110 - another process reads it
            await asyncio.sleep(0.05)
    assert "`n` = 50 000" in (await editor.hover(uri, "for (") or "")
