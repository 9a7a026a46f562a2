"""Whether the names of a part of another file mean the same in this one, and which declarations of it are new."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from warplens.analysis.c.c_library import library_call
from warplens.analysis.c.math_calls import math_function
from warplens.analysis.frontend.declarations.declarations import Declaration, DeclarationIndex
from warplens.analysis.frontend.declarations.function_text import FunctionText
from warplens.analysis.frontend.syntax.memo import Memo
from warplens.analysis.program.called_part import CalledPart
from warplens.analysis.program.declared_type import are_compatible, declared_type
from warplens.analysis.program.file_definitions import FileDefinitions, ProgramDeclaration, is_static, words_but_members
from warplens.analysis.program.kind_of_name import NameKind, kind_of_name


class DifferentMeaningError(Exception):
    """A name that means something else here, as a predicate of the function that needs it."""


@dataclass(frozen=True, slots=True)
class _Met:
    """A declaration of a name that is in force. `file` is the one it is from, None for the one that is analysed."""

    declaration: Declaration
    kind: NameKind
    is_shared: bool
    file: FileDefinitions | None = None


class NamesHere:
    """What the names of the file that is analysed mean; `functions` are those that it has, `words` in their bodies.

    `asked` notes the names of which it was asked whether bodies say them, calls aside or not, with the answers.
    """

    def __init__(
        self, index: DeclarationIndex, functions: Sequence[FunctionText], words: frozenset[str], memo: Memo
    ) -> None:
        self.index = index
        self._words = words
        self.memo = memo
        self._functions = functions
        self.asked: dict[tuple[str, bool], bool] = {}

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The file's own declarations, functions without their bodies: all that answers here depend on beside words."""
        return tuple(one.text for one in self.index.own)

    def is_said(self, name: str, *, is_called: bool = False) -> bool:
        """Whether the body of a function of the file has the word, but as a member's, or, if `is_called`, in calls."""
        key = (name, is_called)
        if key not in self.asked:
            having = (one for one in self._functions if name in self._words and name in one.in_body)
            if is_called:
                self.asked[key] = any(name in one.plain for one in having)
            else:
                self.asked[key] = any(name in self._words_of(one.text) for one in having)
        return self.asked[key]

    def _words_of(self, text: str) -> frozenset[str]:
        return self.memo.get("words", text, lambda: words_but_members(text))

    def met(self, name: str) -> Iterator[_Met]:
        """Declarations of the name."""
        for one in self.index.declarations_of(name):
            yield _Met(one, kind_of_name(one, name), not is_static(one))


