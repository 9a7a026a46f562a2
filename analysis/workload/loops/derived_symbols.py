"""Symbols of a nest as formulas in its parameters."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NewType

from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.polynomial import Polynomial

Sizes = NewType("Sizes", Mapping[str, int])
"""Values of a nest's parameters and of its derived symbols: all that subscripts, strides and counts are made of."""


def derived_formulas(nest: LoopNest) -> dict[str, Formula]:
    """Formula of each derived symbol that has one; a derived symbol's own derived symbols are replaced."""
    formulas: dict[str, Formula] = {}
    for symbol in nest.derived:
        if symbol.formula is not None:
            formulas[symbol.name] = _replace(symbol.formula, formulas)
    return formulas


def extend_sizes(sizes: Mapping[str, int], nest: LoopNest) -> Sizes:
    """Values of parameters with those of derived symbols, as the evaluation of subscripts and strides needs them.

    A symbol that depends on a parameter without value is left out: the facts do not need it. A division by zero gives
    0, for an empty range.
    """
    values = dict(sizes)
    for name, formula in derived_formulas(nest).items():
        if not formula.parameters <= values.keys():
            continue
        try:
            values[name] = int(formula.evaluate(values))
        except ZeroDivisionError:
            values[name] = 0
    return Sizes(values)


def roots_of(names: Collection[str], nest: LoopNest) -> frozenset[str]:
    """The parameters that names of parameters and of derived symbols stand for."""
    derived = derived_formulas(nest)
    return frozenset(root for name in names for root in (derived[name].parameters if name in derived else (name,)))


def formula_of(polynomial: Polynomial, derived: Mapping[str, Formula]) -> Formula:
    """Formula of a polynomial over parameters and derived symbols."""
    return Formula.from_polynomial(polynomial, derived)


def _replace(formula: Formula, values: Mapping[str, Formula]) -> Formula:
    if formula.parameters.isdisjoint(values):
        return formula
    if formula.name is not None:
        return values[formula.name]
    operands = tuple(_replace(operand, values) for operand in formula.operands)
    return Formula(value=formula.value, operator=formula.operator, operands=operands)
