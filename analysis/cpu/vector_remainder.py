"""What is left of a vectorised loop whose trip count is no multiple of its lanes."""

from __future__ import annotations

from math import floor

_SHORTER_FROM_BYTES = 32
"""Vectors from which on gcc follows the loop by one with half of them."""


def with_remainder(vector_cycles: float, scalar_cycles: float, trips: float, lanes: int, vector_bytes: int) -> float:
    """Cycles per iteration on average: whole vectors, then one of half the width if it is filled, then one by one.

    `vector_cycles` and `scalar_cycles` are per iteration of the source's loop. A shorter vector takes the instructions
    of a whole one.
    Source: gcc's vect_do_peeling (tree-vect-loop-manip.cc) and --param vect-epilogues-nomask.
    """
    if trips <= 0.0 or lanes <= 1:
        return vector_cycles
    passes = floor(trips / lanes)
    left = trips - passes * lanes
    if vector_bytes >= _SHORTER_FROM_BYTES and left >= lanes / 2:
        passes += 1
        left -= lanes / 2
    return (passes * lanes * vector_cycles + left * scalar_cycles) / trips
