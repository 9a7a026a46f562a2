"""Whether a loop's header is written as OpenMP wants it: the analysis understands more spellings than a directive.

Source: OpenMP 5.0, 2.9.1 (canonical loop form).
"""

from __future__ import annotations

import re

from warplens.analysis.text.tokens import without_comments_and_directives

_FOR = re.compile(r"for\s*\((.*)\)", re.DOTALL)
_START = re.compile(r"(?:[A-Za-z_][\w\s]*\s)?\s*([A-Za-z_]\w*)\s*=(?!=)(.+)", re.DOTALL)
_BY_ONE = (
    r"(?:\+\+|--)\s*{name}|{name}\s*(?:\+\+|--)|{name}\s*[+-]=\s*1|{name}\s*=\s*{name}\s*[+-]\s*1"
    r"|{name}\s*=\s*1\s*\+\s*{name}"
)
"""Steps that a comparison with `!=` allows."""
_RELATION = r"(?:<=?|>=?|!=)"


def is_canonical(header: str) -> bool:
    """Whether `for (i = a; i < b; i += c)` is the header's form: one variable, alone on one side of one comparison.

    >>> is_canonical("for (int i = n; i > 0; i--)"), is_canonical("for (int i = n; i-- > 0;)")
    (True, False)
    >>> is_canonical("for (i = 0; n > i; i = i + 2)"), is_canonical("for (i = 0, j = 1; i < n; i++)")
    (True, False)
    >>> is_canonical("for (i = 0; i != n; i++)"), is_canonical("for (i = 0; i != n; i += 2)")
    (True, False)
    """
    whole = _FOR.fullmatch(without_comments_and_directives(header).strip())
    parts = whole[1].split(";") if whole else []
    if len(parts) != 3 or any(_has_outer_comma(part) for part in parts):
        return False
    start, condition, step = (part.strip() for part in parts)
    match = _START.fullmatch(start)
    if match is None:
        return False
    name = re.escape(match[1])
    one_side = rf"{name}\s*{_RELATION}(?![<>=]).+|[^&|]+?(?<![<>]){_RELATION}\s*{name}"
    steps = (
        rf"(?:\+\+|--)\s*{name}|{name}\s*(?:\+\+|--)|{name}\s*[+-]=.+"
        rf"|{name}\s*=\s*{name}\s*[+-].+|{name}\s*=[^=].*\+\s*{name}"
    )
    if "!=" in condition and not re.fullmatch(_BY_ONE.format(name=name), step):
        return False
    return bool(
        re.fullmatch(one_side, condition, re.DOTALL)
        and not re.search(r"&&|\|\|", condition)
        and re.fullmatch(steps, step, re.DOTALL)
    )


def iterator_of(header: str) -> tuple[str, ...]:
    """The variable that a canonical header counts with, as a tuple of one; empty for another header.

    >>> iterator_of("for (unsigned int k = 0; k < n; k++)")
    ('k',)
    """
    whole = _FOR.fullmatch(without_comments_and_directives(header).strip())
    start = _START.fullmatch(whole[1].partition(";")[0].strip()) if whole else None
    return (start[1],) if start else ()


def _has_outer_comma(text: str) -> bool:
    depth = 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            return True
    return False
