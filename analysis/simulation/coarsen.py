"""Long traces made shorter, so that a simulation's time does not depend on the length of a loop's body."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from warplens.analysis.simulation.operation import Operation

LONGEST_TRACE = 96
"""Operations, barriers not counted; a trace is shortened beyond."""


def coarsen(operations: Sequence[Operation], longest: int = LONGEST_TRACE) -> tuple[Operation, ...]:
    """The same work in at most `longest` computations and requests (a few more around barriers).

    Neighbours between two barriers are added up, computations to computations and requests to requests. The sum of
    requests is named after the one that takes longest: its hotspot stands for those of its neighbours.
    """
    work = sum(operation.kind != "sync" for operation in operations)
    if work <= longest:
        return tuple(operations)
    size = -(-2 * work // longest)
    result: list[Operation] = []
    for is_barrier, group in groupby(operations, key=lambda operation: operation.kind == "sync"):
        members = list(group)
        if is_barrier:
            result.extend(members)
            continue
        for first in range(0, len(members), size):
            part = members[first : first + size]
            for kind in ("compute", "memory"):
                same = [operation for operation in part if operation.kind == kind]
                if same:
                    result.append(_sum(same))
    return tuple(result)


def _sum(operations: Sequence[Operation]) -> Operation:
    longest = max(operations, key=lambda operation: operation.delay_cycles + operation.penalty_cycles)
    issue, load_store, l2, dram = (sum(cycles) for cycles in zip(*(o.pipe_cycles for o in operations), strict=True))
    return Operation(
        longest.kind,
        sum(operation.count for operation in operations),
        sum(operation.delay_cycles for operation in operations),
        (issue, load_store, l2, dram),
        longest.statement,
        longest.access,
        sum(operation.special_cycles for operation in operations),
    )
