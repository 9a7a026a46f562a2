"""Atomic operations whose old value nobody asks for, as the plain statements that one thread would run.

Source: GCC 6.55 (`__sync` and `__atomic` builtins), which `<stdatomic.h>` is made of. What a loop does in order decides
its dependences; that threads may meet in the element is what makes it a reduction or a store.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from pycparser import c_ast

_MAYBE = re.compile(r"\b__(?:sync|atomic)_")
_UPDATE = re.compile(r"__(?:sync|atomic)_(?:fetch_and_|fetch_)?(add|sub|or|and|xor)(?:_and_fetch|_fetch)?\Z")
_OPERATORS = {"add": "+=", "sub": "-=", "or": "|=", "and": "&=", "xor": "^="}
_STORES = frozenset({"__atomic_store_n"})


def with_plain_updates(declarations: Iterable[c_ast.Node], text: str) -> None:
    """Replace statements like `__sync_fetch_and_add(&x[i], d);` in place; `text` is what was parsed."""
    if not _MAYBE.search(text):
        return
    stack = list(declarations)
    while stack:
        node = stack.pop()
        if isinstance(node, c_ast.Compound):
            node.block_items = [one for item in node.block_items or [] for one in _plain(item)] or None
        for part in ("stmt", "iftrue", "iffalse"):
            if part in getattr(node, "__slots__", ()) and len(plain := _plain(inner := getattr(node, part))) > 1:
                setattr(node, part, c_ast.Compound(plain, inner.coord))
        stack.extend(child for child in node if child is not None)


def _plain(node: c_ast.Node) -> list[c_ast.Node]:
    """The statement, or the assignment that it is, below the directive that says how it runs."""
    call = node
    while isinstance(call, c_ast.Cast):
        call = call.expr
    if not isinstance(call, c_ast.FuncCall) or not isinstance(call.name, c_ast.ID) or call.args is None:
        return [node]
    update = _UPDATE.match(call.name.name)
    operator = _OPERATORS[update.group(1)] if update is not None else "=" if call.name.name in _STORES else ""
    if not operator or len(call.args.exprs) < 2:
        return [node]
    address, operand = call.args.exprs[:2]
    assignment = c_ast.Assignment(operator, _target(address), operand, call.coord)
    return [c_ast.Pragma("omp atomic", call.coord), assignment]


def _target(address: c_ast.Node) -> c_ast.Node:
    if isinstance(address, c_ast.UnaryOp) and address.op == "&":
        return address.expr
    return c_ast.UnaryOp("*", address, address.coord)
