"""Kernels built by hand: grid loops, thread loops and affine accesses, without the front end."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import pytest
from warplens.analysis.facts.nest_facts import AccessFacts, GridLoop, Kernel
from warplens.analysis.facts.program import BasicBlock, Region, ThreadLoop
from warplens.analysis.ir.expression import Access, ScalarRef
from warplens.analysis.ir.formula import ONE, Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import FLOAT, INT, Scalar


@dataclass(frozen=True)
class LoopSpec:
    """`for (name = start; name < start + step * trips; name += step)`."""

    name: str
    trips: Formula | int
    start: int = 0
    step: int = 1


@dataclass(frozen=True)
class AccessSpec:
    """`array[indices]`; an index None is gathered. `loops` are the thread loops around it, outer first."""

    array: str
    indices: Sequence[Polynomial | None]
    extents: Sequence[Polynomial | int | None]
    loops: Sequence[str] = ()
    reads: bool = True
    writes: bool = False
    type: Scalar = FLOAT
    element_bytes: int = 0
    offset_bytes: int = 0
    is_private: bool = False


@dataclass
class KernelBuilder:
    """`grid` is outer to inner; `order` names the loops mapped to x, y, z; `serial` are loops around the kernel."""

    grid: Sequence[LoopSpec]
    order: Sequence[str]
    accesses: Sequence[AccessSpec]
    thread_loops: Sequence[LoopSpec] = ()
    serial: Sequence[LoopSpec] = ()
    register_pressure: int = 32
    ids: dict[str, NodeId] = field(default_factory=dict)

    def build(self) -> Kernel:
        loops = [*self.serial, *self.grid, *self.thread_loops]
        self.ids = {loop.name: NodeId(number) for number, loop in enumerate(loops)}
        program: tuple[Region, ...] = (BasicBlock((), Fraction(1)),)
        for loop in reversed(self.thread_loops):
            program = (ThreadLoop(self.ids[loop.name], _formula(loop.trips), program),)
        launches = ONE
        for loop in self.serial:
            launches = launches * _formula(loop.trips)
        return Kernel(
            root=NodeId(0),
            launches=launches,
            grid=tuple(
                GridLoop(self.ids[s.name], s.name, _formula(s.trips), Polynomial.constant(s.start), s.step)
                for s in self.grid
            ),
            thread_order=tuple(self.ids[name] for name in self.order),
            program=program,
            accesses=tuple(self._access(100 + n, spec) for n, spec in enumerate(self.accesses)),
            private=(),
            reductions=(),
            register_pressure=self.register_pressure,
            live_values=(),
            arithmetic_intensity=Fraction(1),
        )

    def _access(self, number: int, spec: AccessSpec) -> AccessFacts:
        extents = tuple(Polynomial.constant(e) if isinstance(e, int) else e for e in spec.extents)
        access = Access(
            NodeId(number),
            spec.array,
            spec.type,
            tuple(ScalarRef("i", INT) for _ in spec.indices),
            tuple(spec.indices),
            extents,
            spec.element_bytes or spec.type.size_bytes,
            member_offset_bytes=spec.offset_bytes,
        )
        around = [*self.serial, *self.grid, *(loop for loop in self.thread_loops if loop.name in spec.loops)]
        linear = access.linear_index
        strides = tuple(
            (
                self.ids[loop.name],
                None if linear is None else linear.coefficient(loop.name) * loop.step * access.element_bytes,
            )
            for loop in around
        )
        executions = ONE
        for loop in self.thread_loops:
            if loop.name in spec.loops:
                executions = executions * _formula(loop.trips)
        return AccessFacts(
            access,
            spec.reads,
            spec.writes,
            tuple(self.ids[loop.name] for loop in around),
            strides,
            executions,
            is_gathered=any(index is None for index in spec.indices),
            is_private=spec.is_private,
        )


def _formula(trips: Formula | int) -> Formula:
    return Formula.constant(trips) if isinstance(trips, int) else trips


AT_I, AT_J, AT_K, N = (Polynomial.symbol(name) for name in "ijkn")
_N = Formula.parameter("n")


@pytest.fixture
def builder() -> type[KernelBuilder]:
    """Build any kernel."""
    return KernelBuilder


@pytest.fixture
def spec() -> type[AccessSpec]:
    """An access of it."""
    return AccessSpec


@pytest.fixture
def loop() -> type[LoopSpec]:
    """A loop of it."""
    return LoopSpec


@pytest.fixture
def gemm() -> Kernel:
    """Build `c[i][j] = sum over k of a[i][k] * b[k][j]`, j along x, i along y; the store is after the loop."""
    return KernelBuilder(
        [LoopSpec("i", _N), LoopSpec("j", _N)],
        ["j", "i"],
        [
            AccessSpec("a", [AT_I, AT_K], [N, N], ["k"]),
            AccessSpec("b", [AT_K, AT_J], [N, N], ["k"]),
            AccessSpec("c", [AT_I, AT_J], [N, N], reads=False, writes=True),
        ],
        [LoopSpec("k", _N)],
    ).build()


@pytest.fixture
def transpose() -> Kernel:
    """Build `b[j][i] = a[i][j]`, j along x."""
    return KernelBuilder(
        [LoopSpec("i", _N), LoopSpec("j", _N)],
        ["j", "i"],
        [AccessSpec("a", [AT_I, AT_J], [N, N]), AccessSpec("b", [AT_J, AT_I], [N, N], reads=False, writes=True)],
    ).build()


@pytest.fixture
def copy() -> Kernel:
    """Build `c[i] = a[i]`."""
    return KernelBuilder(
        [LoopSpec("i", _N)],
        ["i"],
        [AccessSpec("a", [AT_I], [N]), AccessSpec("c", [AT_I], [N], reads=False, writes=True)],
    ).build()


@pytest.fixture
def stencil() -> Kernel:
    """Build the five-point stencil on the interior of an n x n grid, j along x."""
    inner = _N - 2
    reads = [(AT_I, AT_J), (AT_I - 1, AT_J), (AT_I + 1, AT_J), (AT_I, AT_J - 1), (AT_I, AT_J + 1)]
    return KernelBuilder(
        [LoopSpec("i", inner, start=1), LoopSpec("j", inner, start=1)],
        ["j", "i"],
        [
            *(AccessSpec("a", list(indices), [N, N]) for indices in reads),
            AccessSpec("b", [AT_I, AT_J], [N, N], reads=False, writes=True),
        ],
    ).build()
