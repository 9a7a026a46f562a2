"""An open document: edits applied by LSP's rules, and what an answer still says after them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types
from warplens.analysis.engine.report import Recomputed
from warplens.analysis.frontend.comments.translation_unit import Opaque
from warplens.analysis.ir.ids import LoopId, NodeId
from warplens.analysis.ir.nest import NestSpans
from warplens.analysis.text.span import Span
from warplens.server.lsp.places import header_span
from warplens.server.lsp.positions import PositionMap
from warplens.server.session.documents import Document
from warplens.server.worker.job import Answer, Edit, FunctionAnswer, NestAnswer, after_edit

TEXT = "int x;\nvoid f(void) { for (;;) ; }\nvoid g(void) { for (;;) ; }\n"


def function(name: str) -> FunctionAnswer:
    start = TEXT.index(f"void {name}")
    end = TEXT.index("}", start) + 1
    header = TEXT.index("for", start) - start
    spans = NestSpans(start, ((NodeId(0), Span(header, header + 8)),), ((NodeId(0), Span(header, header + 10)),), ())
    return FunctionAnswer(
        name, Span(start, end), (NestAnswer(LoopId(name, 0), spans, (), "", "lens", b""),), has_one_nest=True
    )


ANSWER = Answer(
    functions=(function("f"), function("g")), opaque=(Opaque("why", Span(0, 6)),), problems=(), directives=(),
    config_problems=(), gpu="a100", cpu="server", preprocessor="cc", loops_in_text=2, loops_found=2,
    recomputed=Recomputed(0, 0, 0),
)  # fmt: skip


def document(text: str = TEXT) -> Document:
    return Document("file:///f.c", "/f.c", 1, PositionMap(text), "utf-16", ANSWER)


def insert(line: int, character: int, text: str, length: int = 0) -> types.TextDocumentContentChangePartial:
    start = types.Position(line, character)
    return types.TextDocumentContentChangePartial(types.Range(start, types.Position(line, character + length)), text)


def shown(doc: Document) -> list[str]:
    assert doc.answer is not None
    found = []
    for each in doc.answer.functions:
        header = header_span(each.nests[0].spans, NodeId(0))
        assert header is not None
        assert doc.text[header.start : header.end] == "for (;;)"
        found.append(each.name)
    return found


def test_it_is_known_what_was_edited_since_the_analysis() -> None:
    doc = document()
    doc.change(2, [insert(1, 0, "\n\n  \n"), insert(4, 15, "int y;"), insert(4, 20, "z")])
    assert doc.answer is not None
    ((name, span),) = doc.answer.edited
    assert (name, doc.text[span.start : span.end]) == ("f", "void f(void) { int yz;for (;;) ; }")
    assert not doc.answer.is_edited_outside
    doc.change(3, [insert(0, 5, "y")])
    assert doc.answer.is_edited_outside
    assert shown(doc) == ["g"]


def test_an_empty_line_behind_a_continued_one_is_an_edit() -> None:
    line = "#x y \\\n"
    doc = document(line + TEXT[len(line) :])
    doc.change(2, [insert(1, 0, "\n")])
    assert doc.answer is not None
    assert doc.answer.is_edited_outside


def test_an_edit_above_moves_what_is_below() -> None:
    doc = document()
    assert doc.change(2, [insert(0, 0, "\n\n// new\n")])
    assert shown(doc) == ["f", "g"]


def test_an_edit_in_a_function_drops_it_alone() -> None:
    doc = document()
    assert doc.change(2, [insert(1, 15, "x = 1; ")])
    assert shown(doc) == ["g"]


def test_an_insertion_at_the_border_of_a_function_only_moves_it() -> None:
    doc = document()
    doc.change(2, [insert(1, 0, "static ")])
    doc.change(3, [insert(1, len("static void f(void) { for (;;) ; }"), "\n")])
    assert shown(doc) == ["f", "g"]


def test_deleting_a_line_between_keeps_both() -> None:
    doc = document(TEXT)
    doc.change(2, [insert(0, 0, "", length=6)])
    assert shown(doc) == ["f", "g"]
    assert doc.answer is not None
    assert doc.answer.opaque == ()


def test_a_full_text_change_counts_as_the_difference() -> None:
    doc = document()
    doc.change(2, [types.TextDocumentContentChangeWholeDocument(TEXT.replace("int x;", "int xy;\nint z;"))])
    assert shown(doc) == ["f", "g"]


def test_a_form_feed_is_no_line_end() -> None:
    doc = document("a\fb\nc\n")
    doc.change(2, [insert(1, 0, "X")])
    assert doc.text == "a\fb\nXc\n"


def test_edits_since_the_job_apply_to_its_answer() -> None:
    doc = document()
    doc.take_text()
    doc.change(2, [insert(2, 16, "y")])
    doc.change(3, [insert(0, 0, "\n")])
    doc.accept(ANSWER)
    assert shown(doc) == ["f"]


def analysed(text: str = TEXT) -> Document:
    doc = document(text)
    doc.take_text()
    doc.accept(ANSWER)
    return doc


MEANS_NOTHING = {
    "a comment": (insert(0, 0, "// why\n"),),
    "typed in parts": (insert(0, 6, "/"), insert(0, 7, "/ w"), insert(0, 10, "hy")),
    "over several lines": (insert(1, 0, "/* one\n * two\n */\n"),),
    "behind the last function": (insert(2, 28, " // end"),),
    "in a function too": (insert(0, 0, "// why\n"), insert(3, 16, "y")),
    "and taken back": (insert(0, 4, "y"), insert(0, 4, "", length=1)),
}
MEANS_SOMETHING = {
    "a declaration": (insert(0, 0, "int y; // why\n"),),
    "half a comment": (insert(0, 6, "/"),),
    "a size": (insert(0, 0, "// warplens: n = 100\n"),),
    "a comment that takes a line": (insert(0, 0, "// "),),
    "a comment that takes functions": (insert(0, 6, "/*"),),
    "a comment that takes the head of one": (insert(1, 0, "// "),),
    "a continued line": (insert(0, 6, " \\"),),
    "a macro": (insert(0, 0, "#define x y\n"),),
}  # fmt: skip


@pytest.mark.parametrize("changes", MEANS_NOTHING.values(), ids=MEANS_NOTHING.keys())
def test_comments_outside_of_functions_mean_nothing(
    changes: tuple[types.TextDocumentContentChangePartial, ...],
) -> None:
    doc = analysed()
    for version, change in enumerate(changes, 2):
        doc.change(version, [change])
    assert not doc.is_edited_outside


@pytest.mark.parametrize("changes", MEANS_SOMETHING.values(), ids=MEANS_SOMETHING.keys())
def test_other_edits_outside_of_functions_are_edits(
    changes: tuple[types.TextDocumentContentChangePartial, ...],
) -> None:
    doc = analysed()
    for version, change in enumerate(changes, 2):
        doc.change(version, [change])
    assert doc.is_edited_outside


def test_what_was_edited_while_the_analysis_ran() -> None:
    doc = document()
    doc.take_text()
    doc.change(2, [insert(0, 0, "// why\n")])
    doc.accept(ANSWER)
    assert not doc.is_edited_outside
    doc.take_text()
    doc.change(3, [insert(1, 4, "y")])
    doc.accept(after_edit(ANSWER, Edit(0, 0, 7)))
    assert doc.is_edited_outside


@given(st.text(alphabet="ab\n", max_size=30), st.text(alphabet="ab\n", max_size=30))
def test_full_text_difference_is_the_change(old: str, new: str) -> None:
    doc = Document("u", "p", 1, PositionMap(old), "utf-16")
    doc.change(2, [types.TextDocumentContentChangeWholeDocument(new)])
    (edit,) = doc.edits
    assert old[: edit.start] == new[: edit.start]
    assert old[edit.old_end :] == new[edit.new_end :]
    assert edit.start <= min(edit.old_end, edit.new_end)
    assert not (edit.old_end > edit.start and edit.new_end > edit.start and old[edit.start] == new[edit.start])


@given(st.integers(0, len(TEXT)), st.integers(0, 8), st.text(alphabet="a;\n", max_size=5))
def test_what_survives_an_edit_is_unchanged_text(start: int, length: int, text: str) -> None:
    end = min(len(TEXT), start + length)
    edited = TEXT[:start] + text + TEXT[end:]
    moved = after_edit(ANSWER, Edit(start, end, start + len(text)))
    for each in moved.functions:
        original = next(f for f in ANSWER.functions if f.name == each.name)
        assert edited[each.span.start : each.span.end] == TEXT[original.span.start : original.span.end]
    assert replace(moved, functions=(), opaque=(), edited=(), is_edited_outside=False) == replace(
        ANSWER, functions=(), opaque=()
    )
