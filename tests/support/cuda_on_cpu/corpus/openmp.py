"""The nests that have OpenMP ports: their own `drive` runs them on parts of one array."""

from __future__ import annotations

from support.cuda_on_cpu.case import Case
from support.openmp_ports.loop_shapes import LOOP_SHAPES
from support.openmp_ports.memory_and_calls import MEMORY_AND_CALLS
from support.openmp_ports.reductions_and_time_loops import REDUCTIONS_AND_TIME_LOOPS

POOL = 1 << 16

OPENMP_NESTS = tuple(
    Case(
        f"openmp_{case.name}",
        case.source,
        entry="drive",
        lengths={"p": str(POOL)},
        terms=str(POOL) if case.is_reduction else "",
        is_exact=case.name != "reductions_of_a_time_loop",
    )
    for case in (*LOOP_SHAPES, *REDUCTIONS_AND_TIME_LOOPS, *MEMORY_AND_CALLS)
)
