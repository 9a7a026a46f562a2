"""Tiles of the first kernel in a C text."""

from support.cuda_tiles.block_fills import PYTHON, Extent
from warplens.analysis.engine.report import Report
from warplens.analysis.ir.expression import Access
from warplens.analysis.ports.cuda.plan import Tile
from warplens.analysis.ports.cuda.tile_text import tile_copy, tile_declaration, tile_element
from warplens.analysis.ports.cuda.tiles import plan_tiles


def planned(report: Report, block: Extent, *arrays: str, outputs: Extent = (1, 1, 1)) -> tuple[Tile, ...]:
    """Plan the tiles of arrays of a report's only nest."""
    evaluation = report.functions[0].nests[0].evaluation.in_source_order
    kernel = evaluation.kernels[0].kernel
    sizes = dict(evaluation.sizes)
    return plan_tiles(evaluation.facts.nest, kernel, block, outputs, arrays, sizes, evaluation.gpu)


def reads_of(report: Report, tile: Tile) -> tuple[Access, ...]:
    """Accesses that the tile serves, in the kernel's order."""
    kernel = report.functions[0].nests[0].evaluation.in_source_order.kernels[0].kernel
    return tuple(facts.access for facts in kernel.accesses if facts.access.id in tile.accesses)


def text_of(report: Report, tile: Tile, block: Extent, element: str = "float") -> str:
    """Declaration, fill and reads, names as in the C."""
    reads = reads_of(report, tile)
    lines = [tile_declaration(tile, element), *tile_copy(tile, reads[0], block, PYTHON)]
    return "\n".join([*lines, *dict.fromkeys(tile_element(tile, read, {}, PYTHON) for read in reads)])
