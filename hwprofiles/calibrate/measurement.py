"""The lines of JSON that a calibration program writes, read and checked."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast


class MeasurementError(ValueError):
    """A line that no calibration program writes, or a quantity that is not all there; the message says which."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """The samples of one point of a series, in `unit`; `x` says at which point. A text has no samples."""

    quantity: str
    series: str
    x: Mapping[str, float]
    unit: str
    samples: tuple[float, ...]
    text: str = ""


def parse_measurements(text: str) -> tuple[Measurement, ...]:
    r"""Read lines in their order; raises MeasurementError, also where no line says that a quantity is done.

    >>> line = '{"quantity":"device.clock_mhz","series":"value","x":{},"unit":"MHz","samples":[3000,3001.5]}'
    >>> parse_measurements(line + '\n{"quantity":"device.clock_mhz","done":true}')[0].samples
    (3000.0, 3001.5)
    """
    found: list[Measurement] = []
    pending: dict[str, None] = {}
    for fields in _objects(text):
        quantity = _text(fields, "quantity")
        if fields.get("done") is True:
            pending.pop(quantity, None)
            continue
        pending[quantity] = None
        found.append(_measurement(quantity, fields))
    if pending:
        raise MeasurementError(f"the program ended within {', '.join(pending)}")
    return tuple(found)


def _objects(text: str) -> Iterator[Mapping[str, object]]:
    for line in text.splitlines():
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
        except json.JSONDecodeError as error:
            raise MeasurementError(f"not JSON: {line[:80]!r} ({error})") from error
        if not isinstance(fields, dict):
            raise MeasurementError(f"not an object: {line[:80]!r}")
        yield fields


def _measurement(quantity: str, fields: Mapping[str, object]) -> Measurement:
    x, samples = fields.get("x", {}), fields.get("samples", [])
    if not isinstance(x, dict) or not all(_is_number(value) for value in x.values()):
        raise MeasurementError(f"{quantity}: x must be an object of numbers")
    if not isinstance(samples, list) or not all(_is_number(sample) for sample in samples):
        raise MeasurementError(f"{quantity}: samples must be finite numbers")
    said = _text(fields, "text") if "text" in fields else ""
    if not samples and not said:
        raise MeasurementError(f"{quantity}: no samples")
    return Measurement(
        quantity, _text(fields, "series"), {name: float(value) for name, value in x.items()}, _text(fields, "unit"),
        tuple(float(sample) for sample in samples), said,
    )  # fmt: skip


def _text(fields: Mapping[str, object], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise MeasurementError(f"{name} must be a text in {str(dict(fields))[:80]}")
    return value


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(cast("float", value))
