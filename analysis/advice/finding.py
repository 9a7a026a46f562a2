"""What a rule reports, in offsets-free terms: the nest's node ids, turned into positions last."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Literal

from warplens.analysis.ir.ids import NodeId

WRONG_CODE = frozenset(("WL103", "WL104"))
"""Rules whose findings are mistakes of the program: a race, data that is not where it is used."""

Cause = tuple[Hashable, ...]
"""What is the matter, told from all else that the same rule finds in the same nest: ids, names and numbers."""

Severity = Literal["warning", "information", "hint"]

SEVERITY_ORDER: dict[Severity, int] = {"warning": 0, "information": 1, "hint": 2}
"""The most severe first."""


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that explains the finding."""

    node: NodeId
    message: str


@dataclass(frozen=True, slots=True)
class Finding:
    """`code` is the rule's (`WL201`), `node` what it is about (a loop: its header; else the access or statement).

    Never an error: C errors stay in front. `gain` is what the advice is predicted to make the kernel faster by, as a
    factor, where that is known. `cause` says what of the nest is the matter: findings of one rule in one nest with the
    same one are one for the user, so what the message says has to hold for all of them. `place` is what stands at the
    node, as the source has it; `array` the name of the array that it is about.
    """

    code: str
    node: NodeId
    message: str
    severity: Severity
    related: tuple[Related, ...] = ()
    gain: float | None = None
    cause: Cause = field(kw_only=True)
    place: str = ""
    array: str = ""

    @property
    def is_wrong_code(self) -> bool:
        """Whether the program is wrong as it stands, however fast it is."""
        return self.code in WRONG_CODE
