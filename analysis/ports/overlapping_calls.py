"""Calls in the file that lead pointers into one object of which a port takes for granted that they are apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from math import ceil

from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.ir.nest import MetPair
from warplens.analysis.ports.assumed_pairs import assumed_pairs

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
    """The same for each of some pairs of names that a call contradicts."""
    asked = {frozenset(pair) for pair in pairs if len(pair) == 2}
    for met in facts.nest.met:
        if {met.left, met.right} not in asked:
            continue
        apart = set() if met.distance is None else {_is_behind(facts, met, sizes) for sizes in _samples(met)}
        if apart == {False}:
            yield f"{met.said}: they overlap there"
        elif apart != {True}:
            yield f"{met.said}: say `// warplens: {met.left} and {met.right} do not overlap` if what is used is apart"


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
    values = _SAMPLES if len(names) <= _MOST_NAMES else _SAMPLES[-1:]
    return (dict(zip(names, each, strict=True)) for each in product(values, repeat=len(names)))


def _is_behind(facts: NestFacts, met: MetPair, sizes: Mapping[str, int]) -> bool:
    """Whether one starts behind all that is touched of the other."""
    assert met.distance is not None
    distance = met.distance.evaluate(sizes)
    arguments = {name: passed.evaluate(sizes) for name, passed in met.arguments}
    longest = _elements(facts, met.left if distance > 0 else met.right, arguments)
    return longest is not None and distance != 0 and abs(distance) >= longest


def _elements(facts: NestFacts, name: str, sizes: Mapping[str, int]) -> int | None:
    """Elements of an array from its start to the last that is touched, None where the sizes do not say."""
    for transfer in facts.transfers:
        array = facts.nest.array(transfer.array)
        if transfer.array == name:
            formulas = (transfer.in_bytes, transfer.out_bytes)
            if any(not formula.parameters <= sizes.keys() for formula in formulas):
                return None
            return max(ceil(formula.evaluate(sizes) / array.element_bytes) for formula in formulas)
    return None
