"""How many warps an SM keeps resident, with NVIDIA's allocation granularities (cuda_occupancy.h)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Resident warps of an SM and what limits them."""

    blocks_per_sm: int
    warps_per_sm: int
    fraction: float
    limited_by: Literal["threads", "blocks", "registers", "shared memory", "grid"]
