"""Sizes that a file's calls, or most of them, agree on: `kernel(4096, a)` says what `n` is in `kernel(int n, ..)`.

Source: interprocedural constant propagation in its simplest form, Callahan, Cooper, Kennedy, Torczon, SIGPLAN 1986.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from warplens.analysis.frontend.comments.translation_unit import LoweredFunction
from warplens.analysis.frontend.effects.call_sites import CallSite
from warplens.analysis.ir.polynomial import Polynomial


@dataclass(frozen=True, slots=True)
class ArgumentValue:
    """So many `calls` of the function in the file pass `value`, `others` pass other numbers, fewer than those.

    `is_certain` where all pass it and no other file has a say in it.
    """

    value: int
    calls: int
    is_certain: bool
    others: int = 0


def argument_values(
    functions: Iterable[LoweredFunction], handed_out: Collection[str]
) -> dict[tuple[str, str], ArgumentValue]:
    """Value of each `(function, parameter)` whose calls agree, or most of them; values travel along chains of calls.

    Those that are `handed_out` may be called with anything, through pointers. A function that no call of the file
    reaches has none. Recursive calls that pass a parameter on unchanged agree.
    """
    known: dict[tuple[str, str], ArgumentValue] = {}
    every = tuple(functions)
    sites: dict[str, list[tuple[str, CallSite]]] = {}
    for caller in every:
        for site in caller.calls:
            sites.setdefault(site.callee, []).append((caller.name, site))
    called = [function for function in every if function.name in sites]
    while True:
        before = len(known)
        for function in called:
            own = sites[function.name]
            for position, parameter in enumerate(function.parameters):
                if (function.name, parameter) in known:
                    continue
                passed = Counter(
                    _value(name, site.arguments[position] if position < len(site.arguments) else None, known)
                    for name, site in own
                    if not _passes_on(name, function.name, site.arguments, position, parameter)
                )
                value, times = passed.most_common(1)[0] if passed else (None, 0)
                if value is not None and None not in passed and 2 * times > (others := passed.total()):
                    others -= times
                    certain = function.is_static and function.name not in handed_out
                    certain = (
                        certain
                        and not others
                        and all(
                            known[name, symbol].is_certain
                            for name, site in own
                            if not _passes_on(name, function.name, site.arguments, position, parameter)
                            for symbol in _symbols(site.arguments[position])
                        )
                    )
                    known[function.name, parameter] = ArgumentValue(value, len(own) - others, certain, others)
        if len(known) == before:
            return known


def _value(caller: str, argument: Polynomial | None, known: Mapping[tuple[str, str], ArgumentValue]) -> int | None:
    if argument is None:
        return None
    values = {name: known[caller, name].value for name in argument.symbols if (caller, name) in known}
    return argument.evaluate(values) if argument.symbols <= values.keys() else None


def _symbols(argument: Polynomial | None) -> frozenset[str]:
    return frozenset() if argument is None else argument.symbols


def _passes_on(
    caller: str, callee: str, arguments: tuple[Polynomial | None, ...], position: int, parameter: str
) -> bool:
    passed = arguments[position] if position < len(arguments) else None
    return caller == callee and passed == Polynomial.symbol(parameter)
