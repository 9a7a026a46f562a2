"""Constants in CUDA C++, such that reading the text gives the value and the type again."""

from __future__ import annotations

from math import isinf, isnan

from warplens.analysis.ir.expression import Constant
from warplens.analysis.ir.single_precision import shortest_text
from warplens.analysis.ir.types import CType, Scalar
from warplens.analysis.ports.cuda.plan import PortRefusedError
from warplens.analysis.ports.cuda.types_text import is_boolean

_LARGEST_FLOAT = (2 - 2**-23) * 2.0**127
_SUFFIXES = {(4, True): "", (4, False): "u", (8, True): "L", (8, False): "UL"}


def constant_text(constant: Constant) -> str:
    """Spelling of a constant; raises PortRefusedError where its type can't be said to hold it.

    >>> from warplens.analysis.ir.types import DOUBLE, FLOAT, INT, UNSIGNED
    >>> [constant_text(Constant(*c)) for c in ((0.1, FLOAT), (2.0, DOUBLE), (-1, UNSIGNED), (-(2**31), INT))]
    ['0.1f', '2.0', '4294967295u', '(-2147483647 - 1)']
    """
    ctype = constant.type
    if not isinstance(ctype, Scalar):
        raise PortRefusedError("a constant is used as a pointer")
    if ctype.kind == "float":
        return _floating(float(constant.value), ctype)
    value = int(constant.value)
    if is_boolean(ctype):
        return "true" if value else "false"
    bits = 8 * ctype.size_bytes
    if ctype.size_bytes < 4:  # arithmetic on it is done in `int`
        least = -(1 << (bits - 1)) if ctype.signed else 0
        if not least <= value < least + (1 << bits):
            raise PortRefusedError(f"the constant {value} does not fit `{ctype.name}`")
        return str(value)
    if (ctype.size_bytes, ctype.signed) not in _SUFFIXES:
        raise PortRefusedError(f"a constant has the type `{ctype.name}`")
    value %= 1 << bits
    if ctype.signed and value >= 1 << (bits - 1):
        value -= 1 << bits
    suffix = _SUFFIXES[ctype.size_bytes, ctype.signed]
    if value == -(1 << (bits - 1)):
        return f"({value + 1}{suffix} - 1)"
    return f"{value}{suffix}"


def is_plain_one(constant: object, ctype: CType) -> bool:
    """Whether adding it to an integer of the type is `++`."""
    return isinstance(constant, Constant) and constant.value == 1 and isinstance(ctype, Scalar) and ctype.kind == "int"


def _floating(value: float, ctype: Scalar) -> str:
    if isnan(value):
        return "NAN"
    if isinf(value) or (ctype.size_bytes == 4 and abs(value) > _LARGEST_FLOAT):
        return "-INFINITY" if value < 0 else "INFINITY"
    return f"{shortest_text(value)}f" if ctype.size_bytes == 4 else repr(value)
