"""Text of files, and names in it, as an editor may show it: nothing in it hides or reorders what stands beside it."""

from __future__ import annotations

import re

# Controls, what reorders (CVE-2021-42574), what has no width, and halves of a UTF-16 pair, which no UTF-8 has.
_HIDDEN = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)


def visible(text: str) -> str:
    r"""The text with its hidden characters as the escapes that C has for them; ends of lines and tabs are kept.

    >>> print(visible("a\u202eb\0"))
    a\u202eb\x00
    """
    return _HIDDEN.sub(lambda each: _escape(ord(each[0])), text) if not text.isprintable() else text


def _escape(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
