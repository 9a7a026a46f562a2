"""Where something stands: `path:line`, for offsets in the user's text and in the preprocessed one."""

from __future__ import annotations

import re
from bisect import bisect_right
from pathlib import Path

from warplens.analysis.frontend.declarations.gnu import matching_parenthesis
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.text.line_markers import regions
from warplens.analysis.text.source_map import SourceMap

_CALL = re.compile(r"\b(\w+)\s*\(")
_LONGEST_USE_LINES = 30


class Places:
    """Places of one file; `path` is how the user's file is called, below `folder`."""

    def __init__(self, path: str, folder: Path, source: str, preprocessed: Preprocessed) -> None:
        text, main_path = preprocessed.text, preprocessed.main_path
        self._path = path
        self._source = source
        self._map = SourceMap(source, text, main_path)
        self._macros = {macro.name: macro for macro in preprocessed.macros if macro.is_definition}
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

    def written(self, offset: int) -> str:
        """Where the macro is defined that gave what stands at an offset in the preprocessed text; empty if none did."""
        origin = self._map.origin(offset, offset + 1)
        if origin is None or not origin.in_macro:
            return ""
        macro = self._macros.get(origin.macro or self._used_at(origin.span.start))
        if macro is None:
            return ""
        return f"{self._path if macro.file == self._main_path else macro.file.removeprefix(self._folder)}:{macro.line}"

    def _used_at(self, offset: int) -> str:
        """The macro whose use, arguments included, reaches the line of an offset in the user's text."""
        line = self.line(offset)
        line_start, first = self._line_starts[line - 1], self._line_starts[max(line - _LONGEST_USE_LINES, 1) - 1]
        for use in _CALL.finditer(self._source, first, offset + 1):
            if use[1] in self._macros and matching_parenthesis(self._source, use.end() - 1) > line_start:
                return use[1]
        return ""

    def origin(self, offset: int) -> str:
        """Place of an offset in the preprocessed text; text of another file keeps that file's name."""
        region = self._regions[max(bisect_right(self._region_starts, offset) - 1, 0)]
        path = self._path if region.file == self._main_path else region.file.removeprefix(self._folder)
        return f"{path}:{region.line + self._text.count(chr(10), region.start, offset)}"
