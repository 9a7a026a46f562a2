"""C files on disk: bytes to text and back, whatever their encoding."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from pathlib import Path

from warplens.server.files.regular_file import read_regular

MAX_SOURCE_BYTES = 64 << 20
"""Of a C file: those of programs that write C have some."""
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WITHOUT_MARK = {
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_WIDE = ("utf_16", "utf_16_le", "utf_16_be", "utf_32", "utf_32_le", "utf_32_be")


@dataclass(frozen=True, slots=True)
class DecodedText:
    """Text and the encoding it was read in; line ends are as they were."""

    text: str
    encoding: str


def decode(content: bytes) -> DecodedText:
    """Decode by byte order mark, else UTF-8, else the guess of charset-normalizer, else Latin-1, which takes all.

    >>> decode("/* é */".encode("latin-1")).text.startswith("/* ")
    True
    >>> decode("int x;".encode("utf-16")).text
    'int x;'
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return DecodedText(content.decode(encoding, "replace"), encoding)
    try:
        return DecodedText(content.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        from charset_normalizer import from_bytes  # noqa: PLC0415 - few files need it, every start would load it

        # Of ASCII's characters every other byte would be 0 in UTF-16, which is what else is guessed of a few bytes.
        guess = from_bytes(content, cp_exclusion=[] if b"\0" in content else list(_WIDE)).best()
    if guess is not None:
        return DecodedText(str(guess), guess.encoding)
    return DecodedText(content.decode("latin-1"), "latin-1")


def read_source(path: Path) -> str:
    """Text of a C file; raises OSError, also for a pipe, a device and a file without end."""
    return decode(read_regular(path, MAX_SOURCE_BYTES)).text


def encode(text: str, like: bytes) -> bytes:
    """A text in the encoding of a file's content, with its byte order mark; the opposite of `decode`.

    Raises ValueError where that encoding can't hold the text, or would not give back the content that was read.

    >>> like = "int x; // température de la plaque après la première étape".encode("latin-1")
    >>> encode("int é;", like) == "int é;".encode("latin-1")
    True
    """
    if _encoded(decode(like).text, like) != like:
        raise ValueError("its bytes are not all text, writing it would change them")
    return _encoded(text, like)


def _encoded(text: str, like: bytes) -> bytes:
    mark = next((mark for mark, _ in _MARKS if like.startswith(mark)), b"")
    return mark + text.encode(_WITHOUT_MARK[mark] if mark else decode(like).encoding)
