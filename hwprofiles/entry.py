"""One value of a profile: number or text with unit, kind and source, checked against its key."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast, get_args

from warplens.analysis.gpu.machine.gpu import ProvenanceKind
from warplens.analysis.ir.assumption import Assumption
from warplens.hwprofiles.schema import PLAUSIBLE, Key

WEAK_KINDS: frozenset[ProvenanceKind] = frozenset(("measured_proxy", "simulator_config", "memory", "assumed"))
"""Values of these kinds are shown to the user: they were not measured on this device, nor promised by its maker."""

_ENTRY_KEYS = frozenset(("value", "unit", "kind", "source", "measured_on", "note", "clock_mhz"))
_FIT_KEYS = ("fitted_to", "checked_on")

Value = int | float | str | bool | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One value with its provenance; `clock_mhz` is the clock that a latency in cycles was measured at.

    A constant that was fitted (kind "model_fit") says `fitted_to` which data and `checked_on` which other data.
    """

    value: Value
    unit: str
    kind: ProvenanceKind
    source: str
    measured_on: str = ""
    note: str = ""
    clock_mhz: float = 0.0
    fitted_to: str = ""
    checked_on: str = ""


def parse_entry(raw: object, key: Key) -> Entry:
    """Read one TOML table; raises ValueError saying what is wrong with it."""
    if not isinstance(raw, dict):
        raise ValueError("must be a table { value, unit, kind, source }")
    if unknown := sorted(set(raw) - _ENTRY_KEYS - set(_FIT_KEYS)):
        raise ValueError(f"unknown field {unknown[0]}")
    for name in ("value", "unit", "kind", "source"):
        if name not in raw:
            raise ValueError(f"no {name}")
    for name in ("unit", "kind", "source", "measured_on", "note", *_FIT_KEYS):
        if not isinstance(raw.get(name, ""), str):
            raise ValueError(f"{name} must be a text")
    if raw["unit"] != key.unit:
        raise ValueError(f'unit is "{raw["unit"]}", must be "{key.unit}"')
    if raw["kind"] not in get_args(ProvenanceKind):
        raise ValueError(f'kind "{raw["kind"]}" is not one of {", ".join(get_args(ProvenanceKind))}')
    if not raw["source"]:
        raise ValueError("source is empty")
    if raw["kind"] == "measured_proxy" and not raw.get("measured_on"):
        raise ValueError("a measured_proxy names the device in measured_on")
    for name in _FIT_KEYS:
        if raw["kind"] == "model_fit" and not raw.get(name):
            raise ValueError(f"a model_fit says {name} which data")
        if raw["kind"] != "model_fit" and name in raw:
            raise ValueError(f"{name} is for kind model_fit")
    clock = raw.get("clock_mhz", 0)
    if not isinstance(clock, int | float) or isinstance(clock, bool) or (key.needs_clock and clock <= 0):
        raise ValueError("a latency in cycles needs clock_mhz, the clock it was measured at")
    return Entry(
        _value(raw["value"], key),
        raw["unit"],
        raw["kind"],
        raw["source"],
        raw.get("measured_on", ""),
        raw.get("note", ""),
        float(clock),
        raw.get("fitted_to", ""),
        raw.get("checked_on", ""),
    )


def _value(value: object, key: Key) -> Value:
    match key.type:
        case "text":
            if not isinstance(value, str) or not value:
                raise ValueError("value must be a text")
            if key.choices and value not in key.choices:
                raise ValueError(f"value must be one of {', '.join(key.choices)}")
            return value
        case "bool":
            if not isinstance(value, bool):
                raise ValueError("value must be true or false")
            return value
        case "ints":
            if not isinstance(value, list) or not all(type(each) is int for each in value):
                raise ValueError("value must be a list of integers")
            if value != sorted(set(value)) or any(each < 0 for each in value):
                raise ValueError("value must be increasing, not negative")
            return tuple(value)
        case "int" if isinstance(value, bool) or not isinstance(value, int):
            raise ValueError("value must be an integer")
        case "number" if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError("value must be a number")
    number = cast("int | float", value)
    if not 0 <= number < float("inf"):
        raise ValueError("value must be a finite number, not negative")
    if number == 0 and not key.zero_means:
        raise ValueError("value is zero: leave no number out by writing zero")
    least, most = PLAUSIBLE.get(key.unit, (0.0, float("inf")))
    if number and not least <= number <= most:
        raise ValueError(f"value is no plausible number of {key.unit}: {least:g} to {most:g} is")
    return number


def value_text(value: Value) -> str:
    """A value as TOML has it, whole numbers whole.

    >>> value_text(3.0), value_text(True), value_text(0.25), value_text(49152)
    ('3', 'true', '0.25', '49152')
    """
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def of_sibling(entry: Entry, device: str) -> Entry:
    """The entry as another device than the named one may have it: what was measured there is a proxy here."""
    return replace(entry, kind="measured_proxy", measured_on=device) if entry.kind == "measured" else entry


def weak_value(device: str, key: str, entry: Entry) -> Assumption:
    """What is assumed with a value of a weak kind, and why; raises KeyError for a value of another kind."""
    reason = {
        "measured_proxy": f"measured on {entry.measured_on}, not on this device",
        "simulator_config": "taken from a simulator's tuned configuration",
        "memory": "recalled, not looked up",
        "assumed": "assumed, no source was found",
    }[entry.kind]
    text = f"{key} of {device} is {entry.value} {entry.unit}: {reason}{f' ({entry.note})' if entry.note else ''}."
    value = float(entry.value) if isinstance(entry.value, int | float) else None
    return Assumption("profile", key, text, value)
