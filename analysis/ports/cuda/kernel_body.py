"""A kernel's body put together: where its threads are, what each output does, tiles and their barriers, reductions.

With one output per thread and no tile, threads outside of the grid leave at once. Otherwise the body is cut into groups
(output_groups.py): each runs for all outputs of the thread under the condition that the output exists, and barriers
stand between groups, where all threads of the block come by.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Statement
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ports.cuda.body_text import BodyText, indented, names_in, unroll_pragma
from warplens.analysis.ports.cuda.grid_axes import Axis
from warplens.analysis.ports.cuda.grid_text import GridText, in_order
from warplens.analysis.ports.cuda.loop_text import Condition, counting_type
from warplens.analysis.ports.cuda.output_groups import (
    Group,
    Part,
    groups_in,
    is_harmless,
    kept_between,
    parts_of,
    shared_iterators,
)
from warplens.analysis.ports.cuda.plan import KernelPlan, PortRefusedError, block_symbol
from warplens.analysis.ports.cuda.repeated_outputs import last_iteration, may_repeat, repeatable_groups
from warplens.analysis.ports.cuda.symbols import Symbols
from warplens.analysis.ports.cuda.tile_loops import TileLoops


@dataclass(slots=True)
class KernelBody:
    """Prints a body. `own` are variables and arrays that each thread or output has, `combined` those of reductions.

    `written` are arrays that the kernel writes.
    """

    plan: KernelPlan
    axes: tuple[Axis, ...]
    grid: GridText
    body: BodyText
    symbols: Symbols
    own: frozenset[str]
    combined: frozenset[str]
    written: frozenset[str]
    tiles: TileLoops
    places: dict[str, Polynomial] = field(default_factory=dict)
    """Where an output's iterators are, in terms of its block's and its thread's: what tiles are indexed by."""
    _counters: dict[str, str] = field(default_factory=dict)
    _repeatable: tuple[Group, ...] = ()

    @property
    def is_grouped(self) -> bool:
        """Whether threads have several outputs or blocks stage something."""
        return bool(self.plan.tiles) or any(axis.outputs > 1 for axis in self.axes)

    def lines(self, statements: tuple[Statement, ...]) -> list[str]:
        """All lines, indented by nothing; raises PortRefusedError."""
        for axis in self.axes:
            if self._is_by_block(axis):
                self._prepare(axis)
        inner = self._groups(statements) if self.is_grouped else self.body.lines(statements, self.own)
        return self._in_grid(inner)

    # ---- the grid

    def _is_by_block(self, axis: Axis) -> bool:
        """Whether iterations are found from the block's first; those of a row are only where the row is known."""
        if self.plan.tiles or axis.outputs > 1:
            return True
        return any(other.loop.iterator in axis.follows and self._is_by_block(other) for other in self.axes)

    def _prepare(self, axis: Axis) -> None:
        iterator = axis.loop.iterator
        others = {other.loop.iterator for other in self.axes}
        if not axis.origin.symbols.isdisjoint(others):
            raise PortRefusedError(
                f"the loop over `{iterator}` starts elsewhere in each iteration around it and takes steps of "
                f"{axis.loop.step}: a block has no common start to stage or to count its outputs from"
            )
        self.symbols.local(block_symbol(iterator), counting_type(axis.loop.iterator_type))
        if axis.outputs > 1:
            self._counters[axis.letter] = self.symbols.counter(f"f{axis.letter}")
        else:
            self.places[iterator] = self.grid.place(axis)

    def _in_grid(self, lines: list[str]) -> list[str]:
        """The lines inside of what says where the thread is; built from the inside out."""
        order = in_order(self.axes)
        pending: list[Condition] = []
        definitions: list[str] = []
        for number in range(len(order) - 1, -1, -1):
            axis = order[number]
            name = self.symbols.plain(axis.loop.iterator)
            word = self.grid.type_text(axis)
            if self._is_by_block(axis):
                if axis.outputs == 1:
                    lines = _defined(f"const {word} {name} = {self.grid.output_value(axis, '')};", name, lines)
                lines = self._of_blocks(axis, word, lines)
                continue
            conditions = self.grid.conditions(axis)
            if axis.needs_stride:
                lines = self._guarded(definitions, pending, lines, is_outermost=False)
                pending, definitions = [], []
                first = self.grid.thread_value(axis)
                stride = self.grid.stride(axis, name, of_block=False)
                test = " && ".join(one.text for one in conditions)
                lines = [f"for ({word} {name} = {first}; {test}; {stride}) {{", *indented(lines), "}"]
                continue
            definitions.insert(0, f"const {word} {name} = {self.grid.thread_value(axis)};")
            pending = [*conditions, *pending]
            if number == 0 or order[number - 1].needs_stride or self._is_by_block(order[number - 1]):
                is_outermost = not any(other.needs_stride for other in order[:number])
                lines = self._guarded(definitions, pending, lines, is_outermost=is_outermost)
                pending, definitions = [], []
        return lines

    def _guarded(
        self, definitions: list[str], conditions: list[Condition], lines: list[str], *, is_outermost: bool
    ) -> list[str]:
        for definition in reversed(definitions):
            lines = lines if conditions else _defined(definition, definition.split(" = ")[0].split()[-1], lines)
        if not conditions:
            return lines
        if is_outermost and not self.combined:
            test = " || ".join(one.negated for one in conditions)
            return [*definitions, f"if ({test}) {{", *indented(["return;"]), "}", *lines]
        return [*definitions, f"if ({' && '.join(one.text for one in conditions)}) {{", *indented(lines), "}"]

    def _of_blocks(self, axis: Axis, word: str, lines: list[str]) -> list[str]:
        name = self.symbols.plain(block_symbol(axis.loop.iterator))
        first = self.grid.block_value(axis)
        if not axis.needs_stride:
            return _defined(f"const {word} {name} = {first};", name, lines)
        test = " && ".join(one.text for one in self.grid.block_conditions(axis))
        stride = self.grid.stride(axis, name, of_block=True)
        return [f"for ({word} {name} = {first}; {test}; {stride}) {{", *indented(lines), "}"]

    # ---- groups

    def _groups(self, statements: tuple[Statement, ...]) -> list[str]:
        varying = self.own | {axis.loop.iterator for axis in self.axes} | self.combined
        staged = frozenset(tile.staged_in for tile in self.plan.tiles if tile.staged_in is not None)
        many = any(axis.outputs > 1 for axis in self.axes)
        parts = parts_of(statements, varying, staged, shares_all=many)
        arrays = {name: self.body.arrays[name].declared_in for name in self.own if name in self.body.arrays}
        kept = kept_between(parts, self.own - arrays.keys() - shared_iterators(parts), arrays)
        for name in kept:
            within = arrays.get(name) in {loop.id for _, around in groups_in(parts) for loop in around}
            if within and self.body.arrays[name].unstored:
                raise PortRefusedError(f"`{c_name(name)}` is cleared again in each iteration of a loop around groups")
        sizes = "".join(f"[{axis.outputs}]" for axis in reversed(self.axes) if axis.outputs > 1)
        counters = "".join(f"[{self._counters[axis.letter]}]" for axis in reversed(self.axes) if axis.outputs > 1)
        declared = [self.body.declaration(name, sizes) for name in kept]
        self.symbols.copies.update(dict.fromkeys(kept, counters))
        if many and may_repeat(self.axes, self.symbols.types):
            self._repeatable = repeatable_groups(parts, self.own, self.written)
        lines = self._parts(parts, self.own - set(kept))
        is_repeated = any(axis.needs_stride for axis in self.axes)
        filled, emptied = self.tiles.at_start(), self.tiles.at_end()
        after = ["__syncthreads();"] if (filled or emptied) and is_repeated else []
        return [*filled, *_with_values(declared, lines), *emptied, *after]

    def _parts(self, parts: Sequence[Part], undeclared: frozenset[str]) -> list[str]:
        found: list[str] = []
        for part in parts:
            if isinstance(part, Group):
                found += self._group(part, undeclared)
                continue
            inside = undeclared - {part.loop.iterator}
            chunks = self.tiles.tiles_of(part.loop.id)
            if chunks:
                found += self.tiles.chunked(part.loop, chunks, partial(self._parts, part.parts, inside))
            else:
                header = self.body.loops.header(part.loop, declares=True)
                inner = indented(self._parts(part.parts, inside))
                found += [*unroll_pragma(part.loop), f"{header} {{", *inner, "}"]
        return found

    def _group(self, group: Group, undeclared: frozenset[str]) -> list[str]:
        """The group for each output: unconditional, for a valid iteration in any case, or under conditions."""
        used = frozenset().union(*map(names_in, group.statements))
        lines = self.body.lines(group.statements, undeclared & used)
        repeats = group in self._repeatable
        by_block = [axis for axis in self.axes[::-1] if self._is_by_block(axis)]
        around: list[str] = []
        if not is_harmless(group, self._staged, self.own - self.symbols.iterators.keys()):
            inner = [axis for axis in by_block if not repeats or axis.outputs == 1]
            tests = [one.text for axis in inner for one in self.grid.conditions(axis)]
            if repeats:
                around = tests
            elif tests:
                lines = [f"if ({' && '.join(tests)}) {{", *indented(lines), "}"]
        for axis in self.axes:  # x innermost
            counter = self._counters.get(axis.letter)
            if counter is None:
                continue
            name = self.symbols.plain(axis.loop.iterator)
            value = self.grid.output_value(axis, counter)
            if repeats and not axis.is_whole:
                value = self._at_most_last(axis, value)
            lines = _defined(f"const {self.grid.type_text(axis)} {name} = {value};", name, lines)
            header = f"for (int {counter} = 0; {counter} < {axis.outputs}; {counter}++) {{"
            lines = ["#pragma unroll", header, *indented(lines), "}"]
        return [f"if ({' && '.join(around)}) {{", *indented(lines), "}"] if around else lines

    @property
    def _staged(self) -> frozenset[NodeId]:
        return frozenset(access for tile in self.plan.tiles for access in tile.accesses)

    def _at_most_last(self, axis: Axis, value: str) -> str:
        last = last_iteration(axis, self.symbols.types)
        assert last is not None  # may_repeat
        signed = value.replace("threadIdx", "(int)threadIdx")  # both in one type, which may be below zero
        return f"{'min' if axis.loop.step > 0 else 'max'}({signed}, {self.grid.loops.polynomials.text(last)})"


def _with_values(declarations: list[str], lines: list[str]) -> list[str]:
    """The lines behind declarations; `float s;` and `s = 0.0f;` become one where that is the first use of all."""
    kept: list[str] = []
    for declaration in declarations:
        name = declaration.removesuffix(";").split()[-1]
        first = next((n for n, line in enumerate(lines) if re.search(rf"(?<![\w.]){re.escape(name)}\b", line)), None)
        if first is not None and lines[first].startswith(f"{name} = "):
            lines = [*lines[:first], declaration[: -len(name) - 1] + lines[first], *lines[first + 1 :]]
        else:
            kept.append(declaration)
    return [*kept, *lines]


def _defined(definition: str, name: str, lines: list[str]) -> list[str]:
    """The lines with a definition before them if they use it."""
    is_used = any(re.search(rf"(?<![\w.]){name}\b", line) for line in lines)
    return [definition, *lines] if is_used else lines