class JoinedNames:
    """Names of the file and of the parts that joined it so far."""

    def __init__(self, here: NamesHere) -> None:
        self._here = here
        self._own = frozenset(here.index.own)
        self._joined: dict[str, list[_Met]] = {}
        self._settled: set[ProgramDeclaration] = set()
        """Declarations that joined or are there already."""

    def join(self, new: tuple[ProgramDeclaration, ...], part: CalledPart, defining: FileDefinitions) -> None:
        """Take in what `new_in` found of a part."""
        self._settled.update(part.members)
        for one in new:
            for name, kind in zip(one.declaration.names, one.kinds, strict=True):
                self._joined.setdefault(name, []).append(_Met(one.declaration, kind, one.is_shared, defining))

    def new_in(self, part: CalledPart, function: str, defining: FileDefinitions) -> tuple[ProgramDeclaration, ...]:
        """Declarations of a part that are not there yet; raises DifferentMeaningError where one can't join.

        A `function` that this file calls without a declaration (it is text of a larger one, or old C) is the program's.
        """
        if not any(True for _ in self._met(function)) and self._here.is_said(function, is_called=True):
            raise DifferentMeaningError("has a name that this file does not declare and has for something else")
        for name in part.calls:
            if any(not met.is_shared or met.kind != "function" for met in self._met(name)):
                raise DifferentMeaningError(f"needs another `{name}` than the one here")
        return tuple(
            one for one in part.members if one not in self._settled and self._is_new(one, function, part, defining)
        )

    def _met(self, name: str) -> Iterator[_Met]:
        yield from self._here.met(name)
        yield from self._joined.get(name, ())

    def _is_new(self, one: ProgramDeclaration, function: str, part: CalledPart, defining: FileDefinitions) -> bool:
        named = zip(one.declaration.names, one.kinds, strict=True)
        adds = [
            self._adds(one, name, kind, function, part, defining) for name, kind in named
        ]  # each name is asked about
        return any(adds)

    def _adds(
        self,
        one: ProgramDeclaration,
        name: str,
        kind: NameKind,
        function: str,
        part: CalledPart,
        defining: FileDefinitions,
    ) -> bool:
        """Whether a declaration says more of one of its names than is known here."""
        if self._is_there(one, name):
            return False
        met = tuple(self._met(name))
        if not met:
            if name != function:
                self._require_unused(one, name, kind, defining)
            return True
        same = [other for other in met if self._is_same(one.declaration, other)]
        if not same:
            return self._may_join(one, name, kind, met, part, defining)
        if one.has_state and kind == "variable" and all(other.file is not defining for other in same):
            raise DifferentMeaningError(f"uses the `static` variable `{name}` of `{defining.name}`, not the one here")
        return False

    def _is_there(self, one: ProgramDeclaration, name: str) -> bool:
        """Whether this file has the very same words from a header: most of what a part leads to."""
        text = one.declaration.text
        return not one.has_state and any(
            other.text == text and other.definition is None and one.declaration.definition is None
            for other in self._here.index.declarations_of(name)
        )

    def _is_same(self, one: Declaration, other: _Met) -> bool:
        """Whether both say the same, whatever blanks they have. A function of the file's own is another one."""
        there = other.declaration
        if (one.definition is None) != (there.definition is None):
            return False
        if one.definition is None or there.definition is None:
            return one.text == there.text or one.text.split() == there.text.split()
        return there not in self._own and one.definition.text.split() == there.definition.text.split()

    def _require_unused(self, one: ProgramDeclaration, name: str, kind: NameKind, defining: FileDefinitions) -> None:
        """A name that is new here must be one that this file does not use for something else."""
        if kind == "tag":
            return
        if self._here.is_said(name):
            raise DifferentMeaningError(f"needs `{name}` of `{defining.name}`, and this file says it of something else")
        is_of_library = math_function(name) is not None or library_call(name) is not None
        if name in self._here.index.headers.words or (is_of_library and not one.is_shared):
            raise DifferentMeaningError(f"needs `{name}` of `{defining.name}`, which headers here have otherwise")

    def _may_join(
        self,
        one: ProgramDeclaration,
        name: str,
        kind: NameKind,
        met: tuple[_Met, ...],
        part: CalledPart,
        defining: FileDefinitions,
    ) -> bool:
        """Whether a declaration in other words than those here adds something, a definition to declarations."""
        theirs = [defining.declarations[at].declaration for at in defining.by_name[name]]
        strange = [other for other in met if not any(self._is_same(each, other) for each in theirs)]
        if kind in {"type", "tag"}:
            if not strange:
                return True
            raise DifferentMeaningError(f"needs `{name}` as `{defining.name}` declares it, not as it is declared here")
        for other in met:
            if not one.is_shared or not other.is_shared:
                raise DifferentMeaningError(f"needs the `{name}` of `{defining.name}`, another one than that here")
            # what both files say in the same words the compiler has checked there
            if other.kind != kind or (other in strange and not self._agree(one, other, name, part)):
                raise DifferentMeaningError(f"needs a `{name}` of another type than the one here")
        is_defined = any(other.declaration.definition is not None for other in met)
        return one.declaration.definition is not None and not is_defined

    def _agree(self, one: ProgramDeclaration, other: _Met, name: str, part: CalledPart) -> bool:
        """Whether both say the same of a function's or variable's type."""
        types = self._here.index.type_names | part.type_names
        left, right = (
            declared_type(each.text, name, types, self._alias, self._here.memo)
            for each in (other.declaration, one.declaration)
        )
        return are_compatible(left, right, is_defined=one.declaration.definition is not None)

    def _alias(self, name: str) -> str:
        """The text of a `typedef` of this file."""
        found = [one.text for one in self._here.index.declarations_of(name) if name in one.type_names]
        return found[0] if found else ""
