"""Sizes up to which no counter of a kernel wraps: threads and chunks beyond the last iteration count on.

A thread without an iteration asks `i < n` of an index that C never makes. Where that index has no room in the
iterator's type it wraps, and the thread would write; so the host asks for sizes that leave room, unless there is room
whatever they are: `blockIdx.x * 256 + threadIdx.x` stays below 2**31 for every `int` n, as 256 divides 2**31.
Source: CUDA C++ Programming Guide, built-in variables: `threadIdx` and `blockIdx` are unsigned.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import INT, CType, Scalar
from warplens.analysis.ports.cuda.grid_axes import MOST_BLOCKS, Axis, extreme
from warplens.analysis.ports.cuda.loop_text import counting_type
from warplens.analysis.ports.cuda.plan import PortRefusedError, Tile, block_symbol, chunk_symbol
from warplens.analysis.ports.cuda.polynomial_text import PolynomialText

_NAME = re.compile(r"[A-Za-z_]\w*")
_QUOTIENT = re.compile(r"([\w\s()+-]+?) ?/ ?(\d+)")
_NEAR = 2**30
"""How far from the end of a type a number is still written as what is left to it."""


@dataclass(frozen=True, slots=True)
class Room:
    """One of `values` must be at most `most`."""

    values: tuple[Polynomial, ...]
    most: int


def axis_rooms(axis: Axis, around: Sequence[Loop], tiles: Sequence[Tile], types: Mapping[str, CType]) -> list[Room]:
    """What the counters of an axis need, of symbols of these `types`; `around` are the grid's loops, outer first.

    Raises PortRefusedError where the source's numbers leave them no room.
    """
    loop, step = axis.loop, abs(axis.loop.step)
    ctype = _counted_in(loop)
    if ctype is None:
        return []
    excess = max(0, _beyond(tiles, block_symbol(loop.iterator)) - (axis.span - 1))
    blocks = MOST_BLOCKS[axis.blocks]
    rooms: list[Room] = []
    if ctype.size_bytes == 8:
        if not axis.needs_stride:
            rooms.append(Room(axis.distances, blocks * axis.span * step))
        if axis.origin.is_constant:
            return _settled(rooms, loop)  # 2**63 iterations are never done
    counts_distance = not ctype.signed and loop.step < 0  # down from its start, and is asked `i <= start`
    starts_whole = axis.origin.is_constant and axis.origin.constant_term % axis.span == 0
    is_tight = step == 1 and 2**31 % axis.span == 0 and (counts_distance or (starts_whole and not _moves(loop, types)))
    if is_tight and not excess and not axis.needs_stride:
        return _settled(rooms, loop)
    beyond = (axis.span - 1) * step + excess
    if axis.needs_stride:
        beyond = max(beyond, blocks * axis.span * step)
    elif axis.is_whole and not excess:
        beyond = 0
    if counts_distance:
        return _settled([*rooms, Room(axis.distances, _largest(ctype) - beyond)], loop)
    sign = 1 if loop.step > 0 else -1
    origin = extreme(axis.origin, around, largest=sign > 0)
    ends = tuple(origin * sign + distance for distance in axis.distances)
    return _settled([*rooms, _room(ends, ctype, sign, beyond, moves=_moves(loop, types))], loop)


def chunk_rooms(
    loop: Loop, around: Sequence[Loop], chunk: int, tiles: Sequence[Tile], types: Mapping[str, CType]
) -> list[Room]:
    """What a loop in chunks of so many iterations needs; `around` are the loops of the kernel around it, outer first.

    Raises PortRefusedError where the sizes alone do not say how far it counts, or there is no room.
    """
    ctype = _counted_in(loop)
    if ctype is None or loop.start is None or (ctype.size_bytes == 8 and loop.start.is_constant):
        return []
    sign = 1 if loop.step > 0 else -1
    beyond = max(chunk * abs(loop.step), _beyond(tiles, chunk_symbol(loop.iterator)))
    ends = tuple(extreme(limit, around, largest=sign > 0) * sign for limit in loop.limits)
    return _settled([_room(ends, ctype, sign, beyond, moves=_moves(loop, types))], loop)


def shared_rooms(loop: Loop, around: Sequence[Loop], types: Mapping[str, CType]) -> list[Room]:
    """What a loop needs whose iterations several threads share: each has its own first one and steps over the others'.

    `around` are the loops around it, the grid's too, outer first. Raises PortRefusedError as `chunk_rooms` does.
    """
    ctype = _counted_in(loop)
    if ctype is None or loop.start is None or not any(_counts_threads(one, loop) for one in around):
        return []
    sign = 1 if loop.step > 0 else -1
    ends = tuple(extreme(limit, around, largest=sign > 0) * sign for limit in loop.limits)
    last = extreme(loop.start, around, largest=sign > 0) * sign  # the first iteration of the last thread
    if ctype.size_bytes == 8 and last.is_constant:
        return []  # 2**63 iterations are never done
    moves = _moves(loop, types)
    rooms = [_room(ends, ctype, sign, abs(loop.step), moves=moves)] if ends else []
    return _settled([*rooms, _room((last + 1,), ctype, sign, 0, moves=moves)], loop)


def _counts_threads(around: Loop, loop: Loop) -> bool:
    """Whether a loop counts threads, a known number of them, each of which begins another loop at its own iteration."""
    slope = Polynomial(()) if loop.start is None else loop.start.coefficient(around.iterator)
    counted = all(limit.is_constant for limit in around.limits) and around.start == Polynomial(())
    return counted and bool(slope.terms) and slope.is_constant and abs(loop.step) > abs(slope.constant_term)


def room_texts(rooms: Sequence[Room], printer: PolynomialText) -> tuple[str, ...]:
    """C conditions of the sizes, the strictest of those that ask for the same; none of what always holds."""
    strictest: dict[tuple[Polynomial, ...], int] = {}
    for room in rooms:
        constant = room.values[0].constant_term
        values, most = tuple(value - constant for value in room.values), room.most - constant
        if not any(_most(value, printer) <= most for value in values):
            strictest[values] = min(most, strictest.get(values, most))
    return tuple(
        " || ".join(_at_most(value, most, printer) for value in dict.fromkeys(values))
        for values, most in strictest.items()
    )


def is_within_room(low: Polynomial) -> bool:
    """Whether a tile's index from `low` on needs no wider arithmetic than what the rooms are asked for.

    >>> i, n = Polynomial.symbol(block_symbol("i")), Polynomial.symbol("n")
    >>> is_within_room(i - 1), is_within_room(i * 2), is_within_room(n - i)
    (True, False, False)
    """
    return low.degree <= 1 and len(low.symbols) <= 1 and all(c == 1 for m, c in low.terms if m)


def _room(ends: tuple[Polynomial, ...], ctype: Scalar, sign: int, beyond: int, *, moves: bool) -> Room:
    """Room for what lies `beyond` the last iteration before the end of a loop; all of it times the step's sign."""
    if moves:
        ends = tuple(end.added_and_taken[0] for end in ends)
    return Room(ends, (_largest(ctype) if sign > 0 else -_least(ctype)) + 1 - beyond)


