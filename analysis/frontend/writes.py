"""What a piece of syntax may write: scalars, memory through which names, whose address it takes."""

from __future__ import annotations

from dataclasses import dataclass

from pycparser import c_ast


@dataclass(frozen=True, slots=True)
class Writes:
    """Source names. `scalars` are assigned or declared, `memory` are bases of written elements or members."""

    scalars: frozenset[str]
    memory: frozenset[str]
    addressed: frozenset[str]
    declared: frozenset[str]
    targets: tuple[c_ast.Node, ...] = ()
    """Written memory as syntax."""


def writes_of(node: c_ast.Node | None) -> Writes:
    """Scan a tree, without recursion."""
    scalars: set[str] = set()
    memory: set[str] = set()
    addressed: set[str] = set()
    declared: set[str] = set()
    targets: list[c_ast.Node] = []
    stack = [node]
    while stack:
        item = stack.pop()
        if item is None:
            continue
        target = None
        if isinstance(item, c_ast.Assignment):
            target = item.lvalue
        elif isinstance(item, c_ast.UnaryOp):
            if item.op in {"++", "--", "p++", "p--"}:
                target = item.expr
            elif item.op == "&" and isinstance(item.expr, c_ast.ID):
                addressed.add(item.expr.name)
        elif isinstance(item, c_ast.Decl) and item.name:
            scalars.add(item.name)
            declared.add(item.name)
        if target is not None:
            name = base_name(target)
            if name:
                (scalars if isinstance(target, c_ast.ID) else memory).add(name)
            if not isinstance(target, c_ast.ID):
                targets.append(target)
        stack.extend(item)
    return Writes(frozenset(scalars), frozenset(memory), frozenset(addressed), frozenset(declared), tuple(targets))


def base_name(node: c_ast.Node) -> str | None:
    """Variable at the bottom of an lvalue or address expression."""
    while True:
        match node:
            case c_ast.ID():
                return str(node.name)
            case c_ast.ArrayRef() | c_ast.StructRef():
                node = node.name
            case c_ast.UnaryOp() | c_ast.Cast():
                node = node.expr
            case c_ast.BinaryOp():
                node = node.left
            case _:
                return None


def loops_in(node: c_ast.Node | None) -> int:
    """Number of loops of any kind in a tree."""
    count = 0
    stack = [node]
    while stack:
        item = stack.pop()
        if item is not None:
            count += isinstance(item, (c_ast.For, c_ast.While, c_ast.DoWhile))
            stack.extend(item)
    return count


def contains(node: c_ast.Node | None, kinds: type[c_ast.Node] | tuple[type[c_ast.Node], ...]) -> bool:
    """Whether a node of these kinds stands in the tree, loops inside not searched for their own exits."""
    stack = [node]
    while stack:
        item = stack.pop()
        if item is None:
            continue
        if isinstance(item, kinds):
            return True
        if not isinstance(item, (c_ast.For, c_ast.While, c_ast.DoWhile)):
            stack.extend(item)
    return False
