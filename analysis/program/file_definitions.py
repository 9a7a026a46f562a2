"""What one file of a program defines for the others: its functions, each with all that it needs of its own file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from warplens.analysis.frontend.declarations.declarations import Declaration
from warplens.analysis.frontend.declarations.declarators import KEYWORDS
from warplens.analysis.frontend.declarations.declared_names import IDENTIFIER
from warplens.analysis.frontend.declarations.function_attributes import attributes_of_functions
from warplens.analysis.frontend.declarations.function_text import FunctionText
from warplens.analysis.frontend.declarations.read_file import ReadFile, read_file
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.frontend.syntax.memo import Memo
from warplens.analysis.program.kind_of_name import NameKind, kind_of_name
from warplens.analysis.text.source_map import SourceMap

_SPECIFIERS = re.compile(r"[^{}()=;\[\],]*")
_CALLED = re.compile(rf"(?<!->)(?<!\.)\b({IDENTIFIER.pattern})\s*\(")
_WORD = re.compile(rf"(->\s*|(?<![.\d])\.\s*|)({IDENTIFIER.pattern})")
_REPLACEABLE = frozenset({"weak", "weakref", "ifunc", "alias"})
_PRAGMA_WEAK = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+weak[ \t]+([^\W\d]\w*)", re.MULTILINE)


@dataclass(frozen=True, eq=False, slots=True)
class ProgramDeclaration:
    """A declaration of one file. `line` is that of a function's name where the file itself defines it, else 0.

    `kinds` says what each of its names is, in their order. `needs` are the names which it mentions and the file
    declares, `calls` those that it calls and the file does not declare. `is_shared`: other files have the same object
    or function by this name (no `static`).
    """

    declaration: Declaration
    kinds: tuple[NameKind, ...]
    line: int
    needs: tuple[str, ...]
    calls: tuple[str, ...]
    is_shared: bool

    @property
    def has_state(self) -> bool:
        """Whether it is the file's alone and may change: the same words in another file make another object."""
        return not self.is_shared and self.declaration.definition is None and not _is_constant(self.declaration)


@dataclass(frozen=True, eq=False)
class FileDefinitions:
    """The declarations that lead to what a file defines for others, in source order.

    `functions` are those that others can call, by name, with the position of their definition. `unusable` are such
    that others may not look into, with the reason as a predicate. `numbered`: see `ReadFile`.
    """

    path: str
    declarations: tuple[ProgramDeclaration, ...]
    functions: Mapping[str, int]
    unusable: Mapping[str, str] = field(default_factory=dict)
    numbered: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The file's own name, without its folders."""
        return re.split(r"[/\\]", self.path)[-1]

    @cached_property
    def by_name(self) -> Mapping[str, tuple[int, ...]]:
        """Positions of the declarations of a name."""
        found: dict[str, tuple[int, ...]] = {}
        for position, one in enumerate(self.declarations):
            for name in one.declaration.names:
                found[name] = (*found.get(name, ()), position)
        return found

    def line_of(self, function: str) -> int:
        """1-based line of the definition's name."""
        return self.declarations[self.functions[function]].line


def file_definitions(preprocessed: Preprocessed, memo: Memo) -> FileDefinitions:
    """What a translation unit defines for other files of the program. Never raises.

    `memo` may be one that nothing else uses: of the texts of one file hardly any comes again in another.
    Not modelled: functions with external linkage that included files define, those that a library may replace where
    the program is built or started (`LD_PRELOAD`).
    """
    return _File(read_file(preprocessed, memo), preprocessed.main_path).definitions()


