"""What a check found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "note", "wrong"]


@dataclass(frozen=True, slots=True)
class Check:
    """`found` says what there is, `remedy` what to do about it: never empty where something is wrong.

    note: it works, but something would be better otherwise.
    """

    name: str
    state: State
    found: str
    remedy: str = ""
