"""Tiles as CUDA C++: their declaration, how the threads of a block fill or empty them, what a thread finds there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from warplens.analysis.gpu.launch.extent import Extent
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ports.cuda.plan import Tile, TileDimension, block_symbol, chunk_symbol

_POSITIONS = ("plane", "row", "column")
_THREADS = ("threadIdx.x", "threadIdx.y", "threadIdx.z")
_INDENT = "    "
_MOST_COLUMNS = 96
"""Of a line before the kernel indents it."""


@dataclass(frozen=True, slots=True)
class KernelSpelling:
    """How the kernel around writes numbers and arrays.

    `value` is a polynomial as a sum in signed arithmetic, `small` one of small numbers. `offset` is how far an element
    is from its array's start, given an access to the array, the sums that are its index in each dimension, whether C
    may not make it. `array` is an array's identifier, `fresh` one like the wanted one that means nothing else
    in the kernel.
    """

    value: Callable[[Polynomial], str]
    small: Callable[[Polynomial], str]
    offset: Callable[[Access, Sequence[str], bool], str]
    array: Callable[[str], str]
    fresh: Callable[[str], str]


def tile_declaration(tile: Tile, element_type: str) -> str:
    """`__shared__ float a_tile[8][32 + 1];`: the padding shows."""
    lengths = "".join(
        f"[{dimension.width} + {dimension.pad}]" if dimension.pad else f"[{dimension.width}]"
        for dimension in tile.dimensions
    )
    return f"__shared__ {element_type} {tile.name}{lengths};"


def tile_element(tile: Tile, access: Access, places: Mapping[str, Polynomial], spelling: KernelSpelling) -> str:
    """What an access reads from its tile, or writes there: `a_tile[i - i_block][k - k_chunk]`.

    `places` may say what iterators are in other terms, so that the block's first one falls out: `i_block + y` of `i`
    gives `a_tile[y][..]`. Raises ValueError for an access whose subscripts are no polynomials.
    """
    text = tile.name
    for index, dimension in zip(access.indices, tile.dimensions, strict=True):
        if index is None:
            raise ValueError(f"{access.written} is in no tile")
        text += f"[{_place(index.substitute(places) - dimension.low.substitute(places), spelling)}]"
    return text + (f".{access.member}" if access.member and not tile.member else "")


def _place(place: Polynomial, spelling: KernelSpelling) -> str:
    """A place in a tile: `2 * (i - i_block) + 1`, each difference by itself, so that nothing on the way is large."""
    texts: list[str] = []
    for iterator in sorted(place.symbols):
        first = next((s for s in (block_symbol(iterator), chunk_symbol(iterator)) if s in place.symbols), None)
        slope = place.coefficient(iterator)
        if first is None or not slope.is_constant or place.coefficient(first) != -slope:
            continue
        later, earlier = (iterator, first) if slope.constant_term > 0 else (first, iterator)
        text = " - ".join(spelling.small(Polynomial.symbol(name)) for name in (later, earlier))
        size = abs(slope.constant_term)
        texts.append(text if size == 1 else f"{size} * ({text})")
        place = place.without((iterator, first))
    rest = spelling.small(place)
    return " + ".join([*texts[:-1], _sum(texts[-1], rest) if rest != "0" else texts[-1]]) if texts else rest


def tile_copy(tile: Tile, access: Access, block: Extent, spelling: KernelSpelling) -> tuple[str, ...]:
    """Lines by which all threads of a block copy between the tile and the array of `access`, without barriers.

    A tile is filled from the array; one that is written goes there. Neighbouring threads copy neighbouring elements.
    What the nest does not touch is not copied: such places stay as they are.
    """
    outer = [f"at{number}" for number in range(len(tile.dimensions) - len(_POSITIONS))]
    names = [*outer, *_POSITIONS[-len(tile.dimensions) :]] if len(tile.dimensions) > 1 else ["at"]
    positions = [spelling.fresh(name) for name in names]
    indices = [
        _sum(spelling.value(dimension.low), position)
        for dimension, position in zip(tile.dimensions, positions, strict=True)
    ]
    conditions = [
        condition
        for dimension, index in zip(tile.dimensions, indices, strict=True)
        for condition in _conditions(dimension, index, spelling)
    ]
    offset, ends = spelling.offset(access, indices, tile.offsets is not None), list[str]()
    element = offset
    if tile.offsets is not None:
        first, last = tile.offsets
        element = spelling.fresh("element")
        ends = [f"{element} >= {spelling.value(first)}", f"{element} < {spelling.value(last + 1)}"]
    place = tile.name + "".join(f"[{name}]" for name in positions)
    member = f".{tile.member}" if tile.member else ""
    inside, outside = place, f"{spelling.array(tile.array)}[{element}]{member}"
    lines = _under(ends, [f"{outside} = {inside};" if tile.is_written else f"{inside} = {outside};"])
    if ends:
        lines = [f"const long {element} = {offset};", *lines]
    lines = _under([*(_at_least_zero(one, spelling) for one in tile.conditions), *conditions], lines)
    return _over_threads([dimension.width for dimension in tile.dimensions], positions, block, lines, spelling)


def _at_least_zero(condition: Polynomial, spelling: KernelSpelling) -> str:
    """`n > m` for n - m - 1: what is taken away stands on the other side."""
    left, right = (condition - condition.constant_term).added_and_taken
    constant = condition.constant_term
    if constant < 0:
        return f"{spelling.value(left)} > {spelling.value(right - constant - 1)}"
    return f"{spelling.value(left + constant)} >= {spelling.value(right)}"


def _sum(low: str, position: str) -> str:
    if low == "0":
        return position
    if position.startswith("-"):
        return f"{low} - {position[1:]}"
    return f"{position} - {low[1:]}" if low[1:].isdigit() and low[0] == "-" else f"{low} + {position}"


def _conditions(dimension: TileDimension, index: str, spelling: KernelSpelling) -> list[str]:
    found: list[str] = []
    if dimension.may_start_before:
        found.append(f"{index} >= {spelling.value(dimension.first)}")
    if dimension.may_end_after:
        found.append(f"{index} < {spelling.value(dimension.last + 1)}")
    return found


def _under(conditions: Sequence[str], body: Sequence[str]) -> list[str]:
    """The body where the conditions hold: a line for as many of them as it has room for."""
    inner = [_INDENT + line for line in body]
    if not conditions:
        return [*body]
    lines = ["if (" + conditions[0]]
    for condition in conditions[1:]:
        if len(lines[-1]) + len(condition) + 5 > _MOST_COLUMNS:
            lines[-1] += " &&"
            lines.append(f"{_INDENT}{condition}")
        else:
            lines[-1] += f" && {condition}"
    lines[-1] += ")"
    if len(body) == 1 and len(lines) == 1:
        return [*lines, *inner]
    lines[-1] += " {"
    return [*lines, *inner, "}"]


def _over_threads(
    widths: Sequence[int], positions: Sequence[str], block: Extent, body: Sequence[str], spelling: KernelSpelling
) -> tuple[str, ...]:
    """The body for every place of the tile.

    Where its rows are as long as those of the block, threads take rows as they stand; otherwise they take places in
    memory's order, so that warps stay full however wide the tile is.
    """
    used = len(widths)
    if used > len(block) or widths[-1] != block[0] or prod(block[used:]) > 1:
        at = positions[0] if used == 1 else spelling.fresh("at")
        named = (f"const int {_split(at, widths, positions)};",) if used > 1 else ()
        return _along(at, _linear_thread(block), prod(widths), prod(block), (*named, *body))
    fixed: list[str] = []
    looped: list[tuple[str, str, int, int]] = []
    for name, thread, width, threads in zip(reversed(positions), _THREADS, reversed(widths), block, strict=False):
        if width == threads:
            fixed.insert(0, f"{name} = {'0' if width == 1 else thread}")
        else:
            looped.append((name, thread, width, threads))
    lines = (f"const int {', '.join(fixed)};", *body) if fixed else tuple(body)
    for name, thread, width, threads in looped:
        lines = _along(name, thread, width, threads, lines)
    return lines if looped else ("{", *(_INDENT + line for line in lines), "}")


def _split(at: str, widths: Sequence[int], positions: Sequence[str]) -> str:
    """Position in each dimension of the place that is number `at`."""
    split: list[str] = []
    inner = 1
    for name, width in zip(reversed(positions), reversed(widths), strict=True):
        quotient = at if inner == 1 else f"{at} / {inner}"
        split.insert(0, f"{name} = {quotient}" if name == positions[0] else f"{name} = {quotient} % {width}")
        inner *= width
    return ", ".join(split)


def _along(name: str, thread: str, width: int, threads: int, body: tuple[str, ...]) -> tuple[str, ...]:
    """The body for `width` values of a name, those of the first pass by thread."""
    start = "0" if threads == 1 else thread
    step = f"{name}++" if threads == 1 else f"{name} += {threads}"
    opened = f"for (int {name} = {start}; {name} < {width}; {step})"
    if len(body) == 1:
        return (opened, _INDENT + body[0])
    return (f"{opened} {{", *(_INDENT + line for line in body), "}")


def _linear_thread(block: Extent) -> str:
    """A thread's number in its block, x fastest."""
    x, y, z = block
    if y == z == 1:
        return "threadIdx.x"
    if z == 1:
        return f"threadIdx.y * {x} + threadIdx.x"
    return f"(threadIdx.z * {y} + threadIdx.y) * {x} + threadIdx.x"
