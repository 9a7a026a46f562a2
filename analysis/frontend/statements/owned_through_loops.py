"""Pointers that a loop only moves and sets from each other: what they lead to stays an iteration's own around it."""

from __future__ import annotations

from collections.abc import Mapping

from pycparser import c_ast
from warplens.analysis.frontend.expressions.call_arguments import is_null
from warplens.analysis.frontend.forms.movements import step_counts, step_of, write_counts
from warplens.analysis.frontend.pointers.pointer_values import PointerValues
from warplens.analysis.frontend.syntax.syntax_index import nodes_of_kinds
from warplens.analysis.ir.ids import NodeId


def owned_through(loop: c_ast.Node, pointers: Mapping[str, str], values: PointerValues) -> dict[str, NodeId]:
    """Of the pointers that a loop writes, those into memory of an iteration around, with the loop it is one of.

    `pointers` are those in sight before the loop by the names in the source, with their names in the nest, but none
    whose address is taken. One stays in such memory if it is there before the loop or leads nowhere, and each write in
    the loop moves it, or sets it from one that stays.
    """
    owners = {name: values.given_in(unique) for name, unique in pointers.items()}
    if not any(owner is not None for owner in owners.values()):
        return {}
    every, moved, sources = write_counts((loop,)), step_counts((loop,)), _sources(loop, set(pointers))
    staying = {
        name
        for name in {*pointers, *sources} & every.keys()
        if moved[name] + len(sources.get(name, ())) == every[name]
        and (name not in pointers or owners[name] is not None or values.is_undefined(pointers[name]))
    }
    fixed = {name for name, owner in owners.items() if owner is not None and name not in every}
    before: set[str] = set()
    while before != staying:
        before = set(staying)
        staying = {name for name in staying if {*sources.get(name, ())} <= staying | fixed | {_NOWHERE}}
    found = {name: owner for name, owner in owners.items() if owner is not None and name in staying | fixed}
    for _ in staying:
        for name in sorted(staying):
            around = [found[one] for one in (name, *sources.get(name, ())) if one in found]
            if around:
                found[name] = min(around, key=values.loops.index)
    return {name: owner for name, owner in found.items() if name in staying and name in pointers}


_NOWHERE = "0"
"""Stands for the source of a null pointer, and of one that is not set."""


def _sources(loop: c_ast.Node, pointers: set[str]) -> dict[str, list[str]]:
    """The pointer behind each value that a pointer gets and that is no step of its own; empty for any other value."""
    settings: list[tuple[str, c_ast.Node | None]] = []
    known = set(pointers)
    for item in nodes_of_kinds(loop, (c_ast.Decl, c_ast.Assignment)):
        if isinstance(item, c_ast.Decl) and item.name:
            settings.append((item.name, item.init))
            known |= {item.name} if isinstance(item.type, c_ast.PtrDecl) else set()
        elif isinstance(item, c_ast.Assignment) and item.op == "=" and isinstance(item.lvalue, c_ast.ID):
            settings += [] if step_of(item) is not None else [(item.lvalue.name, item.rvalue)]
    found: dict[str, list[str]] = {}
    for name, value in settings:
        source = _NOWHERE if value is None or is_null(value) else _base(value, known)
        found.setdefault(name, []).append(source)
    return found


def _base(value: c_ast.Node, pointers: set[str]) -> str:
    """The pointer that an address is made from, empty where that can't be told."""
    while True:
        match value:
            case c_ast.ID() if value.name in pointers:
                return str(value.name)
            case c_ast.Cast() | c_ast.UnaryOp(op="++" | "--" | "p++" | "p--"):
                value = value.expr
            case c_ast.BinaryOp(op="+" | "-") if not _base(value.right, pointers):
                value = value.left
            case c_ast.BinaryOp(op="+") if not _base(value.left, pointers):
                value = value.right
            case c_ast.UnaryOp(op="&", expr=c_ast.ArrayRef()):
                value = value.expr.name
            case _:
                return ""
