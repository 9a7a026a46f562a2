"""How far values of a profile may be off, by the resource of the GPU that they describe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Resource = Literal["DRAM bandwidth", "L2 bandwidth", "L1 bandwidth", "memory latency", "arithmetic", "division"]


@dataclass(frozen=True, slots=True)
class ValueUncertainty:
    """The value of a resource that is known least: it may be off by `factor` each way.

    `key`, `kind` and `measured_on` are the profile's.
    """

    resource: Resource
    factor: float
    key: str
    kind: str
    measured_on: str = ""
