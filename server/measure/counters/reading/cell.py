"""One cell: a number with or without a unit, or the word for one that a profiler could not get."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isfinite

from warplens.hwprofiles.counter_metrics import Profiler

LEVEL = "level"
"""The unit of `High (8)`: nvprof's levels go from 0 to 10."""
_MISSING = {
    "", "-", "n/a", "na", "nan", "-nan", "nan(ind)", "-nan(ind)", "(!) nan", "(!) n/a", "null", "<null>", "(null)",
    "none", "no data", "<no data>",
}  # fmt: skip
_LOST = re.compile(r"<(?:overflow|invalid|error)>", re.IGNORECASE)
_LEVEL = re.compile(r"[A-Za-z]+ \((\d{1,2})\)", re.ASCII)
_NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([A-Za-zµ%][\w/%µ]*)?", re.ASCII)
_GROUPED = re.compile(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?(?=$|[^\d,.])", re.ASCII)
_DECIMAL_COMMA = re.compile(r"[-+]?(?:\d+|\d{1,3}(?:\.\d{3})+),\d+", re.ASCII)
_INFINITE = {"inf", "+inf", "-inf", "infinity", "-infinity"}
_WRAPPED = 2.0**63
"""Counters have 64 bits: what is above is one that ran over, or was subtracted below zero."""

_PREFIXES = {"": 0, "k": 1, "K": 1, "M": 2, "G": 3, "T": 4}
_TIMES_S = {"s": 1.0, "second": 1.0, "ms": 1e-3, "msecond": 1e-3, "us": 1e-6, "µs": 1e-6, "usecond": 1e-6,
            "ns": 1e-9, "nsecond": 1e-9}  # fmt: skip
_COUNTED = re.compile(r"([kKMGT]?)(i?)(B|byte|bytes|inst|sector|cycle|request|warp|thread|block|hz|Hz)(?:/.*)?")
_NCU_WORD = re.compile(r"([KMGT]?)([a-z][a-z ]*)(?:/.*)?")


class CellError(Exception):
    """Why a cell can't be read."""


@dataclass(frozen=True, slots=True)
class Cell:
    """`value` is None where there is none; `is_lost`: the profiler had one, and lost it."""

    value: float | None
    unit: str = ""
    is_lost: bool = False


def read_cell(text: str, *, comma_is_decimal: bool = False, may_be_infinite: bool = False) -> Cell:
    """Raises CellError. `comma_is_decimal`: the file's delimiter is no comma, so that groups of digits are unlikely.

    `may_be_infinite`: a profiler divided by a count of 0, and its value is lost.

    >>> read_cell("1,234.5"), read_cell("12.5GB/s").unit, read_cell("High (9)").value, read_cell("<OVERFLOW>").is_lost
    (Cell(value=1234.5, unit='', is_lost=False), 'GB/s', 9.0, True)
    """
    found = _NUMBER.fullmatch(text)
    if found is None:
        if text.lower() in _MISSING:
            return Cell(None)
        if _LOST.fullmatch(text) or (may_be_infinite and text.lower() in _INFINITE):
            return Cell(None, is_lost=True)
        if level := _LEVEL.fullmatch(text):
            return Cell(float(level[1]), LEVEL)
        found = _with_commas(text, comma_is_decimal=comma_is_decimal)
    value = float(found[1])
    if not isfinite(value) and not may_be_infinite:
        message = f"{text[:40]} is no finite number"
        raise CellError(message)
    if abs(value) >= _WRAPPED:
        return Cell(None, is_lost=True)
    return Cell(value, found[2] or "")


def _with_commas(text: str, *, comma_is_decimal: bool) -> re.Match[str]:
    if text.lower() in _INFINITE:
        message = f"{text} is no finite number"
        raise CellError(message)
    grouped = None if comma_is_decimal else _GROUPED.match(text)
    if not grouped and _DECIMAL_COMMA.match(text):
        message = f"{text[:40]} has a decimal comma: write the file again in the C locale (LC_ALL=C)"
        raise CellError(message)
    found = _NUMBER.fullmatch(text.replace(",", "")) if grouped else None
    if found is None:
        message = f"{text[:40]!r} is no number"
        raise CellError(message)
    return found


def unit_factor(unit: str, profiler: Profiler | None = None) -> float | None:
    """What a value in the unit is times in bytes, bytes/s or plain counts; None for no such unit.

    nvprof's K, M and G are powers of 1024 (its throughputs times its durations are whole bytes only so), those of ncu
    and of tables powers of 1000; Ki, Mi and Gi are always of 1024. ncu has words of its own for what it counts.

    >>> unit_factor("Kbyte", "ncu"), unit_factor("KB/s", "nvprof"), unit_factor("KiB"), unit_factor("%")
    (1000.0, 1024.0, 1024.0, None)
    """
    if found := _COUNTED.fullmatch(unit):
        return (1024.0 if profiler == "nvprof" or found[2] else 1000.0) ** _PREFIXES[found[1]]
    if profiler == "ncu" and unit not in _TIMES_S and (found := _NCU_WORD.fullmatch(unit)):
        return 1000.0 ** _PREFIXES[found[1]]
    return None


def time_factor_s(unit: str) -> float | None:
    """Seconds in one of the unit; None for no unit of time."""
    return _TIMES_S.get(unit)
