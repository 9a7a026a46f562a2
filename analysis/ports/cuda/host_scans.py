"""Ranges that only data tells: `for (k = p[i]; k < p[i + 1]; k++)` and `x[col[k]]`, found by the host before it copies.

The host runs the loops around as the nest has them and keeps the least and the largest value, so that no element is
copied that lies beyond those that the C program touches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from warplens.analysis.dependence.subscripts.iteration_domain import Reference
from warplens.analysis.dependence.subscripts.quasi_affine import Lookup
from warplens.analysis.ir.counted_loops import is_counted
from warplens.analysis.ir.expression import Expression, Load, loads
from warplens.analysis.ir.nest import Loop, LoopNest, loops_of
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.mapping.moved_values import assigned, header_names, written_arrays
from warplens.analysis.ports.sections.touched_range import HostValues, RangeUnknownError


@dataclass(frozen=True, slots=True)
class HostScan:
    """What the host runs: `loops` around, outermost first; the least and the largest `value` are two symbols.

    Only loops whose iterators are `needed` for the value run more than once. Without a value they are the first
    iteration of the last loop, and the end (exclusive) of its iterations. Where nothing runs both are 0, of a value the
    largest is -1.
    """

    loops: tuple[Loop, ...]
    value: Expression | None
    least: str
    most: str

    @property
    def needed(self) -> frozenset[str]:
        """Iterators that the value, or a loop inside, is made of."""
        names = set[str]()
        for access in () if self.value is None else loads(self.value):
            names |= {name for index in access.indices if index is not None for name in index.symbols}
        for loop in reversed(self.loops):
            if self.value is None or loop.iterator in names:
                names |= {loop.iterator} | loop_symbols(loop)
        return frozenset(names)


@dataclass(frozen=True, slots=True)
class ScannedIndex:
    """An index at its least and at its largest; `conditions` are >= 0 where anything is touched."""

    low: Polynomial
    high: Polynomial
    conditions: frozenset[Polynomial]
    is_exact: bool


def plain_index(index: Polynomial) -> ScannedIndex:
    """An index of which nothing is scanned."""
    return ScannedIndex(index, index, frozenset(), is_exact=True)


class HostScans:
    """The scans of one nest, each once; their symbols are values of the host."""

    def __init__(self, nest: LoopNest, known: frozenset[str], values: HostValues) -> None:
        self._known, self._values = known, values
        self._set = assigned((nest.root,)) - {loop.iterator for loop in loops_of(nest)}
        self._changing = written_arrays((nest.root,)) | nest.scratch
        self._changing |= {array.name for array in nest.arrays if array.scope == "body"}
        self._loops = {loop.id: loop for loop in loops_of(nest)}
        self._found: dict[tuple[object, ...], HostScan] = {}

    @property
    def all(self) -> tuple[HostScan, ...]:
        """In the order in which they were asked for."""
        return tuple(self._found.values())

    @property
    def symbols(self) -> frozenset[str]:
        """What they find."""
        return frozenset(name for scan in self.all for name in (scan.least, scan.most))

    def bounded(self, loops: Sequence[Loop]) -> tuple[Loop, ...]:
        """The loops, those whose bounds are read from memory from the least first iteration to the largest end."""
        source = [self._loops.get(loop.id, loop) for loop in loops]
        return tuple(self._bounded(loop, source[: at + 1]) for at, loop in enumerate(loops))

    def _bounded(self, loop: Loop, source: Sequence[Loop]) -> Loop:
        own = source[-1]
        if (own.start_read is None and not own.limit_reads) or not self._can_run(source):
            return loop
        scan = self._scan(tuple(source), None, f"{c_name(loop.iterator)}_first", "end")
        start, end = Polynomial.symbol(scan.least), Polynomial.symbol(scan.most)
        return replace(loop, start=start, limits=(end,), bound_reads=(), bound_reasons=(), limit_reads=())

    def of_index(self, index: Polynomial, reference: Reference) -> ScannedIndex:
        """The index with the ends of values that it reads from memory; raises RangeUnknownError."""
        low = high = index
        conditions: set[Polynomial] = set()
        is_exact = True
        for definition in reference.definitions:
            if not isinstance(definition, Lookup) or definition.name not in index.symbols:
                continue
            factor = index.coefficient(definition.name)
            scan = self._of_lookup(definition, reference)
            if scan is None or not factor.is_constant or factor.constant_term <= 0:
                raise RangeUnknownError("")
            least, most = Polynomial.symbol(scan.least), Polynomial.symbol(scan.most)
            low = low.substitute({definition.name: least})
            high = high.substitute({definition.name: most})
            conditions.add(most - least)
            is_exact &= index.symbols <= {definition.name} | self._known
        return ScannedIndex(low, high, frozenset(conditions), is_exact)

    def _of_lookup(self, lookup: Lookup, reference: Reference) -> HostScan | None:
        loops = tuple(self._loops[loop.id] for loop in reference.place.loops)
        subscripts = () if reference.access is None else reference.access.subscripts
        reads = (one for each in subscripts for one in loads(each) if one.array == lookup.array)
        access = next((one for one in reads if one.indices == lookup.indices), None)
        if access is None or lookup.array in self._changing or not self._can_run(loops):
            return None
        if not lookup.symbols <= self._known | {loop.iterator for loop in loops}:
            return None
        return self._scan(loops, Load(access), f"{c_name(lookup.array)}_least", "most")

    def _can_run(self, loops: Sequence[Loop]) -> bool:
        """Whether the host may run the loops before the nest: what their bounds read is not changed by it."""
        iterators = {loop.iterator for loop in loops}
        for loop in loops:
            if not is_counted(loop) or loop.step != 1 or loop.exact_end:
                return False
            names = loop_symbols(loop) | header_names(loop)
            if not names <= self._known | iterators or names & self._set:
                return False
            if any(access.array in self._changing for read in loop.bound_reads for access in loads(read)):
                return False
        return True

    def _scan(self, loops: tuple[Loop, ...], value: Expression | None, least: str, most: str) -> HostScan:
        """The scan, named by what its least value is called."""
        key = (tuple(loop.id for loop in loops), value.access.element if isinstance(value, Load) else "")
        if key not in self._found:
            number = (Polynomial.constant(len(self._found)),)
            names = [
                min(self._values.symbol(wanted, "scan", number).symbols)
                for wanted in (least, least.rpartition("_")[0] + f"_{most}")
            ]
            self._found[key] = HostScan(loops, value, *names)
        return self._found[key]


def loop_symbols(loop: Loop) -> frozenset[str]:
    """Names in the bounds of a loop, in the subscripts of what they read too."""
    bounds = (loop.start, *loop.limits, *(added for _, added in loop.limit_reads))
    indices = (index for read in loop.bound_reads for access in loads(read) for index in access.indices)
    return frozenset(name for one in (*bounds, *indices) if one is not None for name in one.symbols)
