"""What a calibration program can measure, as the first lines of its source files say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from warplens.hwprofiles.schema import GPU_SCHEMA

_HEADER = re.compile(r"// (Quantity|Keys):[ \t]*(.*)")
_KEYS = frozenset(f"{section}.{key.name}" for section, keys in GPU_SCHEMA.items() for key in keys)
_NAME = re.compile(r"[a-z0-9_]+\.[a-z0-9_]+")


class QuantityError(ValueError):
    """A header that names no quantity; the message begins with file and line."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """One thing to measure, and the keys of a profile that it serves, none where it is only looked at."""

    name: str
    keys: tuple[str, ...]


def catalogue(files: Mapping[str, str]) -> tuple[Quantity, ...]:
    """Read the texts of quantity files by their path; raises QuantityError also for a quantity given twice."""
    found: dict[str, str] = {}
    quantities = []
    for path in sorted(files):
        quantity = _quantity(path, files[path])
        if quantity.name in found:
            raise QuantityError(f"{path}:1: {quantity.name} is also in {found[quantity.name]}")
        found[quantity.name] = path
        quantities.append(quantity)
    return tuple(quantities)


def _quantity(path: str, text: str) -> Quantity:
    lines = text.splitlines()
    values = []
    for number, wanted in enumerate(("Quantity", "Keys"), start=1):
        header = _HEADER.fullmatch(lines[number - 1].rstrip()) if len(lines) >= number else None
        if header is None or header[1] != wanted:
            raise QuantityError(f"{path}:{number}: must be // {wanted}: ...")
        values.append(header[2])
    name, keys = values[0], tuple(each.strip() for each in values[1].split(",") if each.strip())
    if not _NAME.fullmatch(name):
        raise QuantityError(f"{path}:1: {name!r} is no section.name")
    for key in keys:
        if key not in _KEYS:
            raise QuantityError(f"{path}:2: {key} is no key of a profile")
    return Quantity(name, keys)
