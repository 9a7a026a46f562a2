"""Everything that is true of a nest on any machine, as one value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from warplens.analysis.facts.computed_index import ComputedIndex, LanePart, Level
from warplens.analysis.facts.mapping import Team
from warplens.analysis.facts.program import Region
from warplens.analysis.facts.verdict import LoopVerdict, Reduction
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.formula import ZERO, Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.polynomial import Polynomial


@dataclass(frozen=True, slots=True)
class DataStep:
    """`symbol` stands for what data adds to subscript `dimension` per iteration of a loop, as much in each of them."""

    symbol: str
    dimension: int
    loop: NodeId


@dataclass(frozen=True, slots=True)
class TripCount:
    """Iterations of a loop per execution of it.

    `average` holds no iterator: for a triangular loop it is the exact total divided by the executions. `exact` is
    False when a data-dependent bound became the parameter `name` (then an assumption says so).
    """

    loop: NodeId
    average: Formula
    exact: bool
    assumptions: tuple[Assumption, ...] = ()


@dataclass(frozen=True, slots=True)
class AccessFacts:
    """One access of a kernel. `stride_bytes` is per loop around it (grid loops too), None where not constant.

    The stride is the byte distance per iteration, a polynomial in parameters (n*4 for `b[k*n + j]` along k).
    `executions_per_thread` counts requests of one thread in each direction (a read and a write of an update are one);
    zero where the value is still in a register. `off_chip` is Resios 6.3's class of the instruction that
    uses it. `is_gathered` marks a subscript that depends on memory or is not polynomial; in a kernel one that data
    leads elsewhere for its threads and that no grid loop is known to move: `a[idx[i]]`, `v[k]` with `for (k = row[i];
    ...)`, not `a[row[i] + j]` where j is a grid loop too.
    """

    access: Access
    is_read: bool
    is_write: bool
    loops: tuple[NodeId, ...]
    stride_bytes: tuple[tuple[NodeId, Polynomial | None], ...]
    executions_per_thread: Formula
    is_gathered: bool
    is_private: bool = False
    """In memory of the iteration itself (an array declared in the body): registers or local memory, not global."""
    counted: Access | None = None
    """In a kernel: `access` with every iterator as its loop's start plus the distance from it (counted_access.py), for
    threads in step are at the same distance; elsewhere it is given where data adds to a subscript. `stride_bytes` is of
    this form."""
    array_bytes: Formula | None = None
    """What the nest touches of the array (None: not known): no set of threads touches more of it."""
    unknown: tuple[tuple[str, frozenset[NodeId]], ...] = ()
    """Symbols in `counted` for what data adds to a subscript, each with the loops that change it: the loops along which
    such an address has no known stride, and any alignment."""
    steps: tuple[DataStep, ...] = ()
    """Symbols in `counted` for what data adds evenly along a grid loop; data_steps.py says how much that is at most."""
    computed: ComputedIndex | None = None
    """The subscripts where iterators and sizes decide them in a way that no polynomial has."""
    is_approximate: bool = False
    """Whether `counted` and `stride_bytes` are those of most iterations at the sizes in force (nearly_affine.py)."""
    parts: tuple[LanePart, ...] = ()
    """Symbols of an approximate `counted` that count along a loop in another way than its iterator."""
    levels: tuple[tuple[NodeId, tuple[Level, ...]], ...] = ()
    """Loops along which an approximate access does not always go on by its stride: all its strides there."""

    @property
    def address(self) -> Access:
        """The access whose subscripts say where the threads of a block are relative to each other."""
        return self.access if self.counted is None else self.counted

    def is_scattered_along(self, loop: NodeId) -> bool:
        """Whether data decides where the loop's iterations lead the access."""
        return any(loop in loops for _, loops in self.unknown)


@dataclass(frozen=True, slots=True)
class GridLoop:
    """A parallel loop mapped to threads. `trip_count` is the size of the grid in this dimension."""

    loop: NodeId
    iterator: str
    trip_count: Formula
    start: Polynomial
    step: int
    is_uneven: bool = False
    """Another iteration of the other loops starts it elsewhere, or runs it another number of times (a triangle)."""
    counts_from_its_start: bool = False
    """Threads count its iterations from where it starts in an iteration of the other loops (`counted_loops.py`)."""


@dataclass(frozen=True, slots=True)
class OwnMemory:
    """What a thread's own arrays take: registers, or words of local memory with so many loads and stores of it."""

    register_words: int = 0
    local_words: int = 0
    loads: Formula = ZERO
    stores: Formula = ZERO

    def with_registers(self, words: int) -> OwnMemory:
        """With an array that stays in registers."""
        return replace(self, register_words=self.register_words + words)

    def with_local(self, words: int) -> OwnMemory:
        """With an array in local memory."""
        return replace(self, local_words=self.local_words + words)

    def with_accesses(self, loads: Formula, stores: Formula) -> OwnMemory:
        """With so many more accesses of local memory."""
        return replace(self, loads=self.loads + loads, stores=self.stores + stores)


