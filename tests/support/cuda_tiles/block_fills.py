"""A kernel's tiles carried out element by element: what each block puts into them, and what its threads read there."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.nest import Loop, LoopNest
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ports.cuda.plan import Tile, block_symbol, chunk_symbol
from warplens.analysis.ports.cuda.tile_text import KernelSpelling, tile_copy, tile_element
from warplens.analysis.workload.accesses.sites import AccessSite, access_sites

Extent = tuple[int, int, int]
Values = dict[str, int]


@dataclass(frozen=True)
class BlockCase:
    """One kernel with a launch, at one size."""

    nest: LoopNest
    kernel: Kernel
    block: Extent
    outputs: Extent
    sizes: Mapping[str, int]

    def check(self, tile: Tile) -> int:
        """Count the reads from the tile after checking each of them, and every element that fills read."""
        sites = {site.access.id: site for site in access_sites(self.nest)}
        accesses = [facts.access for facts in self.kernel.accesses if facts.access.array == tile.array]
        touched = [_offset(access, values) for access in accesses for values in self.iterations(sites[access.id].loops)]
        ends = (min(touched), max(touched)) if touched else (1, 0)  # nothing: no element lies between
        staged = [access for access in accesses if access.id in tile.accesses]
        reads = 0
        fills: dict[tuple[tuple[str, int], ...], dict[tuple[int, ...], int]] = {}
        for access in staged:
            for values in self.iterations(sites[access.id].loops):
                start = self.start_of_fill(tile, sites[access.id], values)
                key = tuple(sorted(start.items()))
                if key not in fills:
                    fills[key] = self.filled(tile, access, start, *ends)
                place = _place(tile_element(tile, access, {}, PYTHON), tile, {**values, **start})
                assert fills[key].get(place) == _offset(access, values), (str(access.written), values, start, place)
                reads += 1
        loops = sites[staged[0].id].loops
        for start in self.all_starts(tile, loops):  # also those of blocks in which nothing is left to do
            self.filled(tile, staged[0], start, *ends)
        return reads

    def iterations(self, loops: tuple[Loop, ...]) -> Iterator[Values]:
        """Values of the sizes and the iterators in each iteration."""
        yield from _iterations(loops, dict(self.sizes))

    def start_of_fill(self, tile: Tile, site: AccessSite, values: Values) -> Values:
        """What the text of the fill sees: the block's and the chunk's first values, and iterators of loops around."""
        start = dict(self.sizes)
        for loop in self.before(tile, site.loops):
            name, start[name] = self.first_value(tile, loop, values)
        return start

    def all_starts(self, tile: Tile, loops: tuple[Loop, ...]) -> Iterator[Values]:
        """The same for every block of the grid, and every chunk that any of them runs."""
        blocks: dict[str, set[int]] = {}
        chunks: set[tuple[tuple[str, int], ...]] = set()
        before = self.before(tile, loops)
        for values in _iterations(before, dict(self.sizes)):
            in_thread = [loop for loop in before if loop.id not in self.kernel.thread_order]
            chunks.add(tuple(self.first_value(tile, loop, values) for loop in in_thread))
            for loop in before:
                if loop not in in_thread:
                    name, first = self.first_value(tile, loop, values)
                    blocks.setdefault(name, set()).add(first)
        for chunk, *chosen in product(chunks, *blocks.values()):
            yield {**self.sizes, **dict(chunk), **dict(zip(blocks, chosen, strict=True))}

    def before(self, tile: Tile, loops: tuple[Loop, ...]) -> tuple[Loop, ...]:
        """Loops around the point where the tile is filled, the one that is cut included."""
        grid = set(self.kernel.thread_order)
        ids = [loop.id for loop in loops]
        last = ids.index(tile.staged_in) if tile.staged_in is not None else max(ids.index(loop) for loop in grid)
        return loops[: last + 1]

    def first_value(self, tile: Tile, loop: Loop, values: Values) -> tuple[str, int]:
        """Name and value of what the block's, the chunk's or the one iteration in `values` starts from."""
        if loop.id in self.kernel.thread_order:
            axis = self.kernel.thread_order.index(loop.id)
            name, at_a_time, first = (
                block_symbol(loop.iterator),
                self.block[axis] * self.outputs[axis],
                self.origin(loop),
            )
        elif loop.id == tile.staged_in:
            name, at_a_time, first = chunk_symbol(loop.iterator), tile.chunk, loop.start.evaluate(values)
        else:
            return loop.iterator, values[loop.iterator]
        return name.replace("'", ""), first + (
            values[loop.iterator] - first
        ) // loop.step // at_a_time * at_a_time * loop.step

    def origin(self, loop: Loop) -> int:
        """Where blocks along a loop of the grid are counted from: the first value that it has in any thread."""
        around = next(one.loops for one in access_sites(self.nest) if loop in one.loops)
        starts = [loop.start.evaluate(v) for v in self.iterations(around[: around.index(loop)])]
        return min(starts) if loop.step > 0 else max(starts)

    def filled(self, tile: Tile, access: Access, start: Values, first: int, last: int) -> dict[tuple[int, ...], int]:
        """Which element stands at each place after a fill, as offset from the array's start."""
        shape = tuple(dimension.width for dimension in tile.dimensions)
        program = compile(_python(tile_copy(tile, access, self.block, PYTHON), tile), "fill", "exec")
        start = start | {one.name.replace("'", ""): int(one.formula.evaluate(self.sizes)) for one in tile.values}
        places: dict[tuple[int, ...], int] = {}

        def store(place: tuple[int, ...], offset: int) -> None:
            assert all(0 <= at < width for at, width in zip(place, shape, strict=True)), place
            assert place not in places, "two threads fill one place"
            assert first <= offset <= last, ("reads what the device does not have", start, place, offset, first, last)
            places[place] = offset

        for z, y, x in product(*(range(count) for count in reversed(self.block))):
            exec(program, {**start, "threadIdx_x": x, "threadIdx_y": y, "threadIdx_z": z, "store": store})
        return places