def _settled(rooms: Sequence[Room], loop: Loop) -> list[Room]:
    """The rooms that sizes decide; raises PortRefusedError for one that there isn't."""
    found: list[Room] = []
    for room in rooms:
        if any(value.is_constant and value.constant_term <= room.most for value in room.values):
            continue
        if room.most <= 0 or all(value.is_constant for value in room.values):
            raise PortRefusedError(
                f"`{c_name(loop.iterator)}` runs so far that threads beyond its last iteration would leave its type"
            )
        found.append(room)
    return found


def _counted_in(loop: Loop) -> Scalar | None:
    """The type of a loop's counter; None for one that is counted in a wider type, where there is always room."""
    ctype = counting_type(loop.iterator_type)
    return ctype if isinstance(loop.iterator_type, Scalar) and loop.iterator_type.size_bytes >= 4 else None


def _beyond(tiles: Sequence[Tile], symbol: str) -> int:
    """How far a tile that starts by a block's or chunk's first value reaches behind it."""
    dimensions = (one for tile in tiles for one in tile.dimensions)
    return max((one.low.constant_term + one.width - 1 for one in dimensions if one.low.symbols == {symbol}), default=0)


def _moves(loop: Loop, types: Mapping[str, CType]) -> bool:
    """Whether an unsigned limit `n - 1` is asked as `i + 1 < n`."""
    names = {loop.iterator, *(name for limit in loop.limits for name in limit.symbols)}
    known = [types.get(name) for name in names]
    is_unsigned = any(isinstance(ctype, Scalar) and not ctype.signed for ctype in known)
    return is_unsigned and loop.step > 0 and any(-1 in limit.signs for limit in loop.limits)


