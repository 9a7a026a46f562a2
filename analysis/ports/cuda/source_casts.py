"""Casts in the source of what a nest names: the nest's names leave them out, a call in C needs them."""

from __future__ import annotations

import re

from warplens.analysis.ports.fix import FixContext
from warplens.analysis.text.tokens import without_comments_and_directives

_POINTER_CAST = re.compile(r"\*\s*(?:(?:const|volatile|restrict)\s*)*\)\s*[(&]*\s*(\w+(?:\s*(?:->|\.)\s*\w+)*)")


def code_of(context: FixContext) -> str:
    """The text whose names the nest may have: its function's, or the file's where bodies stand in place of calls."""
    function = context.function_span
    inlined = bool(context.evaluation.facts.nest.inlined)
    return without_comments_and_directives(context.source if inlined else context.source[function.start : function.end])


def cast_before_member(code: str, name: str) -> str:
    """The part of `name`, also in an expression, that the code casts to reach a member through it; empty if none.

    >>> cast_before_member("n = ((struct plan *)state)->n;", "state->n")
    'state'
    >>> cast_before_member("x = (float *)state->x;", "state->x")
    ''
    """
    return next((path for path in _cast(code) if re.search(rf"(?<![\w>.]){re.escape(path)}(?:->|\.)", name)), "")


def has_other_type(code: str, name: str) -> bool:
    """Whether an array may be declared with another type than that of its elements: the code casts it, or its rows.

    >>> has_other_type("((float *)buffer)[i] = 0;", "buffer"), has_other_type("s->rows[i][j] = 0;", "s->rows")
    (True, True)
    >>> has_other_type("s->row[i] = 0;", "s->row")
    False
    """
    member = re.split(r"->|\.", name)[-1]
    is_member = member != name
    rows = rf"(?:->|\.)\s*{re.escape(member)}\s*\[[^;]*?\]\s*\["
    return name in _cast(code) or (is_member and re.search(rows, code) is not None)


def _cast(code: str) -> list[str]:
    return ["".join(found.split()) for found in _POINTER_CAST.findall(code)]
