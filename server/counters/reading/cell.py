"""One cell: a number with or without a unit, or the word for one that a profiler could not get."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isfinite

_MISSING = {"", "-", "n/a", "na", "nan", "(!) n/a", "null", "none"}
_LOST = re.compile(r"<(?:overflow|invalid|error)>", re.IGNORECASE)
_LEVEL = re.compile(r"[A-Za-z]+ \((\d+)\)")
_NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([A-Za-zµ%][\w/%µ]*)?")
_GROUPED = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?=$|[^\d,.])")
_DECIMAL_COMMA = re.compile(r"[-+]?(?:\d+|\d{1,3}(?:\.\d{3})+),\d+")
_INFINITE = {"inf", "+inf", "-inf", "infinity", "-infinity"}
_WRAPPED = 2.0**63
"""Counters have 64 bits: what is above is one that ran over, or was subtracted below zero."""

_PREFIXES = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_TIMES_S = {"s": 1.0, "second": 1.0, "ms": 1e-3, "msecond": 1e-3, "us": 1e-6, "µs": 1e-6, "usecond": 1e-6,
            "ns": 1e-9, "nsecond": 1e-9}  # fmt: skip
_COUNTED = re.compile(r"([kKMGT]?)(B|byte|bytes|inst|sector|cycle|request|warp|thread|block|hz|Hz)(?:/.*)?")


class CellError(Exception):
    """Why a cell can't be read."""


@dataclass(frozen=True, slots=True)
class Cell:
    """`value` is None where there is none; `is_lost`: the profiler had one, and lost it."""

    value: float | None
    unit: str = ""
    is_lost: bool = False


def read_cell(text: str, *, comma_is_decimal: bool = False) -> Cell:
    """Raises CellError. `comma_is_decimal`: the file's delimiter is no comma, so that groups of digits are unlikely.

    >>> read_cell("1,234.5"), read_cell("12.5GB/s").unit, read_cell("High (9)").value, read_cell("<OVERFLOW>").is_lost
    (Cell(value=1234.5, unit='', is_lost=False), 'GB/s', 9.0, True)
    """
    if text.lower() in _MISSING:
        return Cell(None)
    if _LOST.fullmatch(text):
        return Cell(None, is_lost=True)
    if level := _LEVEL.fullmatch(text):
        return Cell(float(level[1]))
    if text.lower() in _INFINITE:
        message = f"{text} is no finite number"
        raise CellError(message)
    grouped = None if comma_is_decimal else _GROUPED.match(text)
    plain = text.replace(",", "") if grouped else text
    if not grouped and _DECIMAL_COMMA.match(text):
        message = f"{text} has a decimal comma: write the file again in the C locale (LC_ALL=C)"
        raise CellError(message)
    found = _NUMBER.fullmatch(plain)
    if found is None:
        message = f"{text[:40]!r} is no number"
        raise CellError(message)
    value = float(found[1])
    if not isfinite(value):
        message = f"{text[:40]} is no finite number"
        raise CellError(message)
    if abs(value) >= _WRAPPED:
        return Cell(None, is_lost=True)
    return Cell(value, found[2] or "")


def unit_factor(unit: str) -> float | None:
    """What a value in the unit is times in bytes, bytes/s or plain counts; None for no such unit.

    >>> unit_factor("Kbyte"), unit_factor("GB/s"), unit_factor("%"), unit_factor("")
    (1000.0, 1000000000.0, None, None)
    """
    found = _COUNTED.fullmatch(unit)
    return _PREFIXES[found[1]] if found else None


def time_factor_s(unit: str) -> float | None:
    """Seconds in one of the unit; None for no unit of time."""
    return _TIMES_S.get(unit)
