"""What a rule reports, in offsets-free terms: the nest's node ids, turned into positions last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from warplens.analysis.ir.ids import NodeId

Severity = Literal["warning", "information", "hint"]


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that explains the finding."""

    node: NodeId
    message: str


@dataclass(frozen=True, slots=True)
class Finding:
    """`code` is the rule's (`WL201`), `node` what it is about (a loop: its header; else the access or statement).

    Never an error: C errors stay in front. `gain` is what the advice is predicted to make the kernel faster by, as a
    factor, where that is known.
    """

    code: str
    node: NodeId
    message: str
    severity: Severity
    related: tuple[Related, ...] = ()
    gain: float | None = None
