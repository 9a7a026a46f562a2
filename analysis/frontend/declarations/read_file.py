"""A file's declarations before any is parsed: cut, read by themselves, found by name."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from warplens.analysis.c.struct_packing import Packing, packing
from warplens.analysis.frontend.declarations.cut import Chunk, cut
from warplens.analysis.frontend.declarations.declarations import (
    Declaration,
    DeclarationIndex,
    HeaderIndex,
    read_declaration,
)
from warplens.analysis.frontend.declarations.earlier_cut import EarlierCut
from warplens.analysis.frontend.declarations.foreign_names import may_have_universal_names, without_universal_names
from warplens.analysis.frontend.declarations.function_text import FunctionText, read_function
from warplens.analysis.frontend.declarations.included_function import (
    IncludedFunction,
    included_function,
    included_functions,
)
from warplens.analysis.frontend.declarations.line_numbers import LineNumber, line_numbers, without_numbers
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.frontend.syntax.memo import Memo
from warplens.analysis.text.line_markers import name_in_marker
from warplens.analysis.text.own_text import OwnText


@dataclass(frozen=True, slots=True)
class ReadFile:
    """`text` is that of `own`, `preprocessed` the whole, both as long as they were given, without what decides nothing.

    `chunks` are those of the user's file, in `text`, `functions` what the texts of its functions say, by their start.
    `numbered` are functions that it hands numbers of lines to which are not kept in the text. `included` are functions
    of files that are included behind its first declaration, as `chunks` and `functions` are.
    """

    own: OwnText
    text: str
    preprocessed: str
    chunks: tuple[Chunk, ...]
    functions: Mapping[int, FunctionText]
    index: DeclarationIndex
    numbered: frozenset[str]
    included: Mapping[Chunk, FunctionText]

    def included_functions(self, names: Container[str]) -> dict[str, IncludedFunction]:
        """Functions with these names that included files of the program define, by name."""
        found = {one.name: one for one in self.index.headers.functions if one.name in names}
        for chunk, function in self.included.items():
            if function.name in names and chunk.body >= 0:
                start, body = self.own.origin(chunk.start), self.own.origin(chunk.body)
                placed = Chunk(start, self.own.origin(chunk.end - 1) + 1, chunk.kind, body)
                one = included_function(self.preprocessed, placed)
                if one is not None:
                    found[one.name] = one
        return found


def read_file(preprocessed: Preprocessed, memo: Memo) -> ReadFile:
    """Cut and read; what was read of the same texts before is remembered."""
    whole, main_path = preprocessed.text, preprocessed.main_path
    own = OwnText(whole, main_path)
    if may_have_universal_names(own.text):
        whole = without_universal_names(whole)
        own = OwnText(whole, main_path)
    headers, packed = memo.get("headers", own.headers, lambda: _headers(without_universal_names(own.headers)))
    numbers = line_numbers(own.text, name_in_marker(main_path))
    text = without_numbers(own.text, numbers)
    every = memo.get("earlier cut", main_path, EarlierCut).cut(text)
    chunks = tuple(chunk for chunk in every if own.is_own(chunk.start))
    packed = packing(text, packed)
    functions, declarations = _functions(text, chunks, memo), _declarations(text, every, own, packed, memo)
    known = headers.defined.union(one.name for one in functions.values())
    known |= {one.definition.name for one in declarations if one.definition is not None}
    if any(number.called in known for number in numbers):
        numbers = tuple(number for number in numbers if number.called not in known)
        text = without_numbers(own.text, numbers)
        functions, declarations = _functions(text, chunks, memo), _declarations(text, every, own, packed, memo)
    moved = [LineNumber(own.origin(n.start), own.origin(n.end - 1) + 1, n.called) for n in numbers]
    index = DeclarationIndex(headers, declarations, memo)
    numbered = frozenset(number.called for number in numbers)
    others = [chunk for chunk in every if chunk.kind == "function" and not own.is_own(chunk.start)]
    texts = _functions(text, others, memo) if others else {}
    included = {chunk: texts[chunk.start] for chunk in others}
    return ReadFile(own, text, without_numbers(whole, moved), chunks, functions, index, numbered, included)


def _headers(text: str) -> tuple[HeaderIndex, Packing]:
    packed = packing(text, Packing())
    chunks = cut(text)
    found = (
        read_declaration(text, chunk, own_file=False, is_packed=packed.touches(chunk.start, chunk.end))
        for chunk in chunks
    )
    declarations = tuple(declaration for declaration in found if declaration is not None)
    return HeaderIndex(declarations, included_functions(text, chunks)), packed


def _functions(text: str, chunks: Sequence[Chunk], memo: Memo) -> dict[int, FunctionText]:
    """Functions by where they start."""
    found: dict[int, FunctionText] = {}
    for chunk in chunks:
        if chunk.kind == "function":
            alone, body = text[chunk.start : chunk.end], chunk.body - chunk.start if chunk.body >= 0 else -1
            found[chunk.start] = _function(alone, body, memo)
    return found


def _function(text: str, body: int, memo: Memo) -> FunctionText:
    return memo.get("function text", (text, body), lambda: read_function(text, body))


def _declarations(
    text: str, chunks: Sequence[Chunk], own: OwnText, packed: Packing, memo: Memo
) -> tuple[Declaration, ...]:
    found = (
        _declaration(text, chunk, own.is_own(chunk.start), packed.touches(chunk.start, chunk.end), memo)
        for chunk in chunks
    )
    return tuple(declaration for declaration in found if declaration is not None)


def _declaration(text: str, chunk: Chunk, is_own: bool, is_packed: bool, memo: Memo) -> Declaration | None:
    """The same object for the same text, so that what follows from it is soon found again."""
    alone, start = text[chunk.start : chunk.end], chunk.start
    body, initialiser = (at - start if at >= 0 else -1 for at in (chunk.body, chunk.initialiser))
    key = (alone, chunk.kind, body, initialiser, is_own, is_packed)
    same = (0, len(alone), chunk.kind, body, initialiser)
    return memo.get("declaration", key, lambda: read_declaration(alone, Chunk(*same), is_own, is_packed))
