"""One C file to what it says of sizes. No loop is lowered: a program has many files, and most of them nobody opens."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import replace

from pycparser import c_ast
from warplens.analysis.frontend.declarations.cut import Chunk
from warplens.analysis.frontend.declarations.declarations import DeclarationIndex, names_in
from warplens.analysis.frontend.declarations.declared_names import IDENTIFIER
from warplens.analysis.frontend.declarations.function_text import FunctionText, read_function
from warplens.analysis.frontend.declarations.included_function import IncludedFunction
from warplens.analysis.frontend.declarations.parse_declaration import parse_declaration
from warplens.analysis.frontend.declarations.read_file import ReadFile, read_file
from warplens.analysis.frontend.declared_scopes import DeclaredScopes
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.frontend.scopes.file_scopes import FileScopes
from warplens.analysis.frontend.syntax.memo import Memo
from warplens.analysis.program.sizes.file_sizes import (
    Allocation,
    FileLines,
    FileSizes,
    FunctionSizes,
    Statement,
    Store,
)
from warplens.analysis.program.sizes.function_sizes import function_sizes, initial_stores
from warplens.analysis.program.sizes.place_reader import shape_of
from warplens.analysis.program.sizes.types_met import TypesMet
from warplens.analysis.text.source_map import SourceMap

_LONGEST_STATEMENT = 60
_LONGEST_FUNCTION = 200_000
_COMMENT = re.compile(r"/\*.*?(?:\*/|$)|//.*$")
_IS_ABSOLUTE = re.compile(r"[/\\]|[A-Za-z]:")
_MOST_OF_HEADERS = 500
"""Functions of included files that are read for one file."""
_Placing = Callable[[c_ast.Node], Statement]
_FIRST_LINE = 2
"""The line in a tree's coordinates that is the first of its text."""


def read_sizes(
    source: str,
    preprocessed: Preprocessed,
    memo: Memo,
    file_scopes: FileScopes | None = None,
    file: ReadFile | None = None,
) -> tuple[FileSizes, FileLines]:
    """What a file says of sizes, and where; never raises. Functions are remembered by their text and what that needs.

    `file_scopes` and `file` are shared with whoever reads the same file.

    Functions of included files are read where its own lead to them by name; statements there are as the preprocessor
    leaves them. Not modelled: those of the system's headers.
    """
    return _File(source, preprocessed, memo, file_scopes, file or read_file(preprocessed, memo)).read()


