"""The launch that a loop has now: what its directive asks for, or the default."""

from __future__ import annotations

import re
from dataclasses import dataclass

from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.ir.nest import loops_of

DEFAULT_THREADS = 256
"""What a directive without a clause is assumed to mean. Assumes: compilers differ (128, 256 or 1024)."""

DEFAULT_ORIGIN = "default"

_DEVICE = re.compile(r"\b(target|teams|acc)\b")
"""Directives for a GPU: `num_threads` of a loop for the CPU's cores says nothing of it."""

_CLAUSE = re.compile(r"\b(thread_limit|num_threads|vector_length)\s*\(\s*(\d+)\s*\)")


@dataclass(frozen=True, slots=True)
class CurrentLaunch:
    """A launch and what says so: a clause as it is written, or `DEFAULT_ORIGIN`."""

    launch: LaunchConfig
    origin: str


def current_launch(facts: NestFacts, kernel: Kernel, gpu: Gpu) -> CurrentLaunch:
    """Launch of a kernel by the directives above its loops, the innermost clause first.

    The threads of a team lie along the innermost of the distributed loops, which is x or not as the kernel's accesses
    have it. A number that a block can't have is taken as the most that it can.
    Source: OpenMP 5.0, 2.7 (thread_limit), 2.6 (num_threads); OpenACC 3.1, 2.9.4 (vector_length).
    Not modelled: clauses whose value is an expression; collapse clauses that join fewer loops than the kernel has.
    """
    pragmas = [pragma for loop in loops_of(facts.nest) for pragma in loop.pragmas]
    clauses = [
        (int(threads), f"{clause}({threads})")
        for pragma in pragmas
        for clause, threads in _CLAUSE.findall(pragma)
        if any(_DEVICE.search(other) for other in pragmas)
    ]
    threads, origin = clauses[-1] if clauses else (DEFAULT_THREADS, DEFAULT_ORIGIN)
    threads = max(1, min(threads, gpu.occupancy.max_threads_per_block))
    axis = kernel.thread_order.index(kernel.grid[-1].loop)
    block = (threads, 1, 1) if axis == 0 else (1, threads, 1) if axis == 1 else (1, 1, threads)
    return CurrentLaunch(LaunchConfig(block), origin)
