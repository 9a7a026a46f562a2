"""The value of a pointer that is followed: a call of a name that C can't have, which is no work.

`&a'(p, q)` is the address that led to the object `a'` of the nest, `&a'[…](p, q)` one anywhere in it; the arguments are
the variables that the source made it from.
"""

from __future__ import annotations

from warplens.analysis.ir.expression import Call, Expression
from warplens.analysis.ir.types import CType

_ADDRESS = "&"
_ANYWHERE = "[…]"


def address_in(array: str, sources: tuple[Expression, ...], ctype: CType, *, is_start: bool) -> Call:
    """An address in an object; `is_start` says that it is where the pointer leads that the object is named for."""
    return Call(f"{_ADDRESS}{array}{'' if is_start else _ANYWHERE}", sources, ctype, False, "none")


def is_address(call: Call) -> bool:
    """Whether a call stands for such a value."""
    return call.function.startswith(_ADDRESS)


def object_led_to(call: Call) -> str:
    """The object that an address led to, empty for an address anywhere in one and for another call."""
    name = call.function.removeprefix(_ADDRESS)
    return name if is_address(call) and not name.endswith(_ANYWHERE) else ""
