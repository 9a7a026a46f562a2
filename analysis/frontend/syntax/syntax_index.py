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


_Place = tuple[_Index, tuple[int, int]]


class IndexedTrees:
    """Trees that many calls ask about; nothing may change them any more."""

    def __init__(self) -> None:
        self._places: dict[int, _Place] = {}

    def add(self, root: c_ast.Node) -> None:
        """One tree more."""
        index = _Index(root)
        self._places.update((node, (index, place)) for node, place in index.ends.items())

    def place(self, node: int) -> _Place | None:
        """Where a node stands, by its `id`."""
        return self._places.get(node)


_INDEX: ContextVar[tuple[_Index, IndexedTrees] | None] = ContextVar("_INDEX", default=None)


@contextmanager
def indexed(root: c_ast.Node, others: IndexedTrees | None = None) -> Iterator[None]:
    """Answer questions about parts of this tree and of others from an index; nothing may change the tree meanwhile."""
    token = _INDEX.set((_Index(root), others or IndexedTrees()))
    try:
        yield
    finally:
        _INDEX.reset(token)


def _place_of(root: c_ast.Node | None) -> _Place | None:
    found = _INDEX.get()
    if found is None:
        return None
    place = found[0].ends.get(id(root))
    return found[1].place(id(root)) if place is None else (found[0], place)


def is_indexed(root: c_ast.Node | None) -> bool:
    """Whether questions about a tree cost no walk through it."""
    return _place_of(root) is not None


def nodes_of(root: c_ast.Node | None) -> Sequence[c_ast.Node]:
    """All nodes of a tree: each before those below it, its last child's first."""
    if root is None:
        return ()
    found = _place_of(root)
    if found is not None:
        return found[0].nodes[found[1][0] : found[1][1]]
    return _walked(root)


def _walked(root: c_ast.Node) -> list[c_ast.Node]:
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
    found = _place_of(root)
    if found is not None:
        return found[0].of_kinds(found[1], kinds)
    return [node for node in _walked(root) if isinstance(node, kinds)]
