"""What every call passes, as known ranges of a nest: proved where no other file can call the function.

A call counts as seen when lowering noted it; a name that the preprocessed text has anywhere else (a table of functions,
a header that calls it, code that was not understood) leaves the arguments open.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from warplens.analysis.engine.argument_values import ArgumentValue
from warplens.analysis.frontend.comments.translation_unit import LoweredFunction
from warplens.analysis.ir.nest import KnownRange, LoopNest
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import CType, Scalar


def passed_ranges(
    nest: LoopNest, function: LoweredFunction, passed: Mapping[tuple[str, str], ArgumentValue], text: str
) -> tuple[KnownRange, ...]:
    """What certain arguments say of a nest's parameters.

    `text` is the preprocessed file.
    """
    types = {scalar.name: scalar.type for scalar in nest.scalars if scalar.scope == "parameter"}
    ranges: list[KnownRange] = []
    calls = -1
    for name in sorted(function.unchanged.intersection(nest.parameters)):
        argument = passed.get((function.name, name))
        if argument is None or not argument.is_certain or not _keeps(types.get(name), argument.value):
            continue
        calls = argument.calls
        above = Polynomial.symbol(name) - argument.value
        shown = f"{name} == {argument.value}"
        ranges += [KnownRange(above, shown), KnownRange(-above, shown)]
    return tuple(ranges) if ranges and _mentions(function.name, text) == calls else ()


def _keeps(ctype: CType | None, value: int) -> bool:
    """Whether a parameter of that type holds the value; a negative one may be a wrapped `unsigned` in a wider type."""
    if not isinstance(ctype, Scalar) or ctype.kind != "int" or ctype.size_bytes < 4:
        return False
    least = -(2**31) if ctype.signed and ctype.size_bytes == 4 else 0
    return least <= value < 1 << 31


def _mentions(name: str, text: str) -> int:
    """How often a name stands in the text besides a definition and declarations of a static function."""
    word = rf"(?<![\w$]){re.escape(name)}(?![\w$])"
    declared = len(re.findall(rf"\bstatic\b[^;{{}}()=]*{word}\s*\([^;{{}}]*\)\s*;", text))
    return len(re.findall(word, text)) - 1 - declared
