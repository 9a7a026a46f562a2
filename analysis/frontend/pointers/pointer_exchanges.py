"""Pointers that only exchange their values: `t = a; a = b; b = t;`."""

from __future__ import annotations

from collections.abc import Sequence

from pycparser import c_ast
from warplens.analysis.frontend.pointers.pointer_path import PointerPath, Step

_MOST_EXCHANGED = 20
"""Settings in a row that may be one exchange: a chain of thousands is none."""


def exchanges(items: Sequence[c_ast.Node]) -> list[tuple[list[c_ast.Node], list[tuple[PointerPath, PointerPath]]]]:
    """Runs of settings in a block that only exchange values: all but the first of each, and the pairs it exchanges."""
    found: list[tuple[list[c_ast.Node], list[tuple[PointerPath, PointerPath]]]] = []
    for at, item in enumerate(items):
        first = _plain_setting(item)
        if first is None:
            continue
        kept, hole = first
        names = [hole]
        for number, later in enumerate(items[at + 1 : at + 1 + _MOST_EXCHANGED], 1):
            setting = _plain_setting(later)
            if setting is None or setting[0] != hole or setting[1] in {*names, hole}:
                break
            hole = setting[1]
            if hole == kept:
                if len(names) > 1:
                    pairs = list(zip(names, names[1:] + names[:1], strict=True))
                    found.append((list(items[at + 1 : at + 1 + number]), pairs))
                break
            names.append(hole)
    return found


def _plain_setting(node: c_ast.Node) -> tuple[PointerPath, PointerPath] | None:
    """`a` and `b.c` for `a = b->c;` or `T *a = b->c;`."""
    match node:
        case c_ast.Assignment(op="="):
            left, right = _path(node.lvalue), _path(node.rvalue)
        case c_ast.Decl() if node.name and node.init is not None:
            left, right = PointerPath(node.name), _path(node.init)
        case _:
            return None
    return None if left is None or right is None else (left, right)


def _path(node: c_ast.Node) -> PointerPath | None:
    """`s.a` for `s->a`, None for what is no variable and no member of one."""
    match node:
        case c_ast.ID():
            return PointerPath(node.name)
        case c_ast.StructRef():
            holder = _path(node.name)
            return None if holder is None else holder.then(Step(node.field.name))
        case _:
            return None
