"""Calls of the C library that print: what they do besides is to read the text, and the strings that a format names.

The streams that they print to have locks of their own: calls at the same time lose nothing but their order.

Source: ISO C17 7.21.6.1 (formats), 7.21.2 paragraph 7 (a stream's lock); POSIX.1-2017 write, syslog.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType

from pycparser import c_ast

_FORMATS = MappingProxyType(
    {
        "printf": 0,
        "fprintf": 1,
        "dprintf": 1,
        "syslog": 1,
        "warn": 0,
        "warnx": 0,
        "__printf_chk": 1,
        "__fprintf_chk": 2,
    }
)
"""Number of the argument that is the format; those behind it are printed."""

_TEXTS = MappingProxyType(
    {
        "puts": (0,),
        "fputs": (0,),
        "perror": (0,),
        "fwrite": (0,),
        "write": (1,),
        "putchar": (),
        "fputc": (),
        "putc": (),
        "_IO_putc": (),
        "putw": (),
        "fflush": (),
    }
)
"""Numbers of the arguments whose memory is printed."""

_PLACES = (c_ast.Constant, c_ast.ID, c_ast.StructRef, c_ast.ArrayRef)
_NAMES_OF_FUNCTIONS = frozenset(("__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"))

_CONVERSION = re.compile(
    r"%(?:%|[-+ #0']*(?P<width>\*|\d*)(?:\.(?P<precision>\*|\d*))?(?P<length>hh|h|ll|l|j|z|t|L|q)?"
    r"(?P<kind>[diouxXeEfFgGaAcspm]))"
)
_HIDDEN = re.compile(r"\\(?:x0*25|0?45)")
"""A percent sign written as a number."""


def printed_memory(name: str, arguments: Sequence[c_ast.Node]) -> tuple[int, ...] | None:
    """Numbers of the arguments whose memory a call prints; None for a call that may do more than print.

    That is any function not listed here, and a format that is not written there or stores a count (`%n`).
    """
    plain = name.removeprefix("__builtin___").removeprefix("__builtin_")
    plain = f"__{plain}" if plain != name and f"__{plain}" in _FORMATS else plain
    if plain in _TEXTS:
        return _TEXTS[plain]
    if plain not in _FORMATS or len(arguments) <= _FORMATS[plain]:
        return None
    at = _FORMATS[plain]
    written = arguments[at]
    if not isinstance(written, c_ast.Constant) or written.type != "string":
        return None
    strings = strings_of_format(written.value)
    return None if strings is None else tuple(at + 1 + number for number in strings)


def with_choices_apart(
    arguments: Sequence[c_ast.Node], printed: Sequence[int]
) -> tuple[tuple[c_ast.Node, ...], tuple[int, ...]]:
    """The arguments with `c ? p : q` as `c`, `p` and `q`, and the numbers of those whose memory is printed then.

    A string that stands in the source is none.
    """
    parts = list(arguments)
    found: list[int] = []
    for number in printed:
        one = _plain(parts[number]) if number < len(parts) else None
        if isinstance(one, c_ast.TernaryOp) and all(isinstance(_plain(n), _PLACES) for n in (one.iftrue, one.iffalse)):
            found += (len(parts), len(parts) + 1)
            parts[number : number + 1] = (one.cond,)
            parts += (one.iftrue, one.iffalse)
        elif one is not None:
            found.append(number)
    return tuple(parts), tuple(number for number in found if not _is_written(_plain(parts[number])))


def _plain(node: c_ast.Node) -> c_ast.Node:
    while isinstance(node, c_ast.Cast):
        node = node.expr
    return node


def _is_written(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.Constant) or (isinstance(node, c_ast.ID) and node.name in _NAMES_OF_FUNCTIONS)


def strings_of_format(text: str) -> tuple[int, ...] | None:
    """Which of the printed values are strings; None where the format does more than print, or is not understood.

    >>> strings_of_format('"%5d of %-*s: %.3f%%"'), strings_of_format('"%d%n"'), strings_of_format('"%ls"')
    ((2,), None, None)
    """
    if _HIDDEN.search(text):
        return None
    found: list[int] = []
    number = 0
    at = text.find("%")
    while at >= 0:
        conversion = _CONVERSION.match(text, at)
        if conversion is None:
            return None
        kind = conversion["kind"]
        number += (conversion["width"] == "*") + (conversion["precision"] == "*")
        if kind == "s":
            if conversion["length"]:
                return None
            found.append(number)
        number += kind not in {None, "m"}
        at = text.find("%", conversion.end())
    return tuple(found)
