"""What was found of syntax trees, each once, for as long as a file is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from pycparser import c_ast
from warplens.analysis.frontend.syntax.syntax_index import IndexedTrees

T = TypeVar("T")


class OneOfEach:
    """One object of each class, made when it is asked for the first time."""

    def __init__(self) -> None:
        self._made: dict[object, object] = {}

    def of(self, kind: Callable[[], T]) -> T:
        """That of a class."""
        if kind not in self._made:
            self._made[kind] = kind()
        return cast("T", self._made[kind])


class TreeMemo:
    """Results by tree, which it keeps; `indexed` are trees that answer questions about their parts without a walk.

    `others` are results that do not hang on a tree alone.
    """

    def __init__(self) -> None:
        self.others = OneOfEach()
        self._found: dict[tuple[str, int], tuple[c_ast.Node, object]] = {}
        self.indexed = IndexedTrees()

    def get(self, kind: str, tree: c_ast.Node, find: Callable[[], T]) -> T:
        """What `find` gives of a tree that nothing changes."""
        key = (kind, id(tree))
        if key not in self._found:
            self._found[key] = tree, find()
        return cast("T", self._found[key][1])
