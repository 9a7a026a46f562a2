"""Text of files, and names in it, made safe for what shows it: nothing in it hides or reorders what stands beside it.

Every view has its function here: `visible` for diagnostics, messages, logs and the terminal, `visible_name` for what is
one line in them, `visible_json` for JSON, `visible_html` for pages. Markdown is card.py's, which uses `visible`.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

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


def visible_name(name: str) -> str:
    r"""The name of a file or of anything else, on one line.

    >>> print(visible_name("a\nb"))
    a\x0ab
    """
    return visible(name).replace("\n", "\\x0a").replace("\t", "\\x09")


def visible_json(text: str) -> str:
    r"""JSON with the same value, its hidden characters as JSON's escapes.

    >>> print(visible_json('"a\u202eb"'))
    "a\u202eb"
    """
    return _HIDDEN.sub(lambda each: f"\\u{ord(each[0]):04x}", text) if not text.isprintable() else text


def visible_values(value: Any) -> Any:
    """JSON's values with every text of them visible, for a page that shows them."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {visible(str(key)): visible_values(each) for key, each in value.items()}
    return [visible_values(each) for each in value] if isinstance(value, list | tuple) else value


def visible_html(text: str) -> str:
    """A text as HTML, in an attribute as well.

    >>> visible_html('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    """
    return escape(visible(text))


def _escape(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