def _offset_text(access: Access, indices: Sequence[str], _wide: bool) -> str:
    text = ""
    for index, extent in zip(indices, access.extents, strict=True):
        row = str(extent) if extent is not None and len(extent.terms) == 1 else f"({extent})"
        text = f"{f'({text})' if ' ' in text else text} * {row} + {index}" if text else index
    return text


def _plain(polynomial: Polynomial) -> str:
    """As text in which the kernel's own values have names of Python too."""
    return str(polynomial).replace("'", "")


PYTHON = KernelSpelling(_plain, _plain, _offset_text, str, str)


def _offset(access: Access, values: Values) -> int:
    return access.linear_index.evaluate(values)


def _iterations(loops: tuple[Loop, ...], values: Values) -> Iterator[Values]:
    if not loops:
        yield dict(values)
        return
    loop = loops[0]
    pick = min if loop.step > 0 else max
    limit = pick(limit.evaluate(values) for limit in loop.limits)
    for value in range(loop.start.evaluate(values), limit, loop.step):
        yield from _iterations(loops[1:], {**values, loop.iterator: value})


def _place(text: str, tile: Tile, values: Values) -> tuple[int, ...]:
    subscripts = re.findall(r"\[(.*?)\]", text.removeprefix(tile.name))
    return tuple(eval(subscript, {}, values) for subscript in subscripts)


def _python(lines: tuple[str, ...], tile: Tile) -> str:
    """The lines of a fill as Python: what they look like but for a few signs."""
    text = "\n".join(lines)
    text = re.sub(r"&&\n\s*", "&& ", text)
    text = re.sub(r"for \(int (\w+) = (.*?); \w+ < (\d+); \w+ \+= (\d+)\)( \{)?", r"for \1 in range(\2, \3, \4):", text)
    text = re.sub(r"for \(int (\w+) = (.*?); \w+ < (\d+); \w+\+\+\)( \{)?", r"for \1 in range(\2, \3):", text)
    text = re.sub(r"^(\s*)\{$", r"\1if True:", text, flags=re.MULTILINE)
    text = re.sub(r"^\s*\}$", "", text, flags=re.MULTILINE)
    text = re.sub(r"if \((.*)\)(?: \{)?$", r"if \1:", text, flags=re.MULTILINE)
    text = re.sub(r"const (?:int|long) (.*);", lambda match: match[1].replace(", ", "; "), text)
    text = re.sub(
        rf"{tile.name}((?:\[\w+\])+) = \w+\[(.*)\](?:\.\w+)?;",
        lambda match: f"store(({match[1].replace('][', ', ').strip('[]')},), {match[2]})",
        text,
    )
    return text.replace("&&", "and").replace(" / ", " // ").replace("threadIdx.", "threadIdx_")
