"""What random affine nests are made of: nodes numbered in source order, a one- and a two-dimensional array."""

from hypothesis import strategies as st
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import ArrayObject, Loop, LoopNest
from warplens.analysis.ir.types import DOUBLE


class NumberedNodes:
    """Draws nodes and numbers them in source order."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.next_id = 0

    def number(self) -> NodeId:
        self.next_id += 1
        return NodeId(self.next_id - 1)


def as_nest(root: Loop) -> LoopNest:
    """A nest over `a` and the two-dimensional `b`."""
    arrays = tuple(ArrayObject(name, DOUBLE, 8, (None,) * rank, "global", False) for name, rank in (("a", 1), ("b", 2)))
    return LoopNest(root, arrays, (), ())
