"""Where something stands: `path:line`, for offsets in the user's text and in the preprocessed one."""

from __future__ import annotations

from bisect import bisect_right
from pathlib import Path

from warplens.analysis.text.line_markers import regions


class Places:
    """Places of one file; `path` is how the user's file is called, below `folder`."""

    def __init__(self, path: str, folder: Path, source: str, text: str, main_path: str) -> None:
        self._path = path
        self._folder = f"{folder}/"
        self._text = text
        self._main_path = main_path
        self._regions = regions(text)
        self._region_starts = [region.start for region in self._regions]
        self._line_starts = [0, *(at + 1 for at, character in enumerate(source) if character == "\n")]

    @property
    def lines(self) -> int:
        """Lines of the user's file."""
        return len(self._line_starts)

    def line(self, offset: int) -> int:
        """1-based line of an offset in the user's text."""
        return bisect_right(self._line_starts, offset)

    def at(self, offset: int) -> str:
        """Place of an offset in the user's text."""
        return f"{self._path}:{self.line(offset)}"

    def origin(self, offset: int) -> str:
        """Place of an offset in the preprocessed text; text of another file keeps that file's name."""
        region = self._regions[max(bisect_right(self._region_starts, offset) - 1, 0)]
        path = self._path if region.file == self._main_path else region.file.removeprefix(self._folder)
        return f"{path}:{region.line + self._text.count(chr(10), region.start, offset)}"
