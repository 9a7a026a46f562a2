"""The report's job for the analysis process: unpacking and simulating would hold up the event loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from warplens.analysis.ir.ids import NodeId
from warplens.server.worker.job import Job

if TYPE_CHECKING:
    from warplens.analysis.engine.program_sizes import SizeSources
    from warplens.analysis.models.sizes.break_even import BreakEven
    from warplens.analysis.ports.fix import OfferedFix

Part = Literal["summary", "stake", "detail", "gpus", "break_even"]


@dataclass(frozen=True, slots=True)
class NestPageJob(Job[dict[str, Any]]):
    """Parts of what the page shows of one nest.

    `packed` is its evaluation, `lines` where its nodes stand, from 1; `gpus` are those to compare with its own.
    `size_sources` are the statements that its sizes follow from, shown from the folder `program_root`.
    `function` is whose it is, `break_even` the nest's where it is known already: else the part of that name finds it.
    `fixes` are what is offered for it.
    """

    packed: bytes
    lines: tuple[tuple[NodeId, int], ...]
    parts: tuple[Part, ...]
    gpus: tuple[str, ...]
    time_limit_s: float
    size_sources: SizeSources = ()
    program_root: str = ""
    function: str = ""
    break_even: BreakEven | None = None
    fixes: tuple[OfferedFix, ...] = ()

    @property
    def limit_s(self) -> float:
        """How long it may take."""
        return self.time_limit_s