class _File:
    def __init__(self, file: ReadFile, path: str) -> None:
        self._file = file
        self._path = path
        self._index = file.index
        own = {one.name: start for start, one in file.functions.items() if one.body >= 0}
        self._starts = {name: start for name, start in own.items() if name not in {"main", "?"}}
        text = file.preprocessed
        self._weak = frozenset(_PRAGMA_WEAK.findall(text) if "weak" in text else ())
        self._has_attributes = any(word in text for word in _REPLACEABLE)

    def definitions(self) -> FileDefinitions:
        """All of them."""
        unusable: dict[str, str] = {}
        offered: list[str] = []
        for name, start in self._starts.items():
            function = self._file.functions[start]
            declared = self._index.declarations_of(name)
            if function.is_static or any(is_static(one) for one in declared):
                continue
            why = self._why_not(function, declared)
            if why:
                unusable[name] = why
            else:
                offered.append(name)
        found = self._led_to(offered)
        lines = self._lines()
        declarations = tuple(self._shared(one, lines) for one in found)
        at = {one.definition.name: n for n, one in enumerate(found) if one.definition is not None}
        functions = {name: at[name] for name in offered}
        return FileDefinitions(self._path, declarations, functions, unusable, self._file.numbered)

    def _why_not(self, function: FunctionText, declared: tuple[Declaration, ...]) -> str:
        """Why other files may not look into a function, as a predicate; empty if they may."""
        if self._index.definition(function.name) is None:
            return "is longer than what is looked into"
        if function.name in self._weak or (self._has_attributes and any(map(_is_replaceable, declared))):
            return "another definition may replace (it is `weak` or stands for another one)"
        if sum(one.definition is not None for one in declared) > 1:
            return "its file defines more than once"
        words = _SPECIFIERS.match(function.text)
        is_inline = words is not None and "inline" in words.group().split()
        if is_inline and not any("extern" in _specifiers(one) for one in declared):
            return "is `inline`, of which its file gives others none"
        return ""

    def _led_to(self, names: list[str]) -> list[Declaration]:
        """Declarations that these lead to, the headers' first, each in source order."""
        found: dict[Declaration, None] = {}
        asked = set(names)
        todo = list(names)
        while todo:
            for one in self._index.declarations_of(todo.pop()):
                if one not in found:
                    found[one] = None
                    words = one.mentioned if one.definition is None else words_but_members(one.definition.text)
                    new = [name for name in (*one.names, *words) if name not in asked and name in self._index]
                    asked.update(new)
                    todo += new
        return [one for one in self._index.every if one in found]

    def _shared(self, one: Declaration, lines: Mapping[str, int]) -> ProgramDeclaration:
        """A declaration without what was learnt of it, which would only be sent along."""
        definition = one.definition
        line = 0
        if definition is not None and definition.name in lines:
            line = lines[definition.name]
            definition = replace(definition, file=re.split(r"[/\\]", self._path)[-1])
        words = one.mentioned if one.definition is None else words_but_members(one.definition.text)
        needs = tuple(sorted(name for name in words - KEYWORDS if name in self._index))
        called = frozenset(_CALLED.findall(one.definition.text, one.definition.body)) if one.definition else ()
        calls = tuple(sorted(name for name in called if name not in KEYWORDS and name not in self._index))
        kinds = tuple(kind_of_name(one, name) for name in one.names)
        return ProgramDeclaration(replace(one, definition=definition), kinds, line, needs, calls, not is_static(one))

    def _lines(self) -> dict[str, int]:
        """Lines of the names of the file's own functions."""
        file = self._file
        places = SourceMap("", file.preprocessed, self._path, file.own.regions)
        found: dict[str, int] = {}
        for name, start in self._starts.items():
            at = re.compile(rf"\b{re.escape(name)}\s*\(").search(file.text, start)
            found[name] = places.line_of(file.own.origin(at.start() if at else start))
        return found


def _specifiers(one: Declaration) -> list[str]:
    """The words before a declaration's first bracket, comma or `=`."""
    found = _SPECIFIERS.match(one.text or (one.definition.text if one.definition else ""))
    return found.group().split() if found else []


def words_but_members(text: str) -> frozenset[str]:
    """Identifiers of a function but those that only name members, behind `.` or `->`.

    >>> sorted(words_but_members("{ p->x = q.y; switch (x) { case A ... B: g(1.f); } }"))
    ['A', 'B', 'case', 'f', 'g', 'p', 'q', 'switch', 'x']
    """
    return frozenset(word for member, word in _WORD.findall(text) if not member)


def _is_constant(one: Declaration) -> bool:
    """Whether what is declared is `const` itself: in `const double *table` what it leads to is, the pointer is not."""
    declared = one.text.partition("=")[0].rpartition("*")[2]
    return "const" in IDENTIFIER.findall(declared)


def is_static(one: Declaration) -> bool:
    """Whether a function or variable is the file's alone."""
    return "static" in _specifiers(one)


def _is_replaceable(one: Declaration) -> bool:
    """Whether an attribute says that the definition may not be the one that is linked."""
    head = one.definition.text[: one.definition.body] + ";" if one.definition else one.text
    return any(not _REPLACEABLE.isdisjoint(words) for words in attributes_of_functions(head).values())
