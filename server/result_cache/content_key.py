"""What a result is made from, as one digest: equal content has an equal key, in every process.

`repr` would not do: sets of names have another order in each process.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from operator import attrgetter
from typing import Any


def content_key(*parts: object) -> str:
    """Digest of values made of dataclasses, sequences, sets, mappings, texts and numbers.

    Raises TypeError for anything else: what can't be told apart must not be in a key.
    """
    return hashlib.sha256("".join(_written(parts)).encode("utf-8", "surrogatepass")).hexdigest()


def _written(values: Iterable[Any]) -> list[str]:
    """Each with its kind, a length and its content, so that no two values are written alike, nor two in a row."""
    return [_WRITERS[type(value)](value) for value in values]


class _Writers(dict[type, Callable[[Any], str]]):
    """How values of each class are written: to ask what a class is takes longer than to write most values."""

    def __missing__(self, kind: type) -> Callable[[Any], str]:
        self[kind] = _writer(kind)
        return self[kind]


_WRITERS = _Writers()


def _writer(kind: type) -> Callable[[Any], str]:
    name = kind.__name__
    if issubclass(kind, bool | int | float | Fraction | None):
        return lambda value: f"{name} {value!r};"
    if issubclass(kind, str):
        return lambda value: f"{name} {len(value)}:{value}"
    if issubclass(kind, bytes):
        return lambda value: f"{name} {len(value)}:{value.decode('latin-1')}"
    if issubclass(kind, tuple | list):
        return lambda value: f"sequence {len(value)}:{''.join(_written(value))}"
    if issubclass(kind, set | frozenset):
        return lambda value: f"set {len(value)}:{''.join(sorted(_written(value)))}"
    if issubclass(kind, Mapping):
        return lambda value: f"mapping {len(value)}:{''.join(sorted(_written(value.items())))}"
    if is_dataclass(kind):
        names = [field.name for field in fields(kind)]
        # attrgetter gives no tuple for one name, and takes none
        contents = attrgetter(*names) if len(names) > 1 else lambda value: [getattr(value, each) for each in names]
        return lambda value: f"dataclass {kind.__qualname__} {len(names)}:{''.join(_written(contents(value)))}"
    raise TypeError(f"{name} has no place in a key")
