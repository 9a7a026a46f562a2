"""A nest that has an OpenMP port, and what runs it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """`source` defines `work` with the nest, and `drive`, which runs it on parts of one array of random numbers."""

    name: str
    source: str
    clauses: tuple[str, ...]
    is_reduction: bool = False
