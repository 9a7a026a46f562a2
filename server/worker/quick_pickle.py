"""Values written as the calls that make them, where pickle's own way is several times as slow both ways.

That of a dataclass goes through `dataclasses.fields`, that of a fraction through its text.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Hashable
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cache
from typing import cast

Call = tuple[Callable[..., object], tuple[object, ...]]


class QuickPickler(pickle.Pickler):
    """Read back by any unpickler that knows the classes."""

    def __init__(self, buffer: io.BytesIO) -> None:
        super().__init__(buffer, pickle.HIGHEST_PROTOCOL)

    def reducer_override(self, obj: object) -> Call:
        """The call that makes a value, NotImplemented where pickle's own way is taken."""
        if isinstance(obj, Fraction):
            return Fraction, (obj.numerator, obj.denominator)
        names = _constructor_arguments(cast("Hashable", type(obj)))
        return NotImplemented if names is None else (type(obj), tuple([getattr(obj, name) for name in names]))


@cache
def _constructor_arguments(kind: Hashable) -> tuple[str, ...] | None:
    """Fields in the order in which the constructor takes them; None where it is no dataclass, or takes others."""
    if (
        not isinstance(kind, type)
        or not is_dataclass(kind)
        or not all(field.init and not field.kw_only for field in fields(kind))
    ):
        return None
    return tuple(field.name for field in fields(kind))
