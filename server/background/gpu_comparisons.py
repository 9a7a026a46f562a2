"""A nest on other GPUs, one GPU after the other, so that an analysis waits for one prediction at most."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from warplens.server.compared_gpus.job import ComparedGpu, CompareJob

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer


async def nest_on_gpus(
    server: WarplensServer,
    packed: bytes,
    gpus: Iterable[str],
    data: Literal["cold", "resident"],
    limit_s: float,
) -> tuple[ComparedGpu, ...]:
    """The nest on its own GPU and on these, fastest first.

    Raises AnalysisFailedError and AnalysisTimedOutError.
    """
    found: dict[str, ComparedGpu] = {}
    for gpu in gpus:
        job = CompareJob(packed, (gpu,), data, limit_s, with_break_even=True)
        for row in await server.analysis.run(job):
            found.setdefault(row.name, row)
    return tuple(sorted(found.values(), key=lambda row: row.cold_s if data == "cold" else row.resident_s))
