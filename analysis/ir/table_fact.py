"""What the user says of the values in an array that others are subscripted with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

TableFactKind = Literal["injective", "increasing"]
"""injective: no value stands twice in it; increasing: no value is smaller than the one before."""

TABLE_FACT_KINDS: tuple[TableFactKind, ...] = get_args(TableFactKind)


@dataclass(frozen=True, slots=True, order=True)
class TableFact:
    """One statement about one array, taken as true."""

    array: str
    kind: TableFactKind
