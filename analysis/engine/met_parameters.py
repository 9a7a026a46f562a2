"""Pointers of a function that its callers in the file lead into one object, through other functions of the file too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from warplens.analysis.dependence.pointers.aliasing import may_overlap
from warplens.analysis.frontend.comments.translation_unit import LoweredFunction
from warplens.analysis.frontend.effects.call_sites import CallSite, PassedAddress, PassedObject
from warplens.analysis.ir.nest import ArrayObject, LoopNest, MetPair
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name

_DEEPEST = 8
"""Callers of callers that are asked."""


class MetParameters:
    """Answers for the functions of one file."""

    def __init__(self, functions: Sequence[LoweredFunction]) -> None:
        self._functions = {function.name: function for function in functions}
        self._sites: dict[str, list[tuple[str, CallSite]]] = {}
        for caller in functions:
            for site in caller.calls:
                self._sites.setdefault(site.callee, []).append((caller.name, site))

    def of(self, nest: LoopNest, function: str) -> tuple[MetPair, ...]:
        """Pairs of arrays of a nest that C lets overlap, and that some call lets overlap or may."""
        if function not in self._sites:
            return ()
        arrays = [array for array in nest.arrays if array.scope in {"parameter", "global"}]
        pairs = (pair for pair in combinations(arrays, 2) if may_overlap(*pair))
        return tuple(found for left, right in pairs if (found := self._met(function, left, right)) is not None)

    def _met(self, function: str, left: ArrayObject, right: ArrayObject) -> MetPair | None:
        names = c_name(left.name), c_name(right.name)
        return next(self._found(function, *names, names, _DEEPEST), None)

    def _found(self, function: str, left: str, right: str, shown: tuple[str, str], depth: int) -> Iterator[MetPair]:
        """Calls that lead both into one object; `shown` are the names in the nest."""
        for caller, site in self._sites.get(function, ()):
            passed = [self._address(function, site, name) for name in (left, right)]
            one, other = passed
            if one is None or other is None:
                continue
            if _is_one_object(one, other):
                texts = [f"`{address.text}`" for address in (one, other)]
                both = texts[0] if one.text == other.text else " and ".join(texts)
                said = f"`{caller}` passes {both} for `{left}` and `{right}`"
                yield MetPair(*shown, said, _distance(one, other), self._numbers(function, site))
            elif depth and caller != function:
                own = self._functions[caller].parameters
                for first in _variables(one, own):
                    for second in _variables(other, own):
                        if first != second and (first in own or second in own):
                            for found in self._found(caller, first, second, shown, depth - 1):
                                yield MetPair(*shown, found.said, None)

    def _address(self, function: str, site: CallSite, name: str) -> PassedAddress | None:
        """What a call passes for a parameter; a name that is none is a variable of the file."""
        parameters = self._functions[function].parameters if function in self._functions else ()
        if name not in parameters:
            variable = frozenset((PassedObject(name, is_variable=True),))
            return PassedAddress(name, name, Polynomial(()), is_one_of_many=False, objects=variable)
        at = parameters.index(name)
        return site.addresses[at] if at < len(site.addresses) else None

    def _numbers(self, function: str, site: CallSite) -> tuple[tuple[str, Polynomial], ...]:
        pairs = zip(self._functions[function].parameters, site.arguments, strict=False)
        return tuple((name, value) for name, value in pairs if value is not None)


def _is_one_object(one: PassedAddress, other: PassedAddress) -> bool:
    """Whether both are counted from one address, or lead into the one same object and no other."""
    if one.base == other.base:
        return True
    are_plain = not (one.is_one_of_many or other.is_one_of_many)
    return are_plain and len(one.objects) == 1 and one.objects == other.objects


def _distance(one: PassedAddress, other: PassedAddress) -> Polynomial | None:
    if one.base != other.base or one.offset is None or other.offset is None:
        return None
    return other.offset - one.offset


def _variables(address: PassedAddress, parameters: Sequence[str]) -> list[str]:
    """Parameters of the caller, and variables of the file, that an address is in."""
    names = {found.name for found in address.objects if found.is_variable}
    return sorted(names | ({address.base} & set(parameters)))