@dataclass(frozen=True, slots=True)
class Registers:
    """Peak pressure of the thread's program, and what Belady's rule does when `limit` registers exist (Resios 6.4)."""

    per_thread: int
    limit: int
    spill_stores: int
    spill_loads: int
    spill_slots: int
    """Registers that have a place in local memory; one may be stored and read more than once."""
    local_stores: float = 0.0
    local_loads: float = 0.0
    local_words: int = 0
    """The thread's own arrays in local memory: accesses per run of the block that runs most often, and their size."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """The part of a nest that would run on the GPU: a band of parallel loops and the body a thread runs.

    `launches` is the product of the trip counts of the sequential loops around it. `grid` is outer to inner as in the
    source (1 to 3 loops); `thread_order` lists the same loops as x, y, z: x is the loop along which most accesses are
    contiguous. `program` is what one thread does. Counts are per thread.
    """

    root: NodeId
    launches: Formula
    grid: tuple[GridLoop, ...]
    thread_order: tuple[NodeId, ...]
    program: tuple[Region, ...]
    accesses: tuple[AccessFacts, ...]
    private: tuple[str, ...]
    reductions: tuple[Reduction, ...]
    register_pressure: int
    live_values: tuple[tuple[int, ...], ...]
    """Input of the spill computation: for each instruction in program order, the values it reads (`v`) and writes
    (`~v`); a 64-bit value is two."""
    arithmetic_intensity: Fraction
    """Resios 6.3: on-chip over off-chip instructions, weighted by nothing (per basic block of the innermost level)."""
    assumptions: tuple[Assumption, ...] = ()
    live_by_axes: tuple[tuple[int, ...], ...] = ()
    """Registers alive together at the points where most are, by the grid loops along which their values vary: rows of
    2 ** len(grid) counts, the bits of the index being `thread_order` (bit 0 is x). A thread with F outputs along an
    axis holds F copies of what varies along it; `register_pressure` is the largest row sum."""
    live_together_by_axes: tuple[tuple[int, ...], ...] = ()
    """The same rows where the addresses and loads of a block, or of all unrolled copies of a loop's body, are issued
    together: what a compiler takes as long as registers cost no resident warps (thread_registers.py)."""
    live_hoisted_by_axes: tuple[tuple[int, ...], ...] = ()
    """The same rows where addresses and loads of a loop's body, as it is in the source, come before the rest of it."""
    own: OwnMemory = OwnMemory()
    carried_updates: int = 1
    """Statements by which a loop's body changes what it carries on: two where the source unrolls it by two."""
    team: Team | None = None
    """Threads that share an iteration of the other grid loops: then the loop over its lanes is x."""
    apart: frozenset[NodeId] = frozenset()
    """Loops that threads of a block may run apart, so that none of them waits for the others there."""

    @property
    def is_one_each(self) -> bool:
        """Whether a thread has one output and blocks stage nothing: a block has no first iteration to count from."""
        return self.team is not None or any(loop.counts_from_its_start for loop in self.grid)


@dataclass(frozen=True, slots=True)
class ArrayTransfer:
    """What a cold run moves for one array: elements read before they are written (in), elements written (out)."""

    array: str
    in_bytes: Formula
    out_bytes: Formula
    """Zero for an array that the nest only writes or only reads."""


@dataclass(frozen=True, slots=True)
class NestFacts:
    """All facts of one nest. `sequential` is the whole nest as one core runs it.

    `nest` is the nest after delinearisation: accesses keep their ids. `kernels` is empty when no loop is parallel.
    """

    nest: LoopNest
    verdicts: tuple[LoopVerdict, ...]
    trip_counts: tuple[TripCount, ...]
    sequential: tuple[Region, ...]
    sequential_accesses: tuple[AccessFacts, ...]
    kernels: tuple[Kernel, ...]
    transfers: tuple[ArrayTransfer, ...]
    footprint_bytes: Formula
    parameters: tuple[str, ...]
    """Parameters that the formulas above need a value for."""
    size_hints: tuple[tuple[str, int], ...] = ()
    """Values that the source implies (a parameter bounded by an array's extent), used before the default."""
    assumptions: tuple[Assumption, ...] = ()
    zero_hints: tuple[tuple[str, str], ...] = ()
    """Parameters that only take iterations away (a loop's start), with what they are: their default is 0."""
    restricted: tuple[Kernel, ...] = ()
    """Kernels whose code would be another if every pointer was `restrict`, as they would be then."""

    def verdict(self, loop: NodeId) -> LoopVerdict:
        """Verdict of a loop; raises KeyError."""
        for verdict in self.verdicts:
            if verdict.loop == loop:
                return verdict
        raise KeyError(loop)

    def trip_count(self, loop: NodeId) -> TripCount:
        """Trip count of a loop; raises KeyError."""
        for trip_count in self.trip_counts:
            if trip_count.loop == loop:
                return trip_count
        raise KeyError(loop)
