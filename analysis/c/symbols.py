"""What a name of the source stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.types import CType, Scalar, is_volatile

ScopeKind = Literal["parameter", "global", "local", "body"]


@dataclass(frozen=True, slots=True)
class Symbol:
    """A variable. `name` is unique in its nest; `value` is set for constants that are folded.

    `is_array_parameter` marks `double a[n][n]` of a parameter list: a pointer whose outer extent is written.
    `is_of_thread` marks a variable of which each thread has one (`_Thread_local`, `threadprivate`).
    """

    name: str
    type: CType
    scope: ScopeKind
    restrict: bool = False
    is_const: bool = False
    is_array_parameter: bool = False
    value: int | None = None
    declared_in: NodeId | None = None
    table: tuple[int, ...] = ()
    """Values of a constant array of integers, empty where they are not known."""
    unstored: Literal["", "zeros", "values"] = ""
    """What the elements are that an initialiser gives without stores (initialisers.py)."""
    is_of_thread: bool = False

    @property
    def is_fixed(self) -> bool:
        """Whether it is a `const` number: who has its address may only read it."""
        return self.is_const and isinstance(self.type, Scalar) and not is_volatile(self.type)
