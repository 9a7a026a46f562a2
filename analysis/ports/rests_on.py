"""What the result of a port rests on, in any language: sentences for whoever applies it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.ir.accesses import expressions_of
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.expression import Call, walk
from warplens.analysis.ir.nest import Assign, loops_of, walk_statements
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import Scalar
from warplens.analysis.text.file_text import words_of

_SAID = frozenset({"alias", "bounds", "call", "promise", "order"})
"""Kinds of assumptions that the result rests on, not only the predicted time."""
_ROUNDED = frozenset(("+", "-", "*"))
"""Operators that round: in another order the last digits differ."""


def rests_on(
    facts: NestFacts, source: str, *, is_cuda: bool = False, combined: Iterable[tuple[str, str]] = ()
) -> tuple[str, ...]:
    """Assumptions about memory, calls and values, and sums of floating-point numbers that come in another order.

    `source` is the file's text: whether it asks for `errno`. `combined` are variables, each with the operator, that
    threads combine besides, inside of a kernel's iterations.
    CUDA's atomic operations take numbers of the element's own type, directives leave the conversion to the compiler.
    """
    kernels = [assumption for kernel in facts.kernels for assumption in kernel.assumptions]
    every = dict.fromkeys((*facts.assumptions, *kernels))
    orders = [text for kernel in facts.kernels for text in _orders(facts, kernel, is_cuda=is_cuda)]
    orders += [text for variable, operator in combined for text in _order(facts, variable, operator)]
    errno = ("Nothing on a device sets `errno`.",) if "errno" in words_of(source) and _calls_math(facts) else ()
    return tuple(dict.fromkeys((*(one.text for one in every if _is_said(one)), *orders, *errno)))


def _calls_math(facts: NestFacts) -> bool:
    statements = walk_statements((facts.nest.root,))
    parts = (part for statement in statements for each in expressions_of(statement) for part in walk(each))
    return any(isinstance(part, Call) and part.is_math for part in parts)


def _is_said(assumption: Assumption) -> bool:
    return assumption.kind in _SAID or "NaN" in assumption.text


def _orders(facts: NestFacts, kernel: Kernel, *, is_cuda: bool) -> Iterator[str]:
    arrays = {array.name: array.element for array in facts.nest.arrays}
    for reduction in kernel.reductions:
        yield from _order(facts, reduction.variable, reduction.operator)
        ctype = arrays.get(reduction.variable)
        if is_cuda and reduction.operator in _ROUNDED and isinstance(ctype, Scalar) and ctype.kind != "int":
            rounded = _rounded_before(facts, kernel, reduction.variable, ctype)
            if rounded:
                name = c_name(reduction.variable)
                yield f"Each `{rounded}` is rounded to `{ctype.name}` before it is added to an element of `{name}`."


def _order(facts: NestFacts, variable: str, operator: str) -> Iterator[str]:
    types = {scalar.name: scalar.type for scalar in facts.nest.scalars}
    arrays = {array.name: array.element for array in facts.nest.arrays}
    name, is_element = c_name(variable), variable not in types
    ctype = arrays.get(variable) if is_element else types[variable]
    if not isinstance(ctype, Scalar) or ctype.kind == "int":
        return
    if operator in {"min", "max"}:
        yield f"`{name}` may be a zero of either sign where zeros of both signs are the {operator}imum."
    if operator not in _ROUNDED:
        return
    what = f"Elements of `{name}` are" if is_element else f"`{name}` is"
    yield (
        f"{what} combined in an order of the threads, not of the loop, which may differ from run to run: the last "
        "digits may differ."
    )


def _rounded_before(facts: NestFacts, kernel: Kernel, array: str, element: Scalar) -> str:
    """Type of what is added to elements of fewer digits, empty where there is no such."""
    root = next(loop for loop in loops_of(facts.nest) if loop.id == kernel.root)
    for statement in walk_statements((root,)):
        if isinstance(statement, Assign) and getattr(statement.target, "array", "") == array:
            value = statement.value.type
            if isinstance(value, Scalar) and value.kind == "float" and value.size_bytes > element.size_bytes:
                return value.name
    return ""
