"""Whether the names of a part of another file mean the same in this one, and which declarations of it are new."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from warplens.analysis.c.c_library import library_call
from warplens.analysis.c.math_calls import math_function
from warplens.analysis.frontend.declarations.declarations import Declaration
from warplens.analysis.ir.symbol import of_other_file
from warplens.analysis.program.called_part import CalledPart, with_names
from warplens.analysis.program.declared_type import are_compatible, declared_type
from warplens.analysis.program.file_definitions import FileDefinitions, ProgramDeclaration
from warplens.analysis.program.kind_of_name import NameKind
from warplens.analysis.program.names_here import Met, NamesHere


class DifferentMeaningError(Exception):
    """A name that means something else here, as a predicate of the function that needs it."""


class JoinedNames:
    """Names of the file and of the parts that joined it so far."""

    def __init__(self, here: NamesHere) -> None:
        self._here = here
        self._own = frozenset(here.index.own)
        self._joined: dict[str, list[Met]] = {}
        self._settled: set[ProgramDeclaration] = set()
        """Declarations that joined or are there already."""
        self._renamed: dict[tuple[FileDefinitions, str], str] = {}
        """Other names for what only those files have by such a name."""

    def join(self, new: tuple[ProgramDeclaration, ...], part: CalledPart, defining: FileDefinitions) -> None:
        """Take in what `new_in` found of a part."""
        self._settled.update(part.members)
        for one in new:
            for name, kind in zip(one.declaration.names, one.kinds, strict=True):
                self._joined.setdefault(name, []).append(Met(one.declaration, kind, one.is_shared, defining))

    def new_in(self, part: CalledPart, function: str, defining: FileDefinitions) -> tuple[ProgramDeclaration, ...]:
        """Declarations of a part that are not there yet; raises DifferentMeaningError where one can't join.

        A `function` that this file calls without a declaration (it is text of a larger one, or old C) is the program's.
        """
        if not any(True for _ in self._met(function)) and self._here.is_said(function, "not called"):
            raise DifferentMeaningError("has a name that this file does not declare and has for something else")
        for name in part.calls:
            if any(not met.is_shared or met.kind != "function" for met in self._met(name)):
                raise DifferentMeaningError(f"needs another `{name}` than the one here")
        return tuple(
            one for one in part.members if one not in self._settled and self._is_new(one, function, part, defining)
        )

    def with_own_names(self, part: CalledPart, defining: FileDefinitions) -> CalledPart:
        """The part with other names for its `static` functions and variables that something else here has."""
        own = [
            (name, kind, one)
            for one in part.members
            for name, kind in zip(one.declaration.names, one.kinds, strict=True)
            if kind in {"function", "variable"} and not one.is_shared
        ]
        others = {
            name
            for name, kind, one in own
            if (defining, name) in self._renamed or self._is_others(one, name, kind, part, defining)
        }
        more = set(others)
        while more:  # what is here in the same words means what is here by those names
            leading = {name for name, _, one in own if not others.isdisjoint(one.needs)} - others
            more = {name for name in leading if self._is_of_others(name, defining)}
            others |= more
        names = {name: self._new_name(name, defining) for name in sorted(others)}
        return with_names(part, names, self._here.memo) if names else part

    def _new_name(self, name: str, defining: FileDefinitions) -> str:
        """A name that nothing else has."""
        ordinal = 2 + sum(other == name for _, other in self._renamed)
        return self._renamed.setdefault((defining, name), of_other_file(name, ordinal))

    def _is_others(
        self, one: ProgramDeclaration, name: str, kind: NameKind, part: CalledPart, defining: FileDefinitions
    ) -> bool:
        """Whether a name that only a file has means something else to this one or to another that joined it."""
        met = tuple(self._met(name))
        if not met:
            is_of_library = math_function(name) is not None or library_call(name) is not None
            is_in_headers = name in self._here.index.headers.words
            return is_of_library or is_in_headers or self._here.is_said(name, "of the file")
        is_own = (one.has_state and kind == "variable") or name in part.cut_off
        is_same = not is_own and any(self._is_same(one.declaration, other) for other in met)
        return not is_same and self._is_of_others(name, defining)

    def _is_of_others(self, name: str, defining: FileDefinitions) -> bool:
        """Whether this file or one that joined it, but the one that defines it, has something by a name."""
        return not all(other.file is defining for other in self._met(name))

    def _met(self, name: str) -> Iterator[Met]:
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
        if kind in {"function", "variable"} and any(other.file is defining for other in met):
            is_defined = any(other.declaration.definition is not None for other in met)
            return one.declaration.definition is not None and not is_defined
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

    def _is_same(self, one: Declaration, other: Met) -> bool:
        """Whether both say the same, whatever blanks they have. A function of the file's own is another one."""
        there = other.declaration
        if (one.definition is None) != (there.definition is None):
            return False
        if one.definition is None or there.definition is None:
            return one.text == there.text or one.text.split() == there.text.split()
        return there not in self._own and one.definition.text.split() == there.definition.text.split()

    def _require_unused(self, one: ProgramDeclaration, name: str, kind: NameKind, defining: FileDefinitions) -> None:
        """A name that is new here must be one that this file does not use for something else.

        There is one function or variable of a name in a program, so that it is that, or hidden by a function's own.
        """
        if kind == "tag":
            return
        is_of_program = one.is_shared and kind in {"function", "variable"}
        if not is_of_program and self._here.is_said(name, "at all" if kind == "type" else "of the file"):
            raise DifferentMeaningError(f"needs `{name}` of `{defining.name}`, and this file says it of something else")
        is_of_library = math_function(name) is not None or library_call(name) is not None
        is_in_headers = not is_of_program and name in self._here.index.headers.words
        if is_in_headers or (is_of_library and not one.is_shared):
            raise DifferentMeaningError(f"needs `{name}` of `{defining.name}`, which headers here have otherwise")

    def _may_join(
        self,
        one: ProgramDeclaration,
        name: str,
        kind: NameKind,
        met: tuple[Met, ...],
        part: CalledPart,
        defining: FileDefinitions,
    ) -> bool:
        """Whether a declaration in other words than those here adds something, a definition to declarations."""
        theirs = [defining.declarations[at].declaration for at in defining.by_name.get(name, ())]
        strange = [other for other in met if not any(self._is_same(each, other) for each in theirs)]
        if kind in {"type", "tag"}:
            if not strange:
                return True
            raise DifferentMeaningError(f"needs `{name}` as `{defining.name}` declares it, not as it is declared here")
        for other in met:
            if not one.is_shared or not other.is_shared:
                raise DifferentMeaningError(f"needs the `{name}` of `{defining.name}`, another one than that here")
            # what both files say in the same words the compiler has checked there
            if other.kind != kind or (
                other in strange and not self._agree((one.declaration, *theirs), other, name, part)
            ):
                raise DifferentMeaningError(f"needs a `{name}` of another type than the one here")
        is_defined = any(other.declaration.definition is not None for other in met)
        return one.declaration.definition is not None and not is_defined

    def _agree(self, theirs: Sequence[Declaration], other: Met, name: str, part: CalledPart) -> bool:
        """Whether both files say the same of a function's or variable's type, by the first words that can be read."""
        types = self._here.index.type_names | part.type_names

        def spelled(one: Declaration) -> str:
            return declared_type(one.text, name, types, self._alias, self._here.memo)

        read = ((spelled(one), one.definition is not None) for one in theirs)
        right, is_defined = next(((text, flag) for text, flag in read if text), ("", False))
        return are_compatible(spelled(other.declaration), right, is_defined=is_defined)

    def _alias(self, name: str) -> str:
        """The text of a `typedef` of this file."""
        found = [one.text for one in self._here.index.declarations_of(name) if name in one.type_names]
        return found[0] if found else ""
