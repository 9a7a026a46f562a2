"""What a program says of the sizes of one loop nest: one way for each way in which its function is called."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from math import isfinite

from warplens.analysis.program.sizes.call_contexts import CallContext
from warplens.analysis.program.sizes.file_table import DefinedFunction
from warplens.analysis.program.sizes.named_number import named_number
from warplens.analysis.program.sizes.said_sizes import SaidSize, root_of
from warplens.analysis.program.sizes.size_expression import NOT_FOLLOWED
from warplens.analysis.program.sizes.size_values import SizeValues
from warplens.analysis.program.sizes.value_set import Input, KnownValue, SourceStep, ValueSet
from warplens.analysis.program.sizes.values_together import values_together

_MOST_OTHERS = 8


@dataclass(frozen=True, slots=True)
class ProgramSize:
    """A size as the program has it: the value, what it follows from, what else it may be and what may change it.

    `of_calls` are how many of the function's `calls` pass this value, where they pass different ones.
    """

    value: int
    steps: tuple[SourceStep, ...] = ()
    others: tuple[int, ...] = ()
    inputs: tuple[Input, ...] = ()
    of_calls: int = 0
    calls: int = 0


@dataclass(frozen=True, slots=True)
class OtherSizes:
    """The sizes of a nest, by name, as another call or statement sets them, which stands there."""

    sizes: tuple[tuple[str, int], ...]
    at: SourceStep


@dataclass(frozen=True, slots=True)
class NestSizes:
    """`sizes` of a nest by name; `inputs` say of those that are open where they come from.

    `others` are what its sizes may be together instead, the heaviest first.
    """

    sizes: tuple[tuple[str, ProgramSize], ...] = ()
    inputs: tuple[tuple[str, tuple[Input, ...]], ...] = ()
    roots: tuple[tuple[str, SaidSize], ...] = ()
    """By what each size is said once for the whole program, with no value yet."""
    others: tuple[OtherSizes, ...] = ()


NOTHING_SAID = NestSizes()


def nest_sizes(
    values: SizeValues,
    function: DefinedFunction,
    names: Collection[str],
    extents: Mapping[str, tuple[str, int]],
    counts: Mapping[str, str],
    weight: Callable[[dict[str, int]], float],
) -> NestSizes:
    """The sizes of a nest in that function, by their names in it.

    `extents` are those of `names` that stand for the number of elements of an array, each with the array and the bytes
    of an element, `counts` those that stand for the value of an expression.

    Of several ways in which the function is called it is the heaviest: `weight` says how much work a nest of such sizes
    is. The first of equals stays, which is the most common one. So it is with statements that set sizes otherwise.
    """
    sources = {name: extents[name][0] if name in extents else counts.get(name, name) for name in sorted(names)}
    expressions = {name: named_number(source, function, values.program) for name, source in sources.items()}
    known = {name: each for name, each in expressions.items() if each != NOT_FOLLOWED}

    def found_in(context: CallContext) -> dict[str, ValueSet]:
        found = {
            name: values.bytes_of(each, function, context).divided(extents[name][1])
            if name in extents
            else values.value(each, function, context)
            for name, each in known.items()
        }
        meets = partial(values.program.programs.may_meet, function.path)
        return {name: each.of_files(meets) for name, each in found.items()}

    ways = [(context, found_in(context)) for context in values.contexts(function)]
    roots = tuple((name, root) for name, each in known.items() if (root := root_of(each)) is not None)
    if not ways:
        return NestSizes(roots=roots)

    def heaviness(way: tuple[CallContext, dict[str, ValueSet]]) -> tuple[int, float]:
        found = _whole(way[1])
        return len(found), weight(found) * way[0].calls

    called, passed_then = max(ways, key=heaviness)
    together = values_together(passed_then, function.path, function.sizes.name, lambda found: weight(_whole(found)))
    chosen = together[0][1]
    other_ways = [*together[1:], *((context.at, each) for context, each in ways if context is not called)]
    calls = sum(context.calls for context, _ in ways)
    sizes: list[tuple[str, ProgramSize]] = []
    inputs: list[tuple[str, tuple[Input, ...]]] = []
    for name, found in chosen.items():
        value = found.first
        if value is None or not _is_size(value):
            if found.inputs:
                inputs.append((name, found.inputs))
            continue
        number = int(value.value)
        passed = [(context, way[name]) for context, way in ways]
        alternatives = (one for _, each in passed for one in each.values if _is_size(one))
        others = sorted({int(one.value) for one in (*found.values, *alternatives)} - {number})
        same = sum(context.calls for context, each in passed if any(one.value == value.value for one in each.values))
        sizes.append((name, ProgramSize(number, value.steps, tuple(others), found.inputs, same, calls)))
    return NestSizes(tuple(sizes), tuple(inputs), roots, _others(other_ways, _whole(chosen), weight))


def _others(
    ways: Iterable[tuple[SourceStep | None, dict[str, ValueSet]]],
    chosen: dict[str, int],
    weight: Callable[[dict[str, int]], float],
) -> tuple[OtherSizes, ...]:
    """What other ways give besides what is chosen, each once."""
    found: dict[tuple[tuple[str, int], ...], OtherSizes] = {}
    for at, values in ways:
        sizes = tuple(sorted({**chosen, **_whole(values)}.items()))
        if at is not None and at.path and sizes != tuple(sorted(chosen.items())):
            found.setdefault(sizes, OtherSizes(sizes, at))
    return tuple(sorted(found.values(), key=lambda one: -weight(dict(one.sizes)))[:_MOST_OTHERS])


def _whole(found: dict[str, ValueSet]) -> dict[str, int]:
    firsts = ((name, one.first) for name, one in found.items())
    return {name: int(first.value) for name, first in firsts if first is not None and _is_size(first)}


def _is_size(value: KnownValue) -> bool:
    return isfinite(value.value) and abs(value.value) < 1 << 62
