"""Along which grid loops a thread's values differ: what a thread with several outputs does once per output.

A thread with F outputs along a grid loop runs F iterations of it together: the loops of its program once, with F copies
of every instruction whose value (or address) differs between them, in each of their iterations. Where a condition or a
loop's bounds differ, the copies are apart from each other, so that all inside is there F times.

Outputs lie a block apart along x and side by side along the other axes. There, what neighbours load of an array that is
only read is loaded once: of `a[i-1]`, `a[i]` and `a[i+1]` in one block the first two only for the first output, as the
others find them in what `a[i+1]` loaded before. So it is with what they load in other iterations of a loop that is
unrolled whole (windows.py).

Assumes: an address that a compile-time constant moves per iteration is computed once, the copies' distance from it is
in the instructions (outputs are a block apart: the block's shape is known to the compiler); any other address is one
multiply-add per copy, as is every address of an access in another loop. A grid iterator itself needs one register.
Not modelled: loads shared across iterations of loops that are not unrolled whole; different accesses that share loads
along two axes at once; sums that a compiler would keep in one register although they are of several outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence

from warplens.analysis.facts.program import Window
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.workload.accesses.stride import stride_bytes
from warplens.analysis.workload.thread_program.draft import (
    DraftBlock,
    DraftBranch,
    DraftInstruction,
    DraftLoop,
    DraftRegion,
    Value,
    draft_blocks,
)
from warplens.analysis.workload.thread_program.thread_program import ThreadDraft
from warplens.analysis.workload.thread_program.windows import sliding_windows, written_arrays

Axes = frozenset[NodeId]
NONE: Axes = frozenset()

Copies = Callable[[Iterable[int]], Axes]
"""Grid loops along which a thread keeps a copy per output of the registers given, which hold one variable."""


def mark_variation(
    draft: ThreadDraft,
    grid: Sequence[Loop],
    x: NodeId,
    accesses: Mapping[NodeId, Access],
    private: Collection[str],
    loops: Mapping[NodeId, Loop],
) -> Copies:
    """Fill `varies` and `windows` of the draft's instructions; returns along which loops registers hold a value each.

    `x` is the grid loop along which outputs are apart; `private` are the arrays of the iteration itself, `loops` those
    that a thread runs.
    """
    own = {access.id: access.array for access in accesses.values() if access.array in private}
    adjacent = [loop for loop in grid if loop.id != x]
    neighbours = _found_by_neighbours(draft.regions, adjacent, accesses)
    flow = _Flow(draft, grid, own, neighbours, sliding_windows(draft, adjacent, accesses, loops))
    while flow.has_changed:
        flow.run(draft.regions)
    return flow.copies


class _Flow:
    """Variation of registers and arrays, grown until nothing changes."""

    def __init__(
        self,
        draft: ThreadDraft,
        grid: Sequence[Loop],
        private: Mapping[NodeId, str],
        shared: Mapping[int, Axes],
        windows: Mapping[int, tuple[Window, ...]],
    ) -> None:
        self.has_changed = True
        self._joined = draft.joined
        self._addresses = draft.addresses
        self._grid = {loop.id: loop for loop in grid}
        self._moved_by = _moved_by(grid)
        self._private = private
        self._shared = shared
        self._windows = windows
        self._values: dict[int, Axes] = {}
        self._held: dict[int, Axes] = {}
        self._within: dict[int, Axes] = {}
        self._arrays: dict[str, Axes] = {}
        self._loops: dict[NodeId, Axes] = {}

    def copies(self, numbers: Iterable[int]) -> Axes:
        """Loops along which a thread keeps a copy per output of the registers, which hold one variable.

        None along which the copies' turns to use it are apart: then one of them has it at a time.
        """
        known = [number for number in numbers if number in self._within]
        varies = NONE.union(*(self._held.get(number, self._values.get(number, NONE)) for number in known))
        return varies - frozenset(self._grid).intersection(*(self._within[number] for number in known))

    def run(self, regions: Sequence[DraftRegion]) -> None:
        """Go through the program once."""
        self.has_changed = False
        self._within = {}
        self._visit(regions, NONE)

    def _visit(self, regions: Sequence[DraftRegion], control: Axes) -> None:
        for region in regions:
            match region:
                case DraftBlock():
                    for instruction in region.instructions:
                        self._instruction(instruction, control)
                case DraftLoop():
                    self._loop(region, control)
                case DraftBranch():
                    inside = control | self._of(region.condition, control)
                    self._visit(region.then, inside)
                    self._visit(region.otherwise, inside)

    def _loop(self, loop: DraftLoop, control: Axes) -> None:
        inside = control.union(*(self._of(value, control) for value in loop.control))
        if inside != self._loops.get(loop.loop, NONE):
            self._loops[loop.loop] = inside
            self.has_changed = True
        for value in loop.entering:
            self._grow(value.number, inside, control)
        self._visit(loop.body, inside)
        for value in loop.leaving:
            self._grow(value.number, inside, control)

    def _instruction(self, instruction: DraftInstruction, control: Axes) -> None:
        varies = control.union(*(self._of(operand, control) for operand in instruction.operands))
        array = None if instruction.access is None else self._private.get(instruction.access)
        if array is not None:
            stored = self._arrays.get(array, NONE)
            if instruction.op == "load":
                varies |= stored
            elif not varies <= stored:
                self._arrays[array] = stored | varies
                self.has_changed = True
        computed = varies
        if instruction.result is not None:
            number = instruction.result.number
            self._grow(number, varies, control)
            if number in self._addresses:
                self._held[number] = varies - self._at_constant_distance(self._addresses[number], instruction.operands)
                computed = self._held[number] | control
            elif number in self._shared:
                computed = self._held[number] = varies - (self._shared[number] - control)
            if number in self._windows:
                inside = tuple(w for w in self._windows[number] if w.axis in computed - control)
                instruction.windows = inside
                self._held[number] = self._held.get(number, varies) - frozenset(w.axis for w in inside)
        instruction.varies = computed

    def _of(self, value: Value, control: Axes) -> Axes:
        if value.number >= 0:
            self._grow(value.number, NONE, control)
        return self._known(value)

    def _known(self, value: Value) -> Axes:
        if value.number >= 0:
            return self._values.get(value.number, NONE)
        match value.key:
            case ("iterator", int(loop)):
                known = NodeId(loop)
                return self._moved_by[known] if known in self._grid else self._loops.get(known, NONE)
            case ("unknown", _):
                return frozenset(self._grid)
        return NONE

    def _grow(self, number: int, axes: Axes, control: Axes) -> None:
        """A register is used where `control` decides, with a value that varies along `axes`."""
        if number < 0:
            return
        known = self._values.setdefault(number, NONE)
        grown = known.union(axes, *(self._known(value) for value in self._joined.get(number, ())))
        self._within[number] = self._within.get(number, control) & control
        if grown != known:
            self._values[number] = grown
            self.has_changed = True

    def _at_constant_distance(self, access: Access, operands: Sequence[Value]) -> Axes:
        """Grid loops along which an address moves by a constant, and in no other way."""
        others = NONE.union(*(self._known(o) - self._own_axis(o) for o in operands))
        return frozenset(loop for loop in self._grid.keys() - others if _is_constant(access, self._grid[loop]))

    def _own_axis(self, value: Value) -> Axes:
        """The grid loop whose iterator this is."""
        return frozenset(loop for loop in self._grid if value.number < 0 and value.key == ("iterator", loop))


def _moved_by(grid: Sequence[Loop]) -> dict[NodeId, Axes]:
    """The grid loops along which each one's iterator differs: itself, and those that say where it starts, as of tiles.

    Shape: `grid` outer loops first.
    """
    found: dict[NodeId, Axes] = {}
    of_iterator: dict[str, Axes] = {}
    for loop in grid:
        start = frozenset[str]() if loop.start is None else loop.start.symbols
        found[loop.id] = frozenset((loop.id,)).union(*(of_iterator.get(name, NONE) for name in start))
        of_iterator[loop.iterator] = found[loop.id]
    return found


def _found_by_neighbours(
    regions: Sequence[DraftRegion], axes: Sequence[Loop], accesses: Mapping[NodeId, Access]
) -> dict[int, Axes]:
    """Loops along which the next output's load finds its value in a register, by the register that a load fills."""
    blocks = [block.instructions for block in draft_blocks(list(regions))]
    written = written_arrays(regions, accesses)
    found: dict[int, Axes] = {}
    for block in blocks if axes else ():
        loaded: dict[Hashable, int] = {}
        for instruction in block:
            access = accesses.get(instruction.access) if instruction.access is not None else None
            if access is not None and instruction.result is not None and access.array not in written:
                loaded[_element(access, access.indices, instruction)] = instruction.result.number
        for instruction in block if len(loaded) > 1 else ():
            access = accesses.get(instruction.access) if instruction.access is not None else None
            if access is None or instruction.result is None:
                continue
            shared = (
                loop.id
                for loop in axes
                if (moved := _in_next_iteration(access, loop)) != access.indices
                and _element(access, moved, instruction) in loaded
            )
            found[instruction.result.number] = frozenset(shared)
    return {number: along for number, along in found.items() if along}


def _element(access: Access, indices: tuple[Polynomial | None, ...], load: DraftInstruction) -> Hashable:
    """Equal for equal elements: neighbours at constant distance share the register of their address."""
    terms = tuple(None if index is None else index.terms for index in indices)
    return (access.array, access.member, load.operands[0].number, terms)


def _in_next_iteration(access: Access, loop: Loop) -> tuple[Polynomial | None, ...]:
    """Subscripts in the loop's next iteration; where they are no polynomials linear in its iterator, as they are."""
    steps = [None if index is None else index.coefficient(loop.iterator) for index in access.indices]
    if any(step is None or loop.iterator in step.symbols for step in steps):
        return access.indices
    moves = zip(access.indices, steps, strict=True)
    return tuple(index + step * loop.step for index, step in moves if index is not None and step is not None)


def _is_constant(access: Access, loop: Loop) -> bool:
    stride = stride_bytes(access, loop)
    return stride is not None and stride.is_constant
