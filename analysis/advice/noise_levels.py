"""The levels of noise by name, apart from what they mean: settings and a command's help need no model."""

from __future__ import annotations

from typing import Literal, get_args

Noise = Literal["quiet", "normal", "all"]
"""quiet: warnings on loops that a GPU would speed up; normal: what can be changed, and what stops a loop; all."""

LEVELS: tuple[Noise, ...] = get_args(Noise)
