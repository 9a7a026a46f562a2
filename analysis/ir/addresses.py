"""The value of a pointer that is followed: a call of a name that C can't have, which is no work.

`&a'(p, q)` is the address that led to the object `a'` of the nest, `&a'[…](p, q)` one anywhere in it; the arguments are
the variables that the source made it from.
"""

from __future__ import annotations

from warplens.analysis.ir.expression import Call, Expression
from warplens.analysis.ir.symbol import address_of, kind_of, object_of
from warplens.analysis.ir.types import CType


def address_in(array: str, sources: tuple[Expression, ...], ctype: CType, *, is_start: bool) -> Call:
    """An address in an object; `is_start` says that it is where the pointer leads that the object is named for."""
    return Call(address_of(array, is_start=is_start), sources, ctype, False, "none")


def is_address(call: Call) -> bool:
    """Whether a call stands for such a value."""
    return kind_of(call.function) == "address"


def object_led_to(call: Call) -> str:
    """The object that an address led to, empty for an address anywhere in one and for another call."""
    return object_of(call.function)
