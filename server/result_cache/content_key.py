"""What a result is made from, as one digest: equal content has an equal key, in every process.

`repr` would not do: sets of names have another order in each process.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction


def content_key(*parts: object) -> str:
    """Digest of values made of dataclasses, sequences, sets, mappings, texts and numbers.

    Raises TypeError for anything else: what can't be told apart must not be in a key.
    """
    digest = hashlib.sha256()
    _feed(digest.update, parts)
    return digest.hexdigest()


def _feed(update: Callable[[bytes], object], value: object) -> None:
    """A kind, a length and the content of each value, so that no two values are written alike."""
    if value is None or isinstance(value, bool | int | float | Fraction):
        update(f"{type(value).__name__} {value!r};".encode())
    elif isinstance(value, str | bytes):
        content = value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")
        update(f"{type(value).__name__} {len(content)}:".encode())
        update(content)
    elif isinstance(value, tuple | list):
        update(f"sequence {len(value)}:".encode())
        for each in value:
            _feed(update, each)
    elif isinstance(value, set | frozenset):
        _feed(update, ("set", *sorted(content_key(each) for each in value)))
    elif isinstance(value, Mapping):
        _feed(update, ("mapping", *sorted(content_key(key, each) for key, each in value.items())))
    elif is_dataclass(value):
        _feed(update, (type(value).__qualname__, *_contents(value)))
    else:
        raise TypeError(f"{type(value).__name__} has no place in a key")


def _contents(value: object) -> Iterator[object]:
    return (getattr(value, field.name) for field in fields(value))  # type: ignore[arg-type]  # a dataclass, as was asked
