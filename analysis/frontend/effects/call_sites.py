"""What the functions of a file pass to each other, as far as it is known where they are called."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass

from pycparser import c_ast
from warplens.analysis.frontend.syntax.syntax_index import nodes_of_kinds
from warplens.analysis.ir.polynomial import Polynomial


@dataclass(frozen=True, slots=True)
class PassedObject:
    """A variable of the caller or of the file by its name, or other memory (that a call gave, of another function)."""

    name: str
    is_variable: bool


@dataclass(frozen=True, slots=True)
class PassedAddress:
    """`text` is the argument as written. `base` is what it is counted from, `offset` elements behind that if known.

    `objects` are those that it may lead into, empty where that can't be told. `is_one_of_many` if the base is a row, an
    element or a member, which are told apart by their text alone.
    """

    text: str
    base: str
    offset: Polynomial | None
    is_one_of_many: bool
    objects: frozenset[PassedObject]


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call of a function of the same file. An argument is a polynomial over the caller's parameters, or None.

    `addresses` has the arguments that are pointers, None for others.
    """

    callee: str
    arguments: tuple[Polynomial | None, ...]
    addresses: tuple[PassedAddress | None, ...] = ()


def call_sites(
    node: c_ast.Node | None,
    callees: Container[str],
    value: Callable[[c_ast.Node], Polynomial | None],
    address: Callable[[c_ast.Node], PassedAddress | None],
) -> Iterator[CallSite]:
    """Calls of `callees` in a tree; `value` and `address` say what an argument is known to be there."""
    for item in nodes_of_kinds(node, (c_ast.FuncCall,)):
        if isinstance(item.name, c_ast.ID) and item.name.name in callees:
            arguments = item.args.exprs if item.args else ()
            yield CallSite(item.name.name, tuple(map(value, arguments)), tuple(map(address, arguments)))


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
