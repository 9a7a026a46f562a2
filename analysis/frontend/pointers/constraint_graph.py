"""Constraints on what pointers may be set from, as a graph of paths, and what follows from them all.

Source: Andersen, Program Analysis and Specialization for the C Programming Language, 1994, chapter 4, without the
constraints that loads and stores through pointers give: a member is told by its path (`g.data`).
"""

from __future__ import annotations

from functools import cached_property

from pycparser import c_ast
from warplens.analysis.frontend.pointers.address_kinds import AddressKinds
from warplens.analysis.frontend.pointers.pointer_path import ANYWHERE, PointerPath


class ConstraintGraph:
    """The pointers of one function; edges are added until something is asked."""

    def __init__(self, kinds: AddressKinds) -> None:
        self._kinds = kinds
        self.settings: dict[PointerPath, set[PointerPath]] = {}
        """Pointers with what each is set from."""
        self.copies: dict[PointerPath, set[PointerPath]] = {}
        """Structures with those that are copied into each."""
        self.initial: dict[PointerPath, set[PointerPath]] = {}
        """Variables with all that an initialiser list may set parts of them from."""
        self.exchanges: dict[PointerPath, set[PointerPath]] = {}
        """Pointers with those that they swap their values with."""
        self._roots: dict[tuple[PointerPath, bool], frozenset[PointerPath]] = {}

    def roots(self, path: PointerPath, *, own: bool = False) -> frozenset[PointerPath]:
        """Paths whose memory a pointer may lead to, itself among them; its `own` ones are without exchanges."""
        if (path, own) not in self._roots:
            self._roots[path, own] = self._all_roots(path, own=own)
        return self._roots[path, own]

    def _all_roots(self, path: PointerPath, *, own: bool) -> frozenset[PointerPath]:
        found: set[PointerPath] = set()
        stack = [path]
        while stack:
            one = stack.pop()
            if one in found:
                continue
            found.add(one)
            stack += self.settings.get(one, ())
            if not own:
                stack += self.exchanges.get(one, ())
            for base, rest in one.splits():  # what holds a member may be set as a whole, or stand for another
                if not rest:
                    stack.append(base)
                    continue
                sources = self.settings.get(base, set()) | self.copies.get(base, set())
                stack += [source.then(*rest) for source in sources if source != ANYWHERE]
                stack += self.initial.get(base, ())
                for holder in self.leading_to(base):
                    stack += self.settings.get(holder.then(*rest), ())
                found |= {ANYWHERE} & sources
            if len(found) > 200:
                return frozenset((ANYWHERE,))
        return frozenset(found)

    def leading_to(self, base: PointerPath) -> set[PointerPath]:
        """Other pointers through which a structure's members may be set."""
        found: set[PointerPath] = set()
        stack = [base]
        while stack:
            one = stack.pop()
            for holder in self._holders.get(one, ()):
                if holder not in found and holder != base:
                    found.add(holder)
                    stack.append(holder)
        return found

    @cached_property
    def _holders(self) -> dict[PointerPath, set[PointerPath]]:
        found: dict[PointerPath, set[PointerPath]] = {}
        for holder, sources in self.settings.items():
            for source in sources if self._kinds.kind(c_ast.ID(str(holder))) != "struct" else ():
                found.setdefault(source, set()).add(holder)
        return found

    def are_exchanged(self, left: PointerPath, right: PointerPath) -> bool:
        """Whether two pointers swap their values, so that they differ at any time if they differ at first."""
        found, stack = {left}, [left]
        while stack:
            for other in self.exchanges.get(stack.pop(), ()):
                if other not in found:
                    found.add(other)
                    stack.append(other)
        return right in found
