"""The user's text without markers: the same characters, each with its place in the text with markers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from warplens.analysis.text.line_markers import main_regions, regions, without_markers
from warplens.analysis.text.own_text import OwnText

LINES = (
    '# 1 "m.c"\n', '# 7 "m.c" 2\n', '# 1 "h.h" 1 3\n', '# 3 "other/m.c"\n', '#line 5 "m.c"\n', "#pragma omp x\n", "\n",
    "  \n", "int a;\n", "  b = c;\n", 'f("m.c", 5);\n', '"m.c"\n', "# 12\n", "#\n", "x", "/",
)  # fmt: skip
preprocessed_texts = st.lists(st.sampled_from(LINES), max_size=12).map("".join)


@given(preprocessed_texts)
def test_regions_of_the_main_file_are_those_of_all_markers(text: str) -> None:
    every = regions(text)
    named = [(r.start, r.end, r.line) for r in every if r.file == "m.c" and r.end > r.start]
    has_markers = without_markers(text)[0] != text
    expected = named if has_markers else [(0, len(text), 1)]
    assert [(r.start, r.end, r.line) for r in main_regions(text, "m.c")] == expected


@given(preprocessed_texts)
def test_own_text_is_the_rest_without_its_markers(text: str) -> None:
    own = OwnText(text, "m.c")
    content = [r.start for r in main_regions(text, "m.c") if text[r.start : r.end].strip()]
    if not content:
        assert own.text == ""
        return
    first = content[0] + len(text[content[0] :]) - len(text[content[0] :].lstrip())
    assert own.text == without_markers("\n" + text[first:])[0][1:]
    assert [text[own.origin(at)] for at in range(len(own.text))] == list(own.text)
    assert own.origin(len(own.text)) == len(text)
    inside = {at for r in main_regions(text, "m.c") for at in range(r.start, r.end)}
    assert [own.is_own(at) for at in range(len(own.text))] == [own.origin(at) in inside for at in range(len(own.text))]


def test_headers_do_not_change_with_the_lines_of_their_includes() -> None:
    before = '# 0 "m.c"\n# 1 "/h.h" 1\nint h;\n# {} "m.c" 2\n\n\nint a;\n'
    first, second = (OwnText(before.format(line), "m.c") for line in (2, 9))
    assert first.headers == second.headers == '# 1 "/h.h" 1\nint h;\n'
    assert first.text == second.text == "int a;\n"
    assert [region.line for region in (*first.regions, *second.regions)] == [4, 11]


def test_joints_are_the_lines_on_which_the_text_goes_on() -> None:
    own = OwnText('# 1 "m.c"\nint a;\n# 40 "m.c"\nb;\n# 1 "t.inc" 1\n3,\n# 43 "m.c" 2\n};\n', "m.c")
    assert own.text == "int a;\nb;\n3,\n};\n"
    assert own.joints(0, len(own.text)) == ((7, 40), (10, 0), (13, 43))
    assert own.joints(8, 13) == ((2, 0),)
