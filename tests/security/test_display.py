"""Names and texts of a workspace in what an editor shows: no link, no picture, no HTML, nothing hidden or reordered."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from support.wire import Wire
from warplens.server.render.card import Card, Section, as_markdown, as_plain_text
from warplens.server.render.visible_text import visible

HOSTILE = (
    "[click](command:workbench.action.terminal.new)",
    "![x](https://host/x.png)",
    "<img src=x onerror=alert(1)>",
    "<command:evil>",
    "<https://host>",
    "`[x](command:evil)`",
    "`` [x](command:evil) `",
    "a`b[x](command:evil)",
    "\\[x](command:evil)",
    "\\\\[x](command:evil)",
    "\\`[x](command:evil)\\`",
    "x\n\n# heading\n\n[y](command:evil)",
    "x\r\n\r\n<script>",
    "| a | [x](command:evil) |",
    "[x]: command:evil\n[x]",
    "[x][y]\n\n[y]: command:evil",
    "&#91;x](command:evil)",
    "*_~`",
    "a\u202ebcd\u202c\u2066\u200b\ufeff\0\x1b[31m\x9b",
    "\ud800",
    "``` \n<b>\n```",
)
HIDDEN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")


def parsed(markdown: str) -> list[Token]:
    """Every token, inner ones too, as editors with tables and HTML read it."""
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(markdown)
    return [inner for token in tokens for inner in (token, *(token.children or ()))]


def suspicious(markdown: str) -> list[str]:
    kinds = ("link_open", "image", "html_inline", "html_block", "heading_open", "fence", "code_block")
    return [f"{token.type} {token.attrs} {token.content}" for token in parsed(markdown) if token.type in kinds]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_a_card_becomes_markup(text: str) -> None:
    rows = (("name", text), (text, "value"), ("two", f"{text}|{text}"))
    card = Card(text, rows, (Section(text, (text, f"{text} {text}"), (("a", "b"), (text, text))),), text)
    assert suspicious(as_markdown(card)) == []
    for shown in (as_markdown(card), as_plain_text(card)):
        assert not HIDDEN.search(shown)
        shown.encode()


def test_what_is_hidden_is_shown_as_an_escape_and_all_else_is_kept() -> None:
    assert visible("a\u202eb") == "a\\u202eb"
    assert visible("\0\x9b\ud800") == "\\x00\\x9b\\ud800"
    kept = "größe ∀ العربية 한국어 \U0001f600 a\tb\nc"
    assert visible(kept) == kept


def test_every_text_that_the_server_sends_of_a_hostile_file_is_harmless(tmp_path: Path) -> None:
    """A header's name, a macro's place, an error's text and a comment are the workspace's to choose."""
    folder = tmp_path / "a [x](command:evil) `b` \u202e"
    folder.mkdir()
    header = "`[x](command:evil)` <img src=x> \u202e.h"
    (folder / header).write_text("#define SIZE 1024\n#define BODY(i) x[i] = 2\n")
    text = (
        f'#include "{header}"\n#include "gone \u202e [x](command:evil).h"\n#error [x](command:evil) \u202e \u200b\n'
        "// warplens: n = [x](command:evil) \u202e\n// warplens: größe\u202e = 5\n"
        "void f(int n, double *x) {\n  for (int i = 0; i < SIZE; i++)\n    BODY(i);\n}\n"
        'void g(int n, double *x) { for (int i = 0; i < n; i++) asm("\u202e [x](command:evil)"); }\n'
    )
    with Wire(folder) as wire:
        wire.initialize(options={"commands": ["warplens.previewFix"]})
        uri = wire.open("main \u202e `c`.c", text)
        diagnostics = wire.diagnostics(uri)
        assert any("\\u202e" in each["message"] for each in diagnostics)
        hover = wire.hover(uri, 6, 3)
        assert "SIZE" in hover
        for link in [each for each in suspicious(hover) if not each.startswith("image {'src': 'data:image/svg+xml")]:
            assert link.startswith("link_open {'href': 'command:warplens.previewFix?"), link
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 20, "character": 0}}
        asked = {"textDocument": {"uri": uri}, "range": whole, "context": {"diagnostics": []}}
        actions = wire.request("textDocument/codeAction", asked)["result"]
        assert actions
        titles = [each["title"] for each in actions] + [each.get("disabled", {}).get("reason", "") for each in actions]
        shown = [
            hover,
            *titles,
            *(lens["command"]["title"] for lens in wire.lenses(uri)),
            *messages(diagnostics),
            *wire.shown,
        ]
        assert [each for each in shown if HIDDEN.search(each)] == []


def messages(diagnostics: list[dict[str, Any]]) -> list[str]:
    related = [each for diagnostic in diagnostics for each in diagnostic.get("relatedInformation") or ()]
    return [each["message"] for each in (*diagnostics, *related)]