def _largest(ctype: Scalar) -> int:
    bits = 8 * ctype.size_bytes - 1 if ctype.signed or ctype.size_bytes == 8 else 32
    return (1 << bits) - 1


def _least(ctype: Scalar) -> int:
    return -(1 << (8 * ctype.size_bytes - 1)) if ctype.signed else 0


def _most(value: Polynomial, printer: PolynomialText) -> int:
    """What a value is at most, as the types of its symbols say."""
    total = 0
    for monomial, coefficient in value.terms:
        ctype = printer.types.get(monomial[0]) if len(monomial) == 1 else None
        if ctype is None and coefficient > 0 and len(monomial) == 1 and monomial[0] in printer.derived:
            total += coefficient * _most_quotient(printer.derived[monomial[0]].text, printer)
            continue
        if monomial and not isinstance(ctype, Scalar):
            return 2**64
        if isinstance(ctype, Scalar):
            total += coefficient * (_largest(ctype) if coefficient > 0 else _least(ctype))
    return total + value.constant_term


def _most_quotient(text: str, printer: PolynomialText) -> int:
    """`n/2` of an `int` is at most half of one."""
    found = _QUOTIENT.fullmatch(text)
    is_int = found is not None and all(printer.types.get(name) == INT for name in _NAME.findall(found[1]))
    return _largest(INT) // int(found[2]) if found is not None and is_int else 2**64


def _at_most(value: Polynomial, most: int, printer: PolynomialText) -> str:
    """`n <= INT_MAX - 255`."""
    is_plain = value.symbols.isdisjoint(printer.derived)
    if len(value.terms) == 1 and value.degree == 1 and abs(value.terms[0][1]) == 1 and is_plain:
        (name,) = value.symbols
        is_upper = value.terms[0][1] > 0
        return f"{printer.name(name)} {'<=' if is_upper else '>='} {_number(most if is_upper else -most)}"
    return f"{printer.text(value, wide=True)} <= {_number(most)}"


def _number(value: int) -> str:
    """A number near to the end of a type as what is left to it."""
    if value > 2**32 and value % MOST_BLOCKS["x"] == 0:
        return f"INT_MAX * {value // MOST_BLOCKS['x']}L"
    for name, end in (("INT_MAX", 2**31 - 1), ("UINT_MAX", 2**32 - 1), ("LONG_MAX", 2**63 - 1)):
        if 0 <= end - value < _NEAR:
            return name if value == end else f"{name} - {end - value}"
    for name, end in (("INT_MIN", -(2**31)), ("LONG_MIN", -(2**63))):
        if 0 <= value - end < _NEAR:
            return name if value == end else f"{name} + {value - end}"
    return f"{value}{'L' if abs(value) >= 2**31 else ''}"
