"""JSON values as people may be shown them: a name or a comment of a C file hides and reorders nothing in the page."""

from __future__ import annotations

from typing import Any

from warplens.server.render.visible_text import visible


def visible_json(value: Any) -> Any:
    r"""The value with the hidden characters of its texts as escapes; names of fields are ours and stay.

    >>> visible_json({"path": ["a\u202eb", 1]}) == {"path": ["a\\u202eb", 1]}
    True
    """
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {name: visible_json(each) for name, each in value.items()}
    return [visible_json(each) for each in value] if isinstance(value, (list, tuple)) else value
