"""Numbers that `sscanf` reads from a text: `sscanf(argv[1], "%d", &n)` is `n = atoi(argv[1])`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pycparser import c_ast
from warplens.analysis.frontend.expressions.expression_types import pointed_to
from warplens.analysis.ir.types import Scalar
from warplens.analysis.program.sizes.places import Place
from warplens.analysis.program.sizes.size_expression import SizeExpression, Unknown
from warplens.analysis.program.sizes.size_reader import SizeReader

_SCANNING = "sscanf"
_FIRST_NUMBER = re.compile(r'"\s*%[hl]*[diufgeE]')
"""A format that begins with a number."""


def scanned_text(
    name: str, given: Sequence[c_ast.Node], reader: SizeReader
) -> list[tuple[Place, SizeExpression]] | None:
    """The places that a call of `sscanf` stores numbers in, with these; None for another call.

    The first number of an argument of the program is followed, what else a text holds is not.
    """
    if name != _SCANNING or name in reader.scope.own_functions or len(given) < 3:
        return None
    text, format_ = given[:2]
    is_number = isinstance(format_, c_ast.Constant) and _FIRST_NUMBER.match(format_.value) is not None
    found: list[tuple[Place, SizeExpression]] = []
    for at, one in enumerate(given[2:]):
        place = reader.pointed(one)
        pointed = pointed_to(reader.type_of(one))
        if place is None or not isinstance(pointed, Scalar):
            continue
        value = reader.of_text(name, text) if at == 0 and is_number else Unknown(f"`{name}` reads it from a text")
        found.append((place, reader.converted(value, pointed)))
    return found
