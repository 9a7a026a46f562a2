"""Everything that the ledger holds the models to: what others published, and our own runs."""

from __future__ import annotations

from accuracy.ledger.known_bottlenecks import known_bottlenecks
from accuracy.ledger.measurement import Measurement
from accuracy.ledger.published import published
from accuracy.ledger.transcribed import transcribed


def all_measurements() -> tuple[Measurement, ...]:
    """The published ones first."""
    return published() + transcribed() + known_bottlenecks()
