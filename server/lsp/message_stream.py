"""Messages out of a stream of bytes that may hold anything: one at a time, whole, found again after what is none.

pygls takes headers by their exact spelling and any length as it comes: a header in lower case makes it wait for ever, a
length of 20 digits ends it. It reads from this stream instead, which gives it headers in just that spelling.
"""

from __future__ import annotations

import re
from typing import BinaryIO

LARGEST_MESSAGE_BYTES = 512 << 20
_LONGEST_LINE_BYTES = 1 << 16
# At the end of a line: what was cut off in front of it, a body without its end, has none of its own.
_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d{1,18})[ \t]*\r?\n\Z", re.IGNORECASE)


class MessageStream:
    """What pygls reads from: `readline` gives the lines of one header, `read` then its body."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lines: list[bytes] = []
        self._body = b""

    def readline(self) -> bytes:
        """A line of a header, empty at the end of the stream; waits for a whole message."""
        if not self._lines:
            try:
                body = self._next_body()
            except ConnectionError:  # the other end of a connection died
                body = None
            if body is None:
                return b""
            self._body = body
            self._lines = [b"Content-Length: %d\r\n" % len(body), b"\r\n"]
        return self._lines.pop(0)

    def read(self, _size: int) -> bytes:
        """The body of the message whose header was read."""
        body, self._body = self._body, b""
        return body

    def _next_body(self) -> bytes | None:
        """None at the end of the stream, also of one that ends within a body."""
        length = 0
        while line := self._stream.readline(_LONGEST_LINE_BYTES):
            found = _LENGTH.search(line)
            if found:
                length = int(found[1])
            elif length and not line.strip():
                if length <= LARGEST_MESSAGE_BYTES:
                    body = self._stream.read(length)
                    return body if len(body) == length else None
                length = 0  # no client sends that: what follows is looked through for the next header
        return None
