"""Which of our loops each OpenMP loop directive of the text belongs to."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import TypeVar

from accuracy.real_c.openmp import LoopDirective, loop_directive

Owner = TypeVar("Owner")


def directive_of(pragmas: Sequence[str]) -> LoopDirective | None:
    """The loop directive among the pragmas that stand before a loop."""
    return next((found for pragma in pragmas if (found := loop_directive(pragma)) is not None), None)


def pairs(in_text: Sequence[str], ours: Sequence[str]) -> dict[int, int]:
    """Index in `ours` by index in `in_text`, in order: the longest run of equal directives first.

    >>> pairs(["for", "for nowait", "for"], ["for", "for"])
    {0: 0, 2: 1}
    """
    blocks = SequenceMatcher(a=in_text, b=ours, autojunk=False).get_matching_blocks()
    return {block.a + step: block.b + step for block in blocks for step in range(block.size)}


def owner_at(offset: int, starts: Sequence[int], ends: Sequence[int], owners: Sequence[Owner]) -> Owner | None:
    """The stretch that holds an offset; `starts` are sorted and stretches do not overlap."""
    index = bisect_right(starts, offset) - 1
    return owners[index] if index >= 0 and offset < ends[index] else None
