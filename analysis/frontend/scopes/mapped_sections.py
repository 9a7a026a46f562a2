"""Clauses that copy: what a kernel's directive says of data, with the sections as polynomials where they are any.

Source: OpenMP 5.2, 5.8.3 (map), 3.2.5 (array sections); OpenACC 3.3, 2.7 (data clauses).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import lru_cache

from pycparser import c_ast
from warplens.analysis.c.symbols import Symbol
from warplens.analysis.frontend.declarations.parse_declaration import parse_declaration
from warplens.analysis.frontend.scopes.directive_regions import Region
from warplens.analysis.frontend.syntax.syntax_trees import names_in
from warplens.analysis.ir.mapped_section import MappedSection
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import ArrayOf, PointerTo
from warplens.analysis.text.directive_text import Clause

_ITEM = re.compile(r"([A-Za-z_]\w*)\s*(?:\[([^\[\]]*)\])?\Z")
_WAYS = {"to": (True, False), "from": (False, True), "tofrom": (True, True), "": (True, True), "alloc": (False, False)}
_OPENACC_WAYS = {
    "copyin": (True, False), "copyout": (False, True), "copy": (True, True), "create": (False, False),
}  # fmt: skip
_KERNELS = {"omp": frozenset(("target",)), "acc": frozenset(("parallel", "kernels", "serial"))}

Value = Callable[[c_ast.Node], Polynomial | None]


def mapped_sections(
    here: Sequence[Region],
    around: Sequence[Region],
    resolve: Callable[[str], Symbol | None],
    value: Value,
    unchanged: AbstractSet[str],
) -> tuple[MappedSection, ...]:
    """What directives copy for a loop; none where regions of data may have what they leave out.

    `here` are those right above it, `around` those whose statements hold it. `value` says what an expression is where
    the loop starts: where a region around does, only what names variables that are `unchanged` is. What other
    statements of that region set, or read after the loop, is not looked at: it counts as copied both ways.
    """
    if any("data" in region.words or region.directive is None for region in (*around, *here)):
        return ()

    def earlier(node: c_ast.Node) -> Polynomial | None:
        return value(node) if names_in((node,)) <= unchanged else None

    kernel = [region for region in here if _is_kernel(region)]
    found = [section for region in kernel for section in _Sections(region, resolve, value).every()]
    for region in filter(_is_kernel, () if any(region.is_of_loop for region in around) else around):
        sections = _Sections(region, resolve, earlier).every()
        found += (replace(section, goes_in=True, comes_back=True) for section in sections)
    names = [section.array for section in found]
    return tuple(section for section in found if names.count(section.array) == 1)


def _is_kernel(region: Region) -> bool:
    return not region.words.isdisjoint(_KERNELS[region.language])


@dataclass(frozen=True, slots=True)
class _Sections:
    region: Region
    resolve: Callable[[str], Symbol | None]
    value: Value

    def every(self) -> Iterator[MappedSection]:
        clauses = () if self.region.directive is None else self.region.directive.clauses
        for clause in clauses:
            way = self._way(clause)
            for item in clause.items if way is not None else ():
                found = self._section(item, *way) if way is not None else None
                if found is not None:
                    yield found

    def _way(self, clause: Clause) -> tuple[bool, bool] | None:
        """Whether it copies in, and back."""
        if self.region.language == "acc":
            return None if clause.modifier else _OPENACC_WAYS.get(clause.name)
        return _WAYS.get(clause.modifier.rpartition(",")[2].strip()) if clause.name == "map" else None

    def _section(self, item: str, goes_in: bool, comes_back: bool) -> MappedSection | None:
        named = _ITEM.match(item)
        symbol = None if named is None else self.resolve(named[1])
        if named is None or symbol is None or not isinstance(symbol.type, ArrayOf | PointerTo):
            return None
        directive = self.region.directive
        said = f"{self.region.language} {'' if directive is None else directive.construct}"
        if named[2] is None:
            is_array = isinstance(symbol.type, ArrayOf)
            return MappedSection(symbol.name, said, item, goes_in, comes_back, is_whole=True) if is_array else None
        first, colon, count = named[2].partition(":")
        start = self._number(first) if first.strip() else Polynomial(())
        length, divisor = (Polynomial.constant(1), 1) if not colon else self._quotient(count)
        return MappedSection(symbol.name, said, item, goes_in, comes_back, False, start, length, divisor)

    def _quotient(self, text: str) -> tuple[Polynomial | None, int]:
        """What is divided, and by what."""
        tree = _expression(text)
        if isinstance(tree, c_ast.BinaryOp) and tree.op == "/":
            above, below = self.value(tree.left), self.value(tree.right)
            if above is not None and below is not None and below.is_constant and below.constant_term > 0:
                return above, below.constant_term
            return None, 1
        return (None if tree is None else self.value(tree)), 1

    def _number(self, text: str) -> Polynomial | None:
        tree = _expression(text)
        return None if tree is None else self.value(tree)


@lru_cache(256)
def _expression(text: str) -> c_ast.Node | None:
    """An expression's tree, None where it is none that can be read without knowing names of types."""
    parsed = parse_declaration(f"long clause = ({text});", ())
    is_read = len(parsed.declarations) == 1 and not parsed.notes and not parsed.error
    return getattr(parsed.declarations[0], "init", None) if is_read else None
