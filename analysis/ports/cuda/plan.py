"""What is decided of a kernel before any text is written: its launch, what a block stages, how threads reduce."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.launch.extent import Extent
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import DerivedSymbol
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import CType


class PortRefusedError(Exception):
    """The port can't be written; the message says why in the source's terms."""


@dataclass(frozen=True, slots=True)
class TileDimension:
    """One dimension of a tile: elements `low .. low + width - 1`; the nest touches those from `first` to `last`.

    `low` is a polynomial in parameters, iterators of loops around the staging point, and for each grid loop the symbol
    `block_symbol(iterator)`: the iterator's value at the block's first output; for the loop that is cut into chunks
    `chunk_symbol(iterator)`. `pad` are elements added against bank conflicts (innermost dimension only).
    `may_start_before` and `may_end_after` say whether a block's elements may lie before `first` or after `last`.
    """

    low: Polynomial
    width: int
    first: Polynomial
    last: Polynomial
    pad: int = 0
    may_start_before: bool = True
    may_end_after: bool = True


@dataclass(frozen=True, slots=True)
class Tile:
    """A region of an array in shared memory. `dimensions` are those of the accesses' `indices`, outer to inner.

    `element` is the type of what it holds of each element: the `member` that all accesses read, or the whole of it.
    It is filled at the kernel's start (`staged_in` None), or at the start of every chunk of `chunk` iterations of the
    sequential loop `staged_in`, with a barrier before and after. `offsets` are the first and the last element of the
    array in memory that may be read, counted from its start, where the dimensions' bounds alone leave others in. All
    these bounds may be made of `values` too (the last value of a loop with a step). Nothing may be read unless all
    `conditions` are >= 0.
    A tile that `is_written` is the other way round: the body writes all of it that the nest touches, and behind a
    barrier it is copied to the array.
    """

    array: str
    name: str
    accesses: frozenset[NodeId]
    dimensions: tuple[TileDimension, ...]
    element: CType
    member: str = ""
    staged_in: NodeId | None = None
    chunk: int = 0
    offsets: tuple[Polynomial, Polynomial] | None = None
    values: tuple[DerivedSymbol, ...] = ()
    conditions: tuple[Polynomial, ...] = ()
    is_written: bool = False


@dataclass(frozen=True, slots=True)
class KernelPlan:
    """One kernel of the port. `outputs` and `block` are along x, y, z, as in `LaunchConfig`."""

    kernel: Kernel
    name: str
    block: Extent
    outputs: Extent
    tiles: tuple[Tile, ...] = ()


def block_symbol(iterator: str) -> str:
    """Symbol of a grid iterator's value at the block's first output: `i_block`, and no name that C may have.

    >>> block_symbol("i")
    "i_block'"
    """
    return f"{iterator}_block'"


def chunk_symbol(iterator: str) -> str:
    """Symbol of the value that a sequential loop's iterator has at the start of a chunk: `k_chunk`, made likewise."""
    return f"{iterator}_chunk'"
