"""Bytes to text and back: what is not touched stays byte for byte, what can't stay is said."""

import codecs

import pytest
from warplens.server.files.source_file import decode, encode


@pytest.mark.parametrize(
    "content",
    [
        b"int x;\r\n",
        codecs.BOM_UTF8 + "/* é */\n".encode(),
        codecs.BOM_UTF16_LE + "/* 😀 */\n".encode("utf-16-le"),
        codecs.BOM_UTF16_BE + "/* 😀 */\n".encode("utf-16-be"),
        codecs.BOM_UTF32_LE + "x".encode("utf-32-le"),
        codecs.BOM_UTF32_BE + "x".encode("utf-32-be"),
        "/* Größe der Matrix, Länge des Vektors */\n".encode("latin-1"),
        b"",
    ],
)
def test_an_unchanged_text_gives_the_same_bytes(content: bytes) -> None:
    assert encode(decode(content).text, content) == content


def test_bytes_that_are_no_text_are_not_written_over() -> None:
    with pytest.raises(ValueError, match="not all text"):
        encode("int x;", codecs.BOM_UTF8 + b"int x; /* \xff */")


def test_a_character_that_the_encoding_lacks_is_said() -> None:
    with pytest.raises(ValueError, match="codec"):
        encode("/* 😀 */", "/* Größe der Matrix, Länge des Vektors */\n".encode("latin-1"))
