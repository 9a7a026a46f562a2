"""Reads of a tile that the device compiler merges: one request brings a thread's next elements of a row.

A loop over a tile is unrolled and what it reads lies at constant distances (tile_reads.py). So the compiler sees
that reads of iterations in a row are next to each other and makes one of 8 or 16 bytes of them (ld.shared.v2, v4),
where it is aligned in every thread. Wide requests pass the banks in halves or quarters of a warp, which conflict less
than the whole: counters of a matrix product whose threads lie along columns of its tiles (gpuperfpredict, CC-BY-4.0)
have, for the factor whose rows a thread runs along, a quarter of the requests, and on a GTX 980 8, 16 and 32 passes of
each with tiles of 8 x 8, 16 x 16 and 32 x 32, where reads one by one would take 4 times 2, 8 and 32.

Not modelled: the requests that this saves; quarters of a warp that read the same words and pass together (2 passes were
counted of such a request, not 4); loads from global memory that are merged.
"""

from __future__ import annotations

from warplens.analysis.facts.nest_facts import AccessFacts, Kernel
from warplens.analysis.gpu.placement.walk import requested_bytes
from warplens.analysis.ir.polynomial import Polynomial

WIDE_BYTES = (8, 16)
"""Of a vector load from shared memory (PTX ISA: .v2 and .v4 of 32 bits)."""


def merged_sizes(facts: AccessFacts, kernel: Kernel) -> tuple[int, ...]:
    """Bytes that merged reads of an access may have, ascending; none where its innermost loop is no walk along a row.

    Which of them it is says the alignment of the threads' addresses.
    """
    size = requested_bytes(facts)
    if not facts.loops or facts.loops[-1] in {loop.loop for loop in kernel.grid}:
        return ()
    stride = dict(facts.stride_bytes).get(facts.loops[-1])
    is_along_row = stride == Polynomial.constant(size) and facts.access.element_bytes == size
    return tuple(wide for wide in WIDE_BYTES if wide > size) if is_along_row else ()
