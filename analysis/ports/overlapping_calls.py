"""Calls in the file that lead pointers into one object of which a port takes for granted that they are apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.ir.nest import MetPair
from warplens.analysis.ir.promises.separate import Separate
from warplens.analysis.ports.assumed_pairs import assumed_pairs
from warplens.analysis.workload.accesses.sites import access_sites
from warplens.analysis.workload.loops.ranges import polynomial_bounds

_SAMPLES = (1, 7, 1009)
"""Values of the caller's parameters at which a distance is held against what is touched."""
_MOST_NAMES = 4


def overlapping_call(facts: NestFacts) -> str:
    """Where a call contradicts what is assumed of two pointers: a clause for a refusal; empty if none does."""
    pairs = assumed_pairs(facts)
    if any(kernel.root != facts.nest.root.id for kernel in facts.kernels):
        # What the host does between kernels, with memory that is on the device meanwhile, may be by another name.
        pairs += [(met.left, met.right) for met in facts.nest.met]
    return next(overlapping_pairs(facts, pairs), "")


def overlapping_pairs(facts: NestFacts, pairs: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """The same for each of some pairs of names that a call contradicts, or may if nobody says that they are apart."""
    asked = {frozenset(pair) for pair in pairs if len(pair) == 2}
    said_apart = _said_apart(facts)
    for met in facts.nest.met:
        if {met.left, met.right} not in asked:
            continue
        apart = set() if met.distance is None else {_is_behind(facts, met, sizes) for sizes in _samples(met)}
        if apart == {False}:
            yield f"{met.said}: they overlap there"
        elif apart != {True} and frozenset((met.left, met.right)) not in said_apart:
            yield f"{met.said}: say `// warplens: {met.left} and {met.right} do not overlap` if what is used is apart"


def _said_apart(facts: NestFacts) -> frozenset[frozenset[str]]:
    """Pairs of names that a comment at a loop keeps apart."""
    every = (*facts.assumptions, *(one for kernel in facts.kernels for one in kernel.assumptions))
    promises = (one.promise for one in every if isinstance(one.promise, Separate))
    return frozenset(pair for promise in promises for pair in promise.pairs)


def overlapping_sections(facts: NestFacts, sections: Mapping[str, str]) -> str:
    """The same for what is mapped and only read: `dot(n, x, x + 1)`, of which one part is on the device already.

    `sections` are texts by name. Parts that start together are one if they are as long.
    """
    for met in facts.nest.met:
        names = (met.left, met.right)
        if not sections.keys() >= set(names):
            continue
        left, right = (sections[name].removeprefix(name) for name in names)
        is_one = met.distance is not None and not met.distance.terms and left == right
        if not is_one and (said := next(overlapping_pairs(facts, [names]), "")):
            return said
    return ""


def _samples(met: MetPair) -> Iterator[dict[str, int]]:
    """Values of the caller's parameters."""
    every = (*(passed for _, passed in met.arguments), *((met.distance,) if met.distance is not None else ()))
    names = sorted({name for polynomial in every for name in polynomial.symbols})
    if len(names) > _MOST_NAMES:
        return iter(())
    return (dict(zip(names, each, strict=True)) for each in product(_SAMPLES, repeat=len(names)))


def _is_behind(facts: NestFacts, met: MetPair, sizes: Mapping[str, int]) -> bool | None:
    """Whether all that is touched of the one lies behind all that is touched of the other; None if that is open."""
    assert met.distance is not None
    arguments = {name: passed.evaluate(sizes) for name, passed in met.arguments}
    left, right = (_touched(facts, name, arguments) for name in (met.left, met.right))
    if left is None or right is None:
        return None
    distance = met.distance.evaluate(sizes)
    return right[0] + distance > left[1] or right[1] + distance < left[0]


def _touched(facts: NestFacts, name: str, sizes: Mapping[str, int]) -> tuple[int, int] | None:
    """First and last element of an array that are touched, None where the sizes do not say."""
    ends: list[int] = []
    for site in access_sites(facts.nest):
        if site.access.array != name:
            continue
        index = site.access.linear_index
        bounds = None if index is None else polynomial_bounds(index, site.loops)
        if bounds is None or any(not bound.symbols <= sizes.keys() for bound in bounds):
            return None
        ends += [bound.evaluate(sizes) for bound in bounds]
    return (min(ends), max(ends)) if ends else None
