"""Whether a function means a variable of its own by a name, read from its text: that hides the file's there."""

from __future__ import annotations

import re

_NO_TYPES = frozenset(("return", "else", "goto", "case", "do", "sizeof", "extern"))
"""Words that may stand before a name without making it a variable of the function."""
_LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'')
_BEHIND_TYPE = re.compile(r"(?:[^\W\d]\w*[\s*]+)+\Z")
_DECLARATION = re.compile(r"\s*(?:for\s*\(\s*)?((?:[^\W\d]\w*[\s*]+)+)[^\W\d]\w*\s*(?:[=,\[(]|\Z)")
_BEGIN = re.compile(r"[;{}]|\bfor\s*\(")


def is_of_its_own(text: str, body: int, name: str) -> bool:
    """Whether the first place where a function has a name, but as a member's, declares it as a parameter or variable.

    `body` is where the function's `{` stands. C has no use of a variable of a block before its declaration (ISO C17
    6.2.1 paragraph 7). Not told apart: a block that ends, behind which the name means the file's again.

    >>> is_of_its_own("void f(int n) { double *n2, *m = 0; k = n * m; }", 14, "m")
    True
    >>> [is_of_its_own("void f(int n) { k = n * m; g(m); }", 14, name) for name in ("n", "m", "k", "g")]
    [True, False, False, False]
    """
    plain = _LITERAL.sub(lambda found: "0" * len(found.group()), text)
    for found in re.finditer(rf"(?<![\w.])(?<!->){re.escape(name)}\b", plain):
        if plain[: found.start()].rstrip().endswith((".", "->", "struct", "union", "enum")):
            continue
        before = plain[: found.start()]
        if found.start() < body:
            return _is_behind_type(before[before.find("(") + 1 :].rpartition(",")[2])
        begin = max((m.end() for m in _BEGIN.finditer(before)), default=0)
        return _is_declared(before[begin:])
    return False


def _is_behind_type(before: str) -> bool:
    found = _BEHIND_TYPE.match(before.lstrip())
    return found is not None and _NO_TYPES.isdisjoint(found.group().split())


def _is_declared(before: str) -> bool:
    """Whether what stands between the beginning of a statement and a name makes that a declarator."""
    if _is_behind_type(before):
        return True
    if _depth(before) or not before.rstrip(" \t\n*").endswith(","):
        return False
    first = _DECLARATION.match(before)
    return first is not None and _NO_TYPES.isdisjoint(first[1].split())


def _depth(text: str) -> int:
    return sum(text.count(one) for one in "([") - sum(text.count(one) for one in ")]")
