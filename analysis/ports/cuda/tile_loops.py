"""Where tiles are filled: at the start of a block, or in a loop that is cut into chunks; and emptied: at its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from warplens.analysis.gpu.launch.extent import Extent
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.types import INT
from warplens.analysis.ports.cuda.body_text import indented
from warplens.analysis.ports.cuda.loop_text import LoopText, counting_type, step_text
from warplens.analysis.ports.cuda.plan import PortRefusedError, Tile, chunk_symbol
from warplens.analysis.ports.cuda.symbols import Symbols
from warplens.analysis.ports.cuda.tile_text import KernelSpelling, tile_copy, tile_declaration
from warplens.analysis.ports.cuda.types_text import scalar_text

BARRIER = "__syncthreads();"


@dataclass(slots=True)
class TileLoops:
    """Prints the copies of a kernel's tiles; `accesses` has one access of each tile, by the tile's name."""

    tiles: tuple[Tile, ...]
    accesses: dict[str, Access]
    block: Extent
    loops: LoopText
    symbols: Symbols
    spelling: KernelSpelling

    def declarations(self, type_text: Callable[[Tile], str]) -> list[str]:
        """`__shared__` arrays, at the top of the kernel."""
        return [tile_declaration(tile, type_text(tile)) for tile in self.tiles]

    def tiles_of(self, loop: NodeId) -> tuple[Tile, ...]:
        """Tiles that are filled in chunks of a loop."""
        return tuple(tile for tile in self.tiles if tile.staged_in == loop)

    def at_start(self) -> list[str]:
        """Filling of tiles that a block needs once."""
        tiles = [tile for tile in self.tiles if tile.staged_in is None and not tile.is_written]
        return [*self._copy(tiles), BARRIER] if tiles else []

    def at_end(self) -> list[str]:
        """Copies of what a block has collected to where it belongs."""
        tiles = [tile for tile in self.tiles if tile.is_written]
        return [BARRIER, *self._copy(tiles)] if tiles else []

    def chunked(self, loop: Loop, tiles: Sequence[Tile], body: Callable[[], list[str]]) -> list[str]:
        """The loop in chunks: fill, barrier, the iterations of the chunk, barrier."""
        chunk = tiles[0].chunk
        if any(tile.chunk != chunk for tile in tiles):
            raise PortRefusedError("the tiles of one loop are filled for different numbers of its iterations")
        ctype = counting_type(loop.iterator_type)
        if not ctype.signed and loop.step < 0:
            raise PortRefusedError("a loop that counts an unsigned number down is not cut into chunks")
        symbol, word = chunk_symbol(loop.iterator), scalar_text(ctype)
        name = self.symbols.local(symbol, ctype)
        sign, length = ("+" if loop.step > 0 else "-"), chunk * abs(loop.step)
        of_chunk = replace(loop, iterator=symbol, exact_end=False)
        tests = " && ".join(one.text for one in self.loops.conditions(of_chunk))
        header = f"for ({word} {name} = {self.loops.start(loop)}; {tests}; {name} {sign}= {length}) {{"
        iterations = [*self._chunk(loop, name, f"{name} {sign} {length}", word, _divides(chunk, loop))]
        iterations += [*indented(body()), "}"]
        return [header, *indented([*self._copy(tiles), BARRIER, *iterations, BARRIER]), "}"]

    def _chunk(self, loop: Loop, name: str, end: str, word: str, is_whole: bool) -> list[str]:
        """Header of the loop over the iterations of a chunk; the last one may be shorter."""
        names = {loop.iterator, *(symbol for limit in loop.limits for symbol in limit.symbols)}
        if len(loop.limits) == 1 and not is_whole and all(self.symbols.types.get(one) == INT for one in names):
            last = self.symbols.made(f"{self.symbols.plain(loop.iterator)}_end")
            limit = self.loops.polynomials.text(loop.limits[0])
            extreme = f"const int {last} = {'min' if loop.step > 0 else 'max'}({end}, {limit});"
            return [extreme, f"{self.loops.header(loop, declares=True, start=name, end=last)} {{"]
        if is_whole:
            return ["#pragma unroll", f"{self.loops.header(loop, declares=True, start=name, end=end)} {{"]
        iterator = self.symbols.plain(loop.iterator)
        tests = [f"{iterator} {'<' if loop.step > 0 else '>'} {end}"]
        tests += [one.text for one in self.loops.conditions(replace(loop, exact_end=False))]
        return [f"for ({word} {iterator} = {name}; {' && '.join(tests)}; {step_text(iterator, loop.step)}) {{"]

    def _copy(self, tiles: Sequence[Tile]) -> list[str]:
        return [line for tile in tiles for line in tile_copy(tile, self.accesses[tile.name], self.block, self.spelling)]


def _divides(chunk: int, loop: Loop) -> bool:
    """Whether every chunk of the loop is full."""
    if loop.start is None or len(loop.limits) != 1:
        return False
    distance = (loop.limits[0] - loop.start) * (1 if loop.step > 0 else -1)
    return distance.is_constant and -(-distance.constant_term // abs(loop.step)) % chunk == 0
