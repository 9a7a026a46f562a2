"""Digits that a counter is split into, all as parts of one chain: `at / m / n` is `at / (m*n)`, and so on.

People write `i = at / (m*n), j = at / n % m, k = at % n`, or divide what is left by one length after the other. With
`rest = at % (m*n)` both are `at / (m*n)`, `rest / n` and `rest % n`: three numbers that name `at` together.

The identities hold for C's division of any numbers: quotients are cut towards zero, what is left has the sign of `at`.
Source: Graham, Knuth, Patashnik, Concrete Mathematics, 2nd edition, equation 3.11 (nested quotients).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from warplens.analysis.dependence.subscripts.iteration_domain import Reference
from warplens.analysis.dependence.subscripts.quasi_affine import Definition, Remainder, Share
from warplens.analysis.ir.polynomial import Polynomial


def in_one_chain(reference: Reference) -> Reference:
    """The reference with remainders of quotients in its subscripts and guards as quotients of remainders."""
    known = {d.name: d for d in (*reference.place.definitions, *reference.definitions)}
    nested = _nested(known)
    if not nested:
        return reference
    values: dict[str, Polynomial] = {}
    for definition, counter, inner, outer in sorted(nested, key=lambda each: -each[2].degree):
        whole = Remainder(counter, inner * outer)
        top = Share(whole)
        rest = values.get(whole.name, Polynomial.symbol(whole.name))
        low = Remainder(rest, inner)
        digit = Share(low)
        known |= {d.name: d for d in (whole, top, low, digit)}
        quotient = values.get(top.name, Polynomial.symbol(top.name))
        own = Polynomial.symbol(digit.name)
        values[Remainder(counter, inner).name] = Polynomial.symbol(low.name)
        values[Share(Remainder(counter, inner)).name] = quotient * outer + own
        values[definition.name] = quotient if isinstance(definition, Share) else own
    positions = tuple(p if p is None else p.substitute(values) for p in reference.positions)
    guards = tuple(
        tuple(tuple(term.substitute(values) for term in part) for part in guard) for guard in reference.place.guards
    )
    bounds = [bound for loop in reference.place.loops for bound in (loop.start, *loop.limits) if bound is not None]
    inside = _behind([*bounds, *(term for guard in guards for part in guard for term in part)], known)
    own_definitions = _behind([p for p in positions if p is not None], known)
    place = replace(reference.place, guards=guards, definitions=inside)
    return replace(reference, positions=positions, place=place, definitions=own_definitions)


def _nested(known: Mapping[str, Definition]) -> list[tuple[Remainder | Share, Polynomial, Polynomial, Polynomial]]:
    """Each `(a / m) / n` and `(a / m) % n`, with a, m and n."""
    found: list[tuple[Remainder | Share, Polynomial, Polynomial, Polynomial]] = []
    for definition in known.values():
        if isinstance(definition, Remainder | Share):
            remainder = definition if isinstance(definition, Remainder) else definition.remainder
            parts = _divided(remainder.numerator, known)
            if parts is not None:
                found.append((definition, *parts, remainder.modulus))
    return found


def _divided(value: Polynomial, known: Mapping[str, Definition]) -> tuple[Polynomial, Polynomial] | None:
    """Counter and divisor of what is a quotient, or a quotient of one."""
    match value.terms:
        case (((name,), 1),) if isinstance(share := known.get(name), Share):
            numerator, modulus = share.remainder.numerator, share.remainder.modulus
            inner = _divided(numerator, known)
            return (numerator, modulus) if inner is None else (inner[0], inner[1] * modulus)
        case _:
            return None


def _behind(values: Iterable[Polynomial], known: Mapping[str, Definition]) -> tuple[Definition, ...]:
    """Definitions that the values need, each after those that it is computed from."""
    found: dict[str, Definition] = {}

    def collect(name: str) -> None:
        definition = known.get(name)
        if definition is not None and name not in found:
            for below in sorted(definition.symbols):
                collect(below)
            found[name] = definition

    for name in sorted({name for value in values for name in value.symbols}):
        collect(name)
    return tuple(found.values())
