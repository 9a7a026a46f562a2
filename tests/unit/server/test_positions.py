"""Offsets and LSP positions: the three encodings, the three line ends, and nothing else as a line end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types
from warplens.analysis.text.span import Span
from warplens.server.lsp.positions import PositionMap

TEXT = "aé😀z\r\nx\fy\rlast\n"


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 7), ("utf-16", 4), ("utf-32", 3)])
def test_columns_count_the_units_of_the_encoding(encoding: str, column: int) -> None:
    positions = PositionMap(TEXT, encoding)
    assert positions.position(TEXT.index("z")) == types.Position(0, column)
    assert positions.offset(types.Position(0, column)) == TEXT.index("z")


def test_lines_end_as_lsp_says() -> None:
    positions = PositionMap(TEXT)
    assert positions.line_count == 4
    assert positions.line_text(1) == "x\fy"
    assert positions.position(TEXT.index("last")) == types.Position(2, 0)


def test_a_column_past_the_end_of_its_line_is_the_end() -> None:
    positions = PositionMap("ab\r\ncd")
    assert positions.offset(types.Position(0, 99)) == 2
    assert positions.offset(types.Position(9, 0)) == 6


def test_a_reversed_range_is_empty() -> None:
    positions = PositionMap("abcdef")
    assert positions.span(types.Range(types.Position(0, 4), types.Position(0, 1))) == Span(4, 4)


@given(st.text(alphabet="aé😀\r\n\f", max_size=40), st.sampled_from(["utf-8", "utf-16", "utf-32"]), st.data())
def test_offset_and_position_are_inverse(text: str, encoding: str, data: st.DataObject) -> None:
    positions = PositionMap(text, encoding)
    offset = data.draw(st.integers(0, len(text)))
    if not (0 < offset < len(text) and text[offset - 1 : offset + 1] == "\r\n"):  # no position inside a line end
        assert positions.offset(positions.position(offset)) == offset
