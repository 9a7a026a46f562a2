"""A text is cut as the one before it where they are the same: an edit of one function costs that function.

What stands between two declarations and behind them decides nothing about them beyond the lines on which they end
(a literal goes on to the end of its line). So all that ends on lines above the edit stays, and from the end of any
declaration below it on, once the scan of the edited text gets there, everything is as it was.
"""

from __future__ import annotations

from collections.abc import Sequence

from warplens.analysis.frontend.declarations.cut import Chunk, cut, cut_between


class EarlierCut:
    """The last text of one file and its declarations; every text is cut as `cut` does it alone."""

    def __init__(self) -> None:
        self._text = ""
        self._chunks: tuple[Chunk, ...] = ()

    def cut(self, text: str) -> tuple[Chunk, ...]:
        """Declarations of a text, which is the last one from now on."""
        if text != self._text:
            chunks = self._cut_again(text)
            self._chunks = cut(text) if chunks is None else chunks
            self._text = text
        return self._chunks

    def _cut_again(self, text: str) -> tuple[Chunk, ...] | None:
        """The same from the declarations that are known; None where one never ends: those that follow hang on that."""
        if any(chunk.kind == "function" and self._text[chunk.end - 1] != "}" for chunk in self._chunks):
            return None
        above = text.rfind("\n", 0, _shared(self._text, text)) + 1
        kept = _ended(self._text, self._chunks, above)
        start = kept[-1].end if kept else 0
        below = text.find("\n", len(text) - _shared_at_end(self._text, text, above)) + 1
        by = len(text) - len(self._text)
        ends = {
            chunk.end + by: index
            for index, chunk in enumerate(self._chunks)
            if chunk.end + by >= max(below, start) and _is_whole(self._text, chunk)
        }
        found = cut_between(text, start, ends if below > 0 else ())
        if found is None:
            return None
        changed, end = found
        return (*kept, *changed, *(_moved(self._chunks[ends[end] + 1 :], by) if end >= 0 else ()))


def _ended(text: str, chunks: Sequence[Chunk], above: int) -> tuple[Chunk, ...]:
    """The declarations that end on lines before `above`, the last one not for what follows it."""
    count = sum(chunk.end < above for chunk in chunks)
    while count and not _is_whole(text, chunks[count - 1]):
        count -= 1
    return tuple(chunks[:count])


def _is_whole(text: str, chunk: Chunk) -> bool:
    """Whether it ends by itself: a structure without its semicolon ends where a function follows."""
    return chunk.kind != "declaration" or text[chunk.end - 1] == ";"


def _moved(chunks: Sequence[Chunk], by: int) -> Sequence[Chunk]:
    if by == 0:
        return chunks
    return [
        Chunk(
            chunk.start + by,
            chunk.end + by,
            chunk.kind,
            chunk.body + by if chunk.body >= 0 else -1,
            chunk.initialiser + by if chunk.initialiser >= 0 else -1,
        )
        for chunk in chunks
    ]


def _shared(one: str, other: str) -> int:
    """Length of the longest common beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _shared_at_end(one: str, other: str, start: int) -> int:
    """Length of the longest common end of what follows `start` in both."""
    low, high = 0, min(len(one), len(other)) - start
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]:
            low = middle
        else:
            high = middle - 1
    return low
