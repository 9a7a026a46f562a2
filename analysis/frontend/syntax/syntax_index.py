"""Nodes of a tree by kind, without walking through the tree for each question about a part of it.

The index belongs to the call that set it, and stands beside the arguments because every question about syntax, some
levels down, would have to hand it on. No answer depends on it: without one the same questions walk through the tree.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from pycparser import c_ast

Kinds = tuple[type[c_ast.Node], ...]


class _Index:
    """One tree in the order in which a stack walks through it: a node, then all below it, the last child first."""

    def __init__(self, root: c_ast.Node) -> None:
        self.nodes: list[c_ast.Node] = []
        self.ends: dict[int, tuple[int, int]] = {}
        """Where a node with children stands, and where what is below it ends."""
        self._by_kinds: dict[Kinds, tuple[list[int], list[c_ast.Node]]] = {}
        stack, nodes, unfinished = [root], self.nodes, list[tuple[int, int]]()
        while stack:
            rest = len(stack)
            while unfinished and unfinished[-1][0] >= rest:
                position = unfinished.pop()[1]
                self.ends[id(nodes[position])] = position, len(nodes)
            node = stack.pop()
            nodes.append(node)
            stack.extend(node)
            if len(stack) >= rest:
                unfinished.append((rest - 1, len(nodes) - 1))
        for _, position in unfinished:
            self.ends[id(nodes[position])] = position, len(nodes)

    def of_kinds(self, place: tuple[int, int], kinds: Kinds) -> Sequence[c_ast.Node]:
        """Those of a part of the tree."""
        if kinds not in self._by_kinds:
            positions = [position for position, node in enumerate(self.nodes) if isinstance(node, kinds)]
            self._by_kinds[kinds] = positions, [self.nodes[position] for position in positions]
        positions, found = self._by_kinds[kinds]
        return found[bisect_left(positions, place[0]) : bisect_left(positions, place[1])]


_INDEX: ContextVar[_Index | None] = ContextVar("_INDEX", default=None)


@contextmanager
def indexed(root: c_ast.Node) -> Iterator[None]:
    """Answer questions about parts of this tree from an index; nothing may change the tree meanwhile."""
    token = _INDEX.set(_Index(root))
    try:
        yield
    finally:
        _INDEX.reset(token)


def is_indexed(root: c_ast.Node | None) -> bool:
    """Whether questions about a tree cost no walk through it."""
    index = _INDEX.get()
    return index is not None and id(root) in index.ends


def nodes_of(root: c_ast.Node | None) -> Sequence[c_ast.Node]:
    """All nodes of a tree: each before those below it, its last child's first."""
    if root is None:
        return ()
    index = _INDEX.get()
    place = None if index is None else index.ends.get(id(root))
    if index is not None and place is not None:
        return index.nodes[place[0] : place[1]]
    found: list[c_ast.Node] = []
    stack = [root]
    while stack:
        node = stack.pop()
        found.append(node)
        stack.extend(node)
    return found


def nodes_of_kinds(root: c_ast.Node | None, kinds: Kinds) -> Sequence[c_ast.Node]:
    """Those nodes of a tree that are of one of these kinds, in the same order."""
    if root is None:
        return ()
    index = _INDEX.get()
    place = None if index is None else index.ends.get(id(root))
    if index is not None and place is not None:
        return index.of_kinds(place, kinds)
    return [node for node in nodes_of(root) if isinstance(node, kinds)]
