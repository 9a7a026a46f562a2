"""What a function does with a parameter through which it sets the caller's pointer: `*grid = malloc(n)` and no more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pycparser import c_ast
from warplens.analysis.frontend.syntax.syntax_index import nodes_of

_TESTS = frozenset(("==", "!=", "&&", "||"))


class HandedArgument(NamedTuple):
    """A call that gets the parameter itself, and as which of its arguments."""

    call: c_ast.FuncCall
    number: int


def plain_argument(node: c_ast.Node) -> c_ast.Node:
    """An argument without casts."""
    while isinstance(node, c_ast.Cast):
        node = node.expr
    return node


def handed_on(function: c_ast.FuncDef, parameter: str) -> tuple[HandedArgument, ...] | None:
    """Calls that get a pointer which the function else only looks through or tests; None if it is used otherwise.

    It is looked through in `*p`, `p[i]`, `p->m` where that is no operand of `&`.
    """
    nodes = nodes_of(function.body)
    found: list[HandedArgument] = []
    kept: set[int] = set()
    for node in nodes:
        kept.update(id(operand) for operand in _looked_through(node))
        if isinstance(node, c_ast.FuncCall):
            for number, argument in enumerate(node.args.exprs if node.args else ()):
                if isinstance(one := plain_argument(argument), c_ast.ID) and one.name == parameter:
                    found.append(HandedArgument(node, number))
                    kept.add(id(one))
    kept -= {id(_itself(node.expr)) for node in nodes if isinstance(node, c_ast.UnaryOp) and node.op == "&"}
    is_hidden = any(isinstance(node, c_ast.Decl) and node.name == parameter for node in nodes)
    uses = (node for node in nodes if isinstance(node, c_ast.ID) and node.name == parameter)
    return None if is_hidden or any(id(node) not in kept for node in uses) else tuple(found)


def _looked_through(node: c_ast.Node) -> Iterator[c_ast.Node]:
    """Operands that are read through or compared, and go nowhere."""
    match node:
        case c_ast.UnaryOp(op="*" | "!"):
            yield plain_argument(node.expr)
        case c_ast.ArrayRef() | c_ast.StructRef(type="->"):
            yield plain_argument(node.name)
        case c_ast.BinaryOp() if node.op in _TESTS:
            yield from (plain_argument(node.left), plain_argument(node.right))
        case c_ast.If() | c_ast.TernaryOp():
            yield plain_argument(node.cond)
        case _:
            pass


def _itself(node: c_ast.Node) -> c_ast.Node:
    """The pointer whose own value the address of an lvalue is: of `p[0]` and `*p`; not of `p->m`, nor of `(*p)[i]`."""
    node = plain_argument(node)
    if isinstance(node, c_ast.ArrayRef):
        return plain_argument(node.name)
    return plain_argument(node.expr) if isinstance(node, c_ast.UnaryOp) and node.op == "*" else node
