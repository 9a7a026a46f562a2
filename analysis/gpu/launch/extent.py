"""Sizes along the three axes of a grid or block."""

from __future__ import annotations

Extent = tuple[int, int, int]
"""Along x, y, z."""
