"""What the front end needs of a memory of finished results; the engine owns the real one."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Protocol, TypeVar

T = TypeVar("T")


class Memo(Protocol):
    """Results by kind and content."""

    def get(self, kind: str, key: Hashable, compute: Callable[[], T]) -> T:
        """Result of `compute` for (kind, key), remembered or computed."""
        ...
