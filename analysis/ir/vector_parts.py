"""How values of GNU C's vector types are put together and taken apart: calls of names that C can't have."""

from __future__ import annotations

from warplens.analysis.ir.symbol import added

OF_LANES = added("vector")
"""A vector made of its lanes."""

LANE = added("lane")
"""One lane of a vector."""

VECTOR_PARTS = frozenset((OF_LANES, LANE))
"""Both."""
