"""The page as one HTML text: script, style and data inside, nothing outside, and a policy that lets nothing else in."""

from __future__ import annotations

import json
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from warplens.server.render.visible_text import visible_html

_PACKAGE = "warplens.server.report_page"
_SCRIPT, _STYLE = "page.js", "page.css"
"""Built from report-page/ and kept here, so that an installation needs no Node (`make report-page`)."""

_HARMLESS = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def page_html(data: dict[str, Any] | None, title: str = "Warplens report") -> str:
    """The whole page; without data it waits for a host to send some.

    The data is a block of JSON that no browser runs; names in it are the user's and of whoever wrote the C file.
    """
    script, style = _asset(_SCRIPT), _asset(_STYLE)
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{visible_html(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        "<noscript>The report draws its charts with a script that is part of this file: allow it.</noscript>\n"
        f'<script type="application/json" id="report-data">{json_in_html(data)}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


def json_in_html(value: object) -> str:
    r"""JSON that can stand in a `<script>` element, whatever texts it holds: ASCII, without a character of markup.

    >>> json_in_html("</script><!--")
    '"\\u003c/script\\u003e\\u003c!--"'
    """
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    for character, escaped in _HARMLESS.items():
        text = text.replace(character, escaped)
    return text


@cache
def _asset(name: str) -> str:
    return (files(_PACKAGE) / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Source expression of CSP level 2 for an inline element with this text."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode('ascii')}'"