class _File:
    def __init__(
        self, source: str, preprocessed: Preprocessed, memo: Memo, file_scopes: FileScopes | None, file: ReadFile
    ) -> None:
        self._lines = source.split("\n")
        self._preprocessed = preprocessed
        self._memo = memo
        self._file = file
        self._index: DeclarationIndex = file.index
        self._map = SourceMap(source, file.preprocessed, preprocessed.main_path, file.own.regions)
        self._scopes = DeclaredScopes(memo, file.index, file_scopes)
        self._types = TypesMet()
        self._statics: set[str] = set()
        self._declarations: list[int] = []

    def read(self) -> tuple[FileSizes, FileLines]:
        functions: list[FunctionSizes] = []
        lines: list[tuple[str, int]] = []
        headers: list[tuple[str, str]] = []
        initial: list[Store] = []
        extents: list[Allocation] = []
        for chunk in self._file.chunks:
            if chunk.kind == "function" and chunk.body >= 0 and chunk.end - chunk.start < _LONGEST_FUNCTION:
                text = self._file.functions[chunk.start]
                first = self._line(chunk.start)
                found = self._function(chunk, text, first)
                if found is not None:
                    functions.append(found)
                    lines.append((found.name, first))
                    if text.is_static:
                        self._statics.add(text.name)
            elif chunk.kind == "declaration":
                stores, allocations = self._declaration(chunk)
                initial += stores
                extents += allocations
        for one in self._called_of_headers():
            found = self._included(one)
            if found is not None:
                functions.append(found)
                lines.append((found.name, one.lines[0]))
                headers.append((found.name, found.header))
                self._statics.add(found.name)
        sizes = FileSizes(
            self._preprocessed.main_path,
            tuple(functions),
            tuple(initial),
            tuple(extents),
            frozenset(self._statics),
            tuple(self._types.structures.items()),
            tuple(self._types.variables.items()),
        )
        return sizes, FileLines(tuple(lines), tuple(self._declarations), tuple(headers))

    def _line(self, at: int) -> int:
        """Line of the source of an offset in the file's own text."""
        return self._map.line_of(self._file.own.origin(at))

    def _function(self, chunk: Chunk, function: FunctionText, first: int) -> FunctionSizes | None:
        last = self._line(chunk.end - 1)
        written = tuple(self._lines[first - 1 : last]) if first else ()

        def placing() -> _Placing:
            starts = _line_starts(function.text)

            def placed(node: c_ast.Node) -> Statement:
                line = _row(node, starts, first, lambda at: self._line(chunk.start + at))
                return Statement(line - first, self._statement(line))

            return placed

        return self._read(function, written, placing, is_static=function.is_static)

    def _included(self, one: IncludedFunction) -> FunctionSizes | None:
        """A function of a header, for this file alone."""
        first = one.lines[0]
        relative = tuple(line - first for line in one.lines)
        header = _absolute(one.file, self._preprocessed.main_path)

        def placing() -> _Placing:
            rows = one.text.split("\n")

            def placed(node: c_ast.Node) -> Statement:
                row = min(max(getattr(node.coord, "line", _FIRST_LINE) - _FIRST_LINE, 0), len(relative) - 1)
                return Statement(max(relative[row], 0), _shown(rows[row]))

            return placed

        return self._read(self._text_of(one), relative, placing, is_static=True, header=header)

    def _text_of(self, one: IncludedFunction) -> FunctionText:
        return self._memo.get("function text", (one.text, one.body), lambda: read_function(one.text, one.body))

    def _called_of_headers(self) -> list[IncludedFunction]:
        """Functions of the program's headers that the file's own lead to by name."""
        if not self._file.included and not self._index.headers.functions:
            return []
        own = [one for one in self._file.functions.values() if one.body >= 0]
        names = {one.name for one in own}
        found: list[IncludedFunction] = []
        waiting = frozenset[str]().union(*(one.in_body for one in own)) - names
        while waiting and len(found) < _MOST_OF_HEADERS:
            names |= waiting
            new = self._file.included_functions(waiting)
            found += new.values()
            waiting = frozenset[str]().union(*(self._text_of(one).in_body for one in new.values())) - names
        return found[:_MOST_OF_HEADERS]

    def _read(
        self,
        function: FunctionText,
        written: tuple[object, ...],
        placing: Callable[[], _Placing],
        *,
        is_static: bool,
        header: str = "",
    ) -> FunctionSizes | None:
        """`written` is what `placing` says of its statements follows from."""
        needed = self._index.needed_by(function.others)
        types = tuple(sorted(function.others & needed.type_names))
        scope, _ = self._scopes.of(needed.texts)
        self._types.take_in(scope)

        def read() -> FunctionSizes | None:
            parsed = parse_declaration(function.text, types, function.body)
            tree = next((one for one in parsed.declarations if isinstance(one, c_ast.FuncDef)), None)
            try:
                return (
                    None if tree is None else replace(function_sizes(tree, scope, is_static, placing()), header=header)
                )
            except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError):
                return None  # C that a compiler would refuse breaks any expectation

        return self._memo.get("function sizes", (function.text, needed.texts, types, written, header), read)

    def _declaration(self, chunk: Chunk) -> tuple[tuple[Store, ...], tuple[Allocation, ...]]:
        """A variable of the file: its type, and what it starts as."""
        text = self._file.text[chunk.start : chunk.end]
        if text.lstrip().startswith("typedef") or len(text) > _LONGEST_FUNCTION:
            return (), ()
        needed = self._index.needed_by(frozenset(IDENTIFIER.findall(text)))
        scope, _ = self._scopes.of(needed.texts)
        self._types.take_in(scope)
        line = self._line(chunk.start)
        at = Statement(len(self._declarations), self._statement(line))
        self._declarations.append(line)
        stores: tuple[Store, ...] = ()
        extents: tuple[Allocation, ...] = ()
        types = names_in(text, needed.type_names)
        parsed = self._memo.get("sizes declaration", (text, types), lambda: parse_declaration(text, types))
        for node in parsed.declarations:
            if not isinstance(node, c_ast.Decl) or not node.name or isinstance(node.type, c_ast.FuncDecl):
                continue
            symbol = scope.symbols.get(node.name)
            if symbol is not None:
                self._types.variables[node.name] = shape_of(symbol.type)
            if "static" in (node.storage or []):
                self._statics.add(node.name)
            try:
                found, sized = initial_stores(node, scope, lambda _: at)
            except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError):
                continue
            stores += found
            extents += sized
        return stores, extents

    def _statement(self, line: int) -> str:
        """A line of the source without comments, cut where it is long."""
        return _shown(self._lines[line - 1] if 0 < line <= len(self._lines) else "")


def _shown(line: str) -> str:
    text = " ".join(_COMMENT.sub(" ", line).split()).rstrip("{").strip().rstrip(";")
    return text if len(text) <= _LONGEST_STATEMENT else f"{text[: _LONGEST_STATEMENT - 1]}…"


def _absolute(file: str, main_path: str) -> str:
    """Path of a header that a preprocessor calls as the `#include` and the flags do."""
    path = file if _IS_ABSOLUTE.match(file) else f"{main_path[: main_path.rfind('/') + 1]}{file}"
    return posixpath.normpath(path)


def _line_starts(text: str) -> list[int]:
    starts = [0]
    while (at := text.find("\n", starts[-1])) >= 0:
        starts.append(at + 1)
    return starts


def _row(node: c_ast.Node, starts: list[int], first: int, line_at: Callable[[int], int]) -> int:
    """Line of the source of a node in the tree of a function that begins on `first`."""
    row = getattr(node.coord, "line", _FIRST_LINE) - _FIRST_LINE
    if not 0 <= row < len(starts):
        return first
    return max(line_at(starts[row]), first)
