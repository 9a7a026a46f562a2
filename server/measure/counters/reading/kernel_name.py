"""What a kernel is called in a source, of what a profiler calls it."""

from __future__ import annotations

import re
from functools import lru_cache

_NAMELESS = re.compile(r"(?:<unnamed>|\(anonymous namespace\)|`anonymous namespace'|\{anonymous\})::")
_LAUNCH = re.compile(r" \[\d+\]$")
_CLOSING = {"<": ">", "(": ")", "{": "}", "[": "]"}
_KEPT = "{["
"""Lambdas have their numbers in them."""
_CALL = "operator()"


def without_launch(name: str) -> str:
    """Without the launch's number, which nvprof puts behind the name.

    >>> without_launch("matMul(float*) [112]")
    'matMul(float*)'
    """
    return _LAUNCH.sub("", name)


@lru_cache(maxsize=4096)
def short_kernel(name: str) -> str:
    """A kernel's name without its type, namespaces, parameters and template arguments.

    >>> short_kernel("void reduce<float, (int)256>(float*, int)"), short_kernel("void Foo<float>::bar(int)")
    ('reduce', 'bar')
    >>> short_kernel("main::{lambda(int)#1}::operator()(int) const"), short_kernel("void <unnamed>::k<float>(T1 *)")
    ('main::{lambda(int)#1}', 'k')
    """
    full = _NAMELESS.sub("", without_launch(name).strip())
    if full[:1] in ("<", "("):  # no name of C++
        return name
    words = _scopes(full)
    if len(words) > 1 and words[-1].startswith("operator"):  # of a lambda or a class: that is what has the name
        words.pop()
    if len(words) > 1 and words[-1][:1] in _KEPT:
        return "::".join(words[-2:])
    return words[-1] or name


def _scopes(name: str) -> list[str]:
    """`void A<int>::b(float)` as A and b: split at `::`, up to the parameters."""
    words = [""]
    open_brackets: list[str] = []
    place = 0
    while place < len(name):
        one = name[place]
        kept = not open_brackets or open_brackets[0] in _KEPT
        if not open_brackets and name.startswith(_CALL, place):
            words[-1] += _CALL
            place += len(_CALL)
            continue
        if one in _CLOSING:
            if one == "(" and not open_brackets:
                break
            open_brackets.append(one)
            kept = open_brackets[0] in _KEPT
        elif open_brackets and one == _CLOSING[open_brackets[-1]] and name[place - 1 : place + 1] != "->":
            open_brackets.pop()
        elif not open_brackets and name.startswith("::", place):
            words.append("")
            place += 2
            continue
        elif not open_brackets and one == " ":  # a type stands in front of the name
            if name[place + 1 : place + 2] not in ("", "(", "<"):
                words = [""]
            place += 1
            continue
        if kept:
            words[-1] += one
        place += 1
    return words
