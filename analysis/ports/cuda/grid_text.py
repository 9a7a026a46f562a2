"""The grid's loops in the text: which iteration a thread or block has, which of them exist, how a grid goes on.

Along x there may be 2**31 - 1 blocks, along y and z 65535: where there may be more iterations than those cover, a block
goes on to the ones a grid away (a grid-stride loop).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ports.cuda.expression_text import PRODUCT, SUM, Text
from warplens.analysis.ports.cuda.grid_axes import MOST_BLOCKS, Axis
from warplens.analysis.ports.cuda.host_number import number_text
from warplens.analysis.ports.cuda.loop_text import Condition, LoopText, counting_type
from warplens.analysis.ports.cuda.plan import block_symbol
from warplens.analysis.ports.cuda.types_text import scalar_text


@dataclass(frozen=True, slots=True)
class GridText:
    """Prints where threads are."""

    loops: LoopText

    def type_text(self, axis: Axis) -> str:
        """Type that the axis is counted in."""
        return scalar_text(counting_type(axis.loop.iterator_type))

    def thread_value(self, axis: Axis) -> str:
        """First iteration of a thread with one output, as its iterator's value."""
        if axis.is_team:
            return f"threadIdx.{axis.letter}"
        if axis.threads == 1 and axis.blocks != axis.letter:
            index = Text(f"{self._wide(axis)}blockIdx.{axis.blocks}")
        else:
            block = f"{self._wide(axis)}blockIdx.{axis.blocks} * blockDim.{axis.letter}"
            index = Text(f"{block} + threadIdx.{axis.letter}", SUM)
        return self._moved(axis, self.loops.polynomials.piece(axis.origin), index)

    def block_value(self, axis: Axis) -> str:
        """The iterator's value at the block's first output."""
        span = axis.span * abs(axis.loop.step)
        block = f"{self._wide(axis)}blockIdx.{axis.blocks}"
        index = Text(f"{block} * {span}" if span != 1 else block, PRODUCT)
        return self._moved(axis, self.loops.polynomials.piece(axis.origin), index, steps=False)

    def output_value(self, axis: Axis, counter: str) -> str:
        """The iterator's value at one output of a thread, from the block's; `counter` counts the thread's outputs."""
        block = self.loops.name(block_symbol(axis.loop.iterator))
        return self._moved(axis, Text(block), Text(thread_offset(axis, counter), SUM))

    def place(self, axis: Axis) -> Polynomial:
        """The only output of a thread as a polynomial in the block's value and the thread's index."""
        thread = Polynomial.symbol(f"threadIdx.{axis.letter}")
        return Polynomial.symbol(block_symbol(axis.loop.iterator)) + thread * axis.loop.step

    def conditions(self, axis: Axis) -> list[Condition]:
        """When an iteration exists, in terms of the iterator."""
        if axis.is_whole:
            return []
        loop = replace(axis.loop, exact_end=False)
        start = self._start(axis)
        return [*start, *self._limits(axis, loop)]

    def block_conditions(self, axis: Axis) -> list[Condition]:
        """When a block has any iteration along the axis."""
        sign = 1 if axis.loop.step > 0 else -1
        limits = tuple(axis.origin + distance * sign for distance in axis.distances)
        symbol = block_symbol(axis.loop.iterator)
        loop = replace(axis.loop, iterator=symbol, limits=limits, limit_reads=(), exact_end=False)
        start = [Condition(self.loops.name(symbol), "<=", self._text(axis.origin))] if _wraps(axis) else []
        return [*start, *self._limits(axis, loop)]

    def stride(self, axis: Axis, iterator: str, *, of_block: bool) -> str:
        """How a block goes on to the next of its iterations."""
        step = abs(axis.loop.step)
        own = str(axis.span * step) if of_block else f"blockDim.{axis.letter}"
        factor = f"{step} * " if step != 1 and not of_block else ""
        is_large = MOST_BLOCKS[axis.blocks] * axis.span * step >= 2**32
        grid = f"{self._wide(axis) if is_large else ''}gridDim.{axis.blocks}"
        return f"{iterator} {'+=' if axis.loop.step > 0 else '-='} {factor}{grid} * {own}"

    def iterations(self, axis: Axis) -> str:
        """How many iterations there are, for the host to take as `long`; zero or less where there are none."""
        step = abs(axis.loop.step)
        if axis.iterations is not None:
            return str(axis.iterations)
        if step == 1 and len(axis.distances) == 1:
            return number_text(axis.distances[0], self.loops.polynomials)
        found: list[str] = []
        for distance in axis.distances:
            piece = self.loops.polynomials.piece(distance + (step - 1), wide=True)
            found.append(piece.text if step == 1 else f"{piece.within(PRODUCT)} / {step}")
        text = found[0]
        for other in found[1:]:
            text = f"({other} < {text} ? {other} : {text})"
        return text

    def _start(self, axis: Axis) -> list[Condition]:
        """What lies before the start of a triangle's row, or where an unsigned number has wrapped."""
        start = axis.loop.start
        assert start is not None  # grid_axes
        if start == axis.origin and not _wraps(axis):
            return []
        iterator = self.loops.name(axis.loop.iterator)
        if axis.loop.step < 0:
            return [Condition(iterator, "<=", self._text(start))]
        if start.constant_term == 1 and start.without_constant:
            return [Condition(iterator, ">", self._text(start - 1))]
        return [Condition(iterator, ">=", self._text(start))]

    def _limits(self, axis: Axis, loop: Loop) -> list[Condition]:
        if _wraps(axis) and loop.limits == (Polynomial.constant(-1),):
            return []  # `i <= start` says it: below 0 an unsigned number is large
        return self.loops.conditions(loop)

    def _text(self, polynomial: Polynomial) -> str:
        return self.loops.polynomials.piece(polynomial).within(SUM)

    def _wide(self, axis: Axis) -> str:
        ctype = counting_type(axis.loop.iterator_type)
        return f"({scalar_text(ctype)})" if ctype.size_bytes == 8 else ""

    def _moved(self, axis: Axis, start: Text, index: Text, *, steps: bool = True) -> str:
        step = axis.loop.step
        if steps and abs(step) != 1:
            index = Text(f"{abs(step)} * {index.within(PRODUCT)}", PRODUCT)
        if step < 0:
            return f"{start.within(SUM)} - {index.within(SUM + 1)}"
        if start.text.startswith("-") and start.text[1:].isdigit():
            return f"{index.text} - {start.text[1:]}"  # a negative number would be made unsigned beside the index
        return index.text if start.text == "0" else f"{start.within(SUM)} + {index.text}"


def thread_offset(axis: Axis, counter: str) -> str:
    """How many iterations an output of a thread lies behind the block's first.

    Along x outputs lie a block apart, so that neighbouring threads stay neighbours; along y and z side by side.
    """
    thread = f"threadIdx.{axis.letter}"
    if not counter:
        return thread
    return f"{thread} + {counter} * {axis.threads}" if axis.letter == "x" else f"{thread} * {axis.outputs} + {counter}"


def in_order(axes: Sequence[Axis]) -> list[Axis]:
    """Axes such that each stands behind those that it follows; x first where it may be."""
    letters = {axis.letter: axis for axis in axes}
    waiting = [letters[letter] for letter in "xzy" if letter in letters]
    found: list[Axis] = []
    while waiting:
        known = {axis.loop.iterator for axis in found}
        axis = next(axis for axis in waiting if axis.follows <= known)
        found.append(axis)
        waiting.remove(axis)
    return found


def _wraps(axis: Axis) -> bool:
    """Whether a thread too many would count below 0 in an unsigned type."""
    ctype = counting_type(axis.loop.iterator_type)
    return not ctype.signed and axis.loop.step < 0
