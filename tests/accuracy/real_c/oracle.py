"""An independent count of a file's functions and loops: clang's parser on the text that our front end gets.

OpenMP stays off: with it on, clang's cursors hide the loops below a directive.
"""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.text.line_markers import Region

_NAME = "preprocessed.c"


@dataclass(frozen=True, slots=True)
class CountedFunction:
    """A definition, its offsets in the preprocessed text, and its loops."""

    name: str
    start: int
    end: int
    loops: int


@dataclass(frozen=True, slots=True)
class Counted:
    """Functions that begin in the user's own file. `errors` are clang's in that file: near one its count is in doubt.

    gcc's spellings in system headers, which clang refuses, are not among them.
    """

    functions: tuple[CountedFunction, ...]
    errors: int

    @property
    def loops(self) -> int:
        """Loops of all functions."""
        return sum(function.loops for function in self.functions)


def count(text: str, own: tuple[Region, ...]) -> Counted:
    """Count in the `own` regions of a preprocessed text.

    Needs the dependency group `real-c`, which is for this survey only: without it the module can still be imported.
    """
    from clang.cindex import CursorKind, Diagnostic, Index, TranslationUnit

    loop_kinds = {CursorKind.FOR_STMT, CursorKind.WHILE_STMT, CursorKind.DO_STMT}
    ascii_text = text.encode("ascii", "replace").decode("ascii")  # clang's offsets are bytes
    unit = TranslationUnit.from_source(
        _NAME,
        args=["-x", "c", "-std=gnu11", "-w", "-ferror-limit=0"],
        unsaved_files=[(_NAME, ascii_text)],
        index=Index.create(),
    )
    functions: list[CountedFunction] = []
    for cursor in unit.cursor.get_children():
        if cursor.kind is not CursorKind.FUNCTION_DECL or not cursor.is_definition():
            continue
        start, end = cursor.extent.start.offset, cursor.extent.end.offset
        if _is_in(start, own):
            loops = sum(inner.kind in loop_kinds for inner in cursor.walk_preorder())
            functions.append(CountedFunction(cursor.spelling, start, end, loops))
    errors = [found for found in unit.diagnostics if found.severity >= Diagnostic.Error]
    return Counted(tuple(functions), sum(_is_in(found.location.offset, own) for found in errors))


def _is_in(offset: int, own: tuple[Region, ...]) -> bool:
    return any(region.start <= offset < region.end for region in own)
