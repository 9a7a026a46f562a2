"""Spills and reloads of a block by Belady's rule: evict the value whose next use is furthest (Resios 6.4)."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf


def spills(live_values: Sequence[Sequence[int]], limit: int) -> tuple[int, int]:
    """Stores and reloads that `limit` registers cost, in instructions of one thread.

    `live_values` holds for each instruction the values it reads (numbers from 0) and writes (`~number`). A value that
    is read before anything writes it is in a register from the start as far as there is room, and in memory beyond.
    A value is stored at most once per definition, and not at all when it is dead.

    Source: Resios, algorithm 6.4 (MIN); values written twice are accepted (SSA is not required).
    Not modelled: an instruction that needs more registers than there are: it is assumed to have them. Loops: the block
    is one pass over the program's text.
    """
    uses = _next_uses(live_values)
    registers: dict[int, float] = {}
    in_memory: set[int] = set()
    defined: set[int] = set()
    stores = reloads = 0
    for number in _live_in(live_values):
        if len(registers) < limit:
            registers[number] = uses[-1][number]
        else:
            in_memory.add(number)
    for position, instruction in enumerate(live_values):
        reads = [v for v in dict.fromkeys(instruction) if v >= 0]
        writes = [~v for v in dict.fromkeys(instruction) if v < 0]
        missing = [v for v in reads if v not in registers]
        reloads += len(missing)
        keep = frozenset(reads)
        for value in missing:
            registers[value] = position
        stores += _evict(registers, in_memory, keep, limit)
        for value in reads:
            registers[value] = uses[position].get(value, inf)
        for value in [v for v, next_use in registers.items() if next_use == inf]:
            del registers[value]
        room = limit - sum(1 for v in writes if v not in registers)
        stores += _evict(registers, in_memory, frozenset(writes), room)
        for value in writes:
            in_memory.discard(value)
            defined.add(value)
            next_use = uses[position].get(value, inf)
            if next_use != inf:
                registers[value] = next_use
            else:
                registers.pop(value, None)
    return stores, reloads


def _evict(registers: dict[int, float], in_memory: set[int], keep: frozenset[int], room: int) -> int:
    """Evict the values used furthest ahead until at most `room` are left; how many had to be stored."""
    stores = 0
    while len(registers) > room:
        candidates = [v for v in registers if v not in keep]
        if not candidates:
            break
        victim = max(candidates, key=lambda v: (registers[v], v in in_memory, v))
        del registers[victim]
        if victim not in in_memory:
            in_memory.add(victim)
            stores += 1
    return stores


def _next_uses(live_values: Sequence[Sequence[int]]) -> list[dict[int, float]]:
    """Next instruction that reads each value an instruction reads or writes, by position; [-1] is before the first."""
    following: dict[int, float] = {}
    tables: list[dict[int, float]] = []
    for position in range(len(live_values) - 1, -1, -1):
        instruction = live_values[position]
        numbers = {v if v >= 0 else ~v for v in instruction}
        tables.append({number: following.get(number, inf) for number in numbers})
        for value in instruction:
            if value < 0:
                following[~value] = inf
        for value in instruction:
            if value >= 0:
                following[value] = position
    tables.reverse()
    tables.append(dict(following))
    return tables


def _live_in(live_values: Sequence[Sequence[int]]) -> list[int]:
    """Values read before they are written, by first use."""
    seen: set[int] = set()
    found: list[int] = []
    for instruction in live_values:
        for value in instruction:
            if value >= 0 and value not in seen:
                seen.add(value)
                found.append(value)
        seen.update(~value for value in instruction if value < 0)
    return found
