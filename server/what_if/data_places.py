"""Where a loop's data is before it starts: in the CPU's memory (cold) or in the GPU's already (resident)."""

from __future__ import annotations

from typing import Literal, get_args

DataPlace = Literal["cold", "resident"]
DATA_PLACES: tuple[DataPlace, ...] = get_args(DataPlace)
