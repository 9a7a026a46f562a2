"""Atomic updates that meet in few elements: the L2 cache does those of one element, and of one line, one after another.

Source of the cycles: HeCBench's atomicPerf on an RTX 3080, by Nsight Compute at the base clock of 1.44 GHz (1 548 288
updates by 256 threads a block). All threads add floats to one element: 3.406 ms, 3.2 cycles each; whole numbers: 39 us,
1.2 cycles for each warp, whose updates are combined before. The lanes of each warp add to 32 elements in a row: 180 us
for floats and whole numbers, 5.4 cycles for a line of 128 bytes, 1.34 for each of its sectors. Doubles: 3.4 ms to one
element as well, 1.14 ms to 32 elements in two lines, 8.45 cycles for each of a line's sectors.
Kepler's white paper (NVIDIA, 2012) has one update of an element per clock, from one clock on.
Assumes: other GPUs take as many cycles; updates spread evenly over the elements; threads of a warp whose elements data
decides meet in different sectors.
Not modelled: how lines are spread over the slices of L2 (each has one of its own here), the load on a slice from reads,
updates in shared memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, prod

from warplens.analysis.facts.nest_facts import AccessFacts
from warplens.analysis.facts.program import blocks
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import Scalar
from warplens.analysis.text.quantities import count_text

_CYCLES_OF_ELEMENT = 3.2
"""Between two updates of one element by a floating-point number."""
_CYCLES_OF_WHOLE_ELEMENT = 1.2
"""The same by a whole number."""
_CYCLES_OF_SECTOR = 1.34
"""Between two updates in one line, each of elements in one sector."""
_CYCLES_OF_SECTOR_OF_DOUBLES = 8.45
"""The same of doubles."""
_LINE_BYTES, _SECTOR_BYTES, _LANES = 128, 32, 32


@dataclass(frozen=True, slots=True)
class AtomicQueue:
    """What the atomic updates of one array take at least: `updates` of all threads meet in `elements`."""

    array: str
    updates: float
    elements: float
    cycles: float

    @property
    def assumption(self) -> Assumption:
        """Say what is counted."""
        name = c_name(self.array)
        met = f"{count_text(round(self.updates))} atomic updates meet in {count_text(round(self.elements))}"
        text = (
            f"{met} {'element' if self.elements == 1 else 'elements'} of `{name}`, evenly: those of one element, and "
            "those of one line of memory, follow each other as measured on an RTX 3080."
        )
        return Assumption("machine", name, text)


def longest_queue(sized: SizedKernel) -> AtomicQueue | None:
    """The array whose atomic updates take longest; None without such updates, or where no extent is known."""
    return sized.shared(_longest)


def queue_s(sized: SizedKernel, gpu: Gpu) -> float:
    """Seconds that no launch of the kernel is faster than, for its atomic updates."""
    queue = longest_queue(sized)
    return 0.0 if queue is None else queue.cycles / gpu.clock_hz


def _longest(sized: SizedKernel) -> AtomicQueue | None:
    updating = {i.access for block, _ in blocks(sized.kernel.program) for i in block.instructions if i.op == "atomic"}
    found = [_queue(sized, facts) for facts in sized.kernel.accesses if facts.access.id in updating]
    return max((queue for queue in found if queue is not None), key=lambda queue: queue.cycles, default=None)


def _queue(sized: SizedKernel, facts: AccessFacts) -> AtomicQueue | None:
    """Of one access; a request is what a warp asks for at once."""
    touched = facts.array_bytes
    if touched is None or not touched.parameters <= sized.sizes.keys():
        return None
    element_bytes = facts.access.element_bytes
    array_bytes = max(float(touched.evaluate(sized.sizes)), element_bytes)
    elements = array_bytes / element_bytes
    updates = float(prod(map(float, sized.iterations))) * sized.executions[facts.access.id]
    is_whole = isinstance(facts.access.type, Scalar) and facts.access.type.kind == "int"
    along_x = dict(facts.stride_bytes).get(sized.kernel.thread_order[0])
    apart = None if along_x is None or facts.is_gathered or not along_x.is_constant else abs(along_x.constant_term)
    if apart == 0:
        requests = updates / _LANES if is_whole else updates
        cycles = requests / elements * (_CYCLES_OF_WHOLE_ELEMENT if is_whole else _CYCLES_OF_ELEMENT)
    else:
        of_element = updates / elements * (_CYCLES_OF_WHOLE_ELEMENT if is_whole else _CYCLES_OF_ELEMENT)
        sectors = updates * (1.0 if apart is None else min(1.0, apart / _SECTOR_BYTES))
        of_sector = _CYCLES_OF_SECTOR_OF_DOUBLES if element_bytes == 8 and not is_whole else _CYCLES_OF_SECTOR
        cycles = max(of_element, sectors / ceil(array_bytes / _LINE_BYTES) * of_sector)
    return AtomicQueue(facts.access.array, updates, elements, cycles)
