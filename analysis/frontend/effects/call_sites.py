"""What the functions of a file pass to each other, as far as it is known where they are called."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass

from pycparser import c_ast
from warplens.analysis.frontend.syntax.syntax_index import nodes_of_kinds
from warplens.analysis.ir.polynomial import Polynomial


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call of a function of the same file. An argument is a polynomial over the caller's parameters, or None."""

    callee: str
    arguments: tuple[Polynomial | None, ...]


def call_sites(
    node: c_ast.Node | None, callees: Container[str], value: Callable[[c_ast.Node], Polynomial | None]
) -> Iterator[CallSite]:
    """Calls of `callees` in a tree; `value` says what an argument is known to be there."""
    for item in nodes_of_kinds(node, (c_ast.FuncCall,)):
        if isinstance(item.name, c_ast.ID) and item.name.name in callees:
            arguments = item.args.exprs if item.args else ()
            yield CallSite(item.name.name, tuple(value(argument) for argument in arguments))


def hands_out(node: c_ast.Node | None, names: Container[str]) -> frozenset[str]:
    """Functions of `names` that are used other than by calling them: others may call those with anything."""
    found: set[str] = set()
    stack = [node]
    while stack:
        item = stack.pop()
        if item is None:
            continue
        if isinstance(item, c_ast.FuncCall) and isinstance(item.name, c_ast.ID):
            stack.append(item.args)
            continue
        if isinstance(item, c_ast.ID) and item.name in names:
            found.add(item.name)
        stack.extend(item)
    return frozenset(found)
