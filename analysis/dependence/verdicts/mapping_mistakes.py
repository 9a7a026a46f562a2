"""What the directive of a loop copies wrongly, shown at iterations that run whenever the loop does.

Those are the first and the last of each loop, where no condition, no data and no early end decides whether they run.
Sizes are taken to be as small as a number that is told, and any larger: a claim is a sum of products of sizes that is
not negative, since no coefficient is once each size is written as that number and what it has more.

Source: OpenMP 5.2, 5.8.3 (map), 5.8.6 (what is mapped to the device); OpenACC 3.3, 2.7.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from warplens.analysis.dependence.subscripts.iteration_domain import Reference, constant_symbols, has_exact_bounds
from warplens.analysis.dependence.verdicts.loop_question import Question, references_in
from warplens.analysis.facts.mapping_mistake import MappingMistake, MistakeKind
from warplens.analysis.ir.accesses import expressions_of
from warplens.analysis.ir.expression import Call, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.mapped_section import MappedSection
from warplens.analysis.ir.nest import ArrayObject, Loop, loops_of, walk_statements
from warplens.analysis.ir.polynomial import Polynomial

_LEAST = (1, 2, 4, 8, 16)
"""Values that all sizes may have at least; a mistake that needs larger ones is not told."""
_MOST_LOOPS = 4


@dataclass(frozen=True, slots=True)
class _Corner:
    """An element that a reference touches in the first or last iterations of its loops, once these are not negative."""

    reference: Reference
    element: Polynomial
    runs: tuple[Polynomial, ...]
    is_first: bool


def mapping_mistakes(question: Question) -> tuple[MappingMistake, ...]:
    """One per array at most, of the outermost loop that a directive is about."""
    directive = question.loop.directive
    if directive is None or not directive.maps:
        return ()
    first = next(loop for loop in loops_of(question.nest) if loop.directive == directive)
    if first.id != question.loop.id:
        return ()
    search = _Search(question)
    found = (search.mistake(section) for section in directive.maps)
    return tuple(mistake for mistake in found if mistake is not None)


class _Search:
    def __init__(self, question: Question) -> None:
        self._nest, self._loop = question.nest, question.loop
        self._inside, self._level = references_in(question.references, question.loop.id)
        self._constant = constant_symbols(question.nest)
        self._arrays = {array.name: array for array in question.nest.arrays}

    def mistake(self, section: MappedSection) -> MappingMistake | None:
        """The first that is sure."""
        array = self._arrays.get(section.array)
        if array is None or self._loop.directive is None or section.array in self._loop.directive.apart:
            return None
        group = [reference for reference in self._inside if reference.variable == section.array]
        corners = [corner for reference in group for corner in self._corners(array, reference)]
        return (
            self._outside(section, array, corners)
            or self._unset(section, array, group, corners)
            or self._lost(section, array, corners)
        )

    def _outside(self, section: MappedSection, array: ArrayObject, corners: Sequence[_Corner]) -> MappingMistake | None:
        start, length = section.start, section.length
        if section.is_whole or start is None or length is None or len(array.extents) > 1:
            return None
        if not (start.symbols | length.symbols) <= self._constant:
            return None
        for corner in corners:
            behind = (corner.element - start) * section.divisor - length
            below = start - corner.element - 1
            sides = ((behind, corner.element - start), (below,))
            least = min((n for side in sides if (n := _least_for((*side, *corner.runs))) is not None), default=None)
            if least is not None:
                return self._made("outside", section, corner, least)
        return None

    def _unset(
        self, section: MappedSection, array: ArrayObject, group: Sequence[Reference], corners: Sequence[_Corner]
    ) -> MappingMistake | None:
        """What is read before anything in the loop writes the array."""
        if section.goes_in or not (section.comes_back or _is_own(array)):
            return None
        writes = [reference.statement for reference in group if reference.is_write]
        written = min(writes, default=None)
        for corner in corners:
            read = corner.reference
            is_before = written is None or read.statement <= written
            if not read.is_write and corner.is_first and is_before and not self._may_be_set(section.array):
                least = _least_for(corner.runs)
                if least is not None:
                    return self._made("unset", section, corner, least)
        return None

    def _lost(self, section: MappedSection, array: ArrayObject, corners: Sequence[_Corner]) -> MappingMistake | None:
        """What is written and used after the loop, or all that the loop leaves behind."""
        if section.comes_back or not (array.used_after or (section.goes_in and self._is_all_lost())):
            return None
        for corner in corners:
            least = _least_for(corner.runs) if corner.reference.is_write else None
            if least is not None:
                return self._made("lost", section, corner, least)
        return None

    def _is_all_lost(self) -> bool:
        """Whether nothing that the loop computes gets out of it."""
        directive = self._loop.directive
        lost = (
            {section.array for section in directive.maps if not section.comes_back} if directive is not None else set()
        )
        scalars = {scalar.name for scalar in self._nest.scalars if scalar.used_after}
        inner = {array.name for array in self._nest.arrays if array.scope == "body"}
        written = {reference.variable for reference in self._inside if reference.is_write}
        return written - inner <= lost and not written & scalars and not self._calls()

    def _calls(self) -> bool:
        expressions = (e for statement in walk_statements((self._loop,)) for e in expressions_of(statement))
        return any(isinstance(p, Call) and not p.is_math for expression in expressions for p in walk(expression))

    def _may_be_set(self, name: str) -> bool:
        """Whether another name, or a call, may set an element before it is read."""
        others = {other for array in self._nest.arrays if array.name != name for other in array.may_point_into}
        return name in others or bool(self._arrays[name].may_point_into) or self._calls()

    def _corners(self, array: ArrayObject, reference: Reference) -> Iterator[_Corner]:
        access, place = reference.access, reference.place
        if access is None or place.guards or not place.is_exact_for(self._level) or array.chosen_in is not None:
            return
        if access.element_bytes != array.element_bytes or access.member or array.is_of_called:
            return
        linear = access.linear_index
        loops = place.loops[self._level :]
        if linear is None or len(loops) > _MOST_LOOPS or not all(map(has_exact_bounds, loops)):
            return
        for lasts in product((False, True), repeat=len(loops)):
            corner = self._corner(reference, linear, loops, lasts)
            if corner is not None:
                yield corner

    def _corner(
        self, reference: Reference, element: Polynomial, loops: Sequence[Loop], lasts: Sequence[bool]
    ) -> _Corner | None:
        runs: list[tuple[Polynomial, bool]] = []
        for loop, is_last in zip(reversed(loops), reversed(lasts), strict=True):
            if loop.start is None or len(loop.limits) != 1 or abs(loop.step) != 1:
                return None
            last = loop.limits[0] - loop.step
            value = {loop.iterator: last if is_last else loop.start}
            element = element.substitute(value)
            runs = [
                (length.substitute(value), is_inner or loop.iterator in length.symbols) for length, is_inner in runs
            ]
            runs.append(((last - loop.start) * loop.step, False))
        every = (element, *(length for length, _ in runs))
        if not all(polynomial.symbols <= self._constant for polynomial in every):
            return None
        # A loop that runs less often than once for some sizes excuses these, unless another loop decides how often.
        needed = tuple(length for length, is_inner in runs if is_inner or length.is_constant)
        return _Corner(reference, element, needed, not any(lasts))

    def _made(self, kind: MistakeKind, section: MappedSection, corner: _Corner, least: int) -> MappingMistake:
        directive = self._loop.directive
        node = self._loop.id if directive is None else directive.id
        read = corner.reference
        access: NodeId = read.id
        return MappingMistake(kind, node, self._loop.id, section, access, corner.element, read.is_write, least)


def _is_own(array: ArrayObject) -> bool:
    """Whether nobody but the function can have put the array on the device."""
    return array.is_allocated or (array.scope == "local" and not array.is_pointer)


def _least_for(values: Sequence[Polynomial]) -> int | None:
    """The smallest of some numbers for which all values are at least 0 once every size is as large; 0: without any."""
    if not any(value.symbols for value in values):
        return 0 if all(value.constant_term >= 0 for value in values) else None
    return next((least for least in _LEAST if all(_is_sure(value, least) for value in values)), None)


def _is_sure(value: Polynomial, least: int) -> bool:
    more = value.substitute({name: Polynomial.symbol(name) + least for name in value.symbols})
    return all(coefficient >= 0 for _, coefficient in more.terms)
