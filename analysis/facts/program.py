"""The instructions of a thread as a tree of basic blocks, loops and branches; the same shape serves a CPU core.

Granularity: everything here is per thread (per execution of the kernel's body); counts inside a `ThreadLoop` are per
iteration of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Protocol, get_args

from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.ids import NodeId

OpClass = Literal[
    "fp32_add", "fp32_mul", "fp32_fma", "fp32_div", "fp32_sqrt", "fp32_special",
    "fp64_add", "fp64_mul", "fp64_fma", "fp64_div", "fp64_sqrt", "fp64_special",
    "int_add", "int_mul", "int_mad", "int_div", "int64_add", "int64_mul", "int64_div",
    "logic", "shift", "compare", "convert", "branch",
    "logic64", "shift64", "compare64", "convert64",
]  # fmt: skip
"""Classes of arithmetic that hardware profiles give a latency and a throughput for; add and subtract are one, compare
includes min, max and select, fp32_special is one SFU operation (2^x, log2, sin, rcp, rsqrt), fp64_special one step of a
software sequence, branch is any control transfer. Math functions are expanded into these (math_functions.py).
On a GPU integers of 64 bits take an instruction per half (`logic64`, `shift64`, which includes comparisons); units for
double precision compare doubles and convert from and to 64 bits (`compare64`, `convert64`)."""

OP_CLASSES: tuple[OpClass, ...] = get_args(OpClass)

TIMED_AS: Mapping[OpClass, tuple[OpClass, ...]] = {
    "logic64": ("int64_add",),
    "shift64": ("int64_add",),
    "compare64": ("compare", "fp64_add"),
    "convert64": ("convert", "fp64_add"),
}
"""Classes that no profile has values for, and those whose slowest they are as slow as.

Source: CUDA C++ Programming Guide, throughput of native arithmetic instructions, "type conversions from and to 64-bit
types": 16 results per cycle and SM with compute capability 8.0 and 9.0, as other conversions, 2 with 8.6, as double
precision.
"""

PROFILED_OP_CLASSES: tuple[OpClass, ...] = tuple(op for op in OP_CLASSES if op not in TIMED_AS)

MemoryOp = Literal["load", "store", "atomic"]


@dataclass(frozen=True, slots=True)
class Window:
    """Elements that outputs side by side along the grid loop `axis` both read, in iterations of a loop unrolled whole.

    What an output reads in one of the `trip_count` iterations is what the one `apart` outputs further reads `later`
    iterations earlier (or later, where one of the two moves backwards): a register holds it for both.
    """

    axis: NodeId
    trip_count: int
    apart: int
    later: int

    @property
    def shared(self) -> float:
        """Share of an output's iterations whose element the one `apart` further reads too, 0..1."""
        return max(0, self.trip_count - self.later) / self.trip_count


@dataclass(frozen=True, slots=True)
class Variation:
    """Grid loops along which an instruction has another value (or address), and what its windows save of the copies.

    A thread with several outputs along such a loop runs it once per output, less what it shares in a window.
    """

    varies: frozenset[NodeId] = frozenset()
    windows: tuple[Window, ...] = ()


@dataclass(frozen=True, slots=True)
class Instruction:
    """One operation of a thread. `operands` are indices of earlier instructions of the same block it waits for.

    `access` is set for memory operations, `statement` is the statement it belongs to. `flops` counts floating-point
    operations (2 for a fused multiply-add).
    """

    op: OpClass | MemoryOp
    operands: tuple[int, ...]
    statement: NodeId
    access: NodeId | None = None
    size_bytes: int = 4
    varies: frozenset[NodeId] = frozenset()
    """Grid loops along which it has another value (or address): a thread with several outputs along one of them runs it
    once per output, and only once where it does not vary."""
    windows: tuple[Window, ...] = ()
    """Where outputs along a loop in `varies` read the same elements: at most one per loop."""

    @property
    def variation(self) -> Variation:
        """What decides how often a thread with several outputs runs it (work_per_thread.times_run)."""
        return Variation(self.varies, self.windows)

    @property
    def flops(self) -> int:
        """Floating-point operations, an expanded math function's steps included, what tables approximate left out."""
        if not self.op.startswith("fp") or self.op.endswith("special"):
            return 0
        return 2 if self.op.endswith("fma") else 1


@dataclass(frozen=True, slots=True)
class BasicBlock:
    """Straight-line code. `ilp` is instructions / longest dependence chain (Resios 6.1), at least 1.

    `load_chain` are the loads that a thread waits for one after the other in one execution: below 1 where the loads of
    several iterations of an unrolled loop are in flight together.
    """

    instructions: tuple[Instruction, ...]
    ilp: Fraction
    load_chain: Fraction = Fraction(1)


@dataclass(frozen=True, slots=True)
class ThreadLoop:
    """A loop that each thread runs. `trip_count` is the average per execution, a formula in the parameters.

    Of a loop that the compiler unrolls, control (instructions whose statement is the loop) runs once in `unroll`
    iterations; `body` is one iteration, with the ILP of the unrolled one. One that is unrolled whole has no control.
    """

    loop: NodeId
    trip_count: Formula
    body: tuple[Region, ...]
    unroll: int = 1
    is_uneven: bool = False
    """Whether data decides how often each thread of a warp runs it."""


class ShareOfSizes(Protocol):
    """A share, 0..1, that follows from sizes."""

    def at(self, sizes: Mapping[str, int]) -> Fraction:
        """Return the share at these sizes."""
        ...


class SharesOfWarps(Protocol):
    """Shares of the warps that go through each side of a branch."""

    def in_warps_at(self, sizes: Mapping[str, int], share: float) -> tuple[float, float]:
        """Return those at these sizes, where the condition holds for this share of the threads."""
        ...


@dataclass(frozen=True, slots=True)
class Branch:
    """Both sides; `divergent` when threads of one warp may disagree (the condition varies along the x thread index).

    `then_share` is the assumed share of executions that take `then`, in a large problem where sizes have a part in it;
    `counted` says then what it is at other sizes.
    """

    statement: NodeId
    divergent: bool
    then: tuple[Region, ...]
    otherwise: tuple[Region, ...]
    then_share: Fraction = Fraction(1, 2)
    counted: ShareOfSizes | None = None
    in_warps: SharesOfWarps | None = None
    """Of a divergent branch on iterators and sizes."""
    warp_shares: tuple[float, float] = (1.0, 1.0)
    """Warps that go through each side of a divergent branch."""

    def share_at(self, sizes: Mapping[str, int]) -> Fraction:
        """Share of executions that take `then` at these sizes."""
        return self.then_share if self.counted is None else self.counted.at(sizes)


Region = BasicBlock | ThreadLoop | Branch


def blocks(program: tuple[Region, ...]) -> Iterator[tuple[BasicBlock, tuple[ThreadLoop, ...]]]:
    """Basic blocks in program order, each with the loops around it, outer first."""
    yield from _blocks(program, ())


def _blocks(
    program: tuple[Region, ...], around: tuple[ThreadLoop, ...]
) -> Iterator[tuple[BasicBlock, tuple[ThreadLoop, ...]]]:
    for region in program:
        match region:
            case BasicBlock():
                yield region, around
            case ThreadLoop():
                yield from _blocks(region.body, (*around, region))
            case Branch():
                yield from _blocks(region.then, around)
                yield from _blocks(region.otherwise, around)
