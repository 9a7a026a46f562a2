"""One kernel of the port as CUDA C++: its parameters, its definition, and how many blocks run it.

The text comes from the IR, not from the source: what a thread runs is printed with the conversions that the C has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.gpu.waves import Extent
from warplens.analysis.ir.types import CType
from warplens.analysis.ports.cuda.plan import KernelPlan, PortRefusedError


@dataclass(frozen=True, slots=True)
class KernelParameter:
    """One parameter: `declaration` is how it stands in the parameter list (`const float *__restrict__ a`).

    `name` is its name in the text, `stands_for` the name in the nest: of an array (then `type` is its element's), a
    scalar (`type` is its own), or of the variable whose partial results of the blocks it gets, one for each block.
    """

    name: str
    declaration: str
    type: CType
    kind: Literal["array", "scalar", "partial"]
    stands_for: str


@dataclass(frozen=True, slots=True)
class SecondPass:
    """The kernel that combines the blocks' partial results of one scalar, in an order that is always the same.

    It is launched as `name<<<1, threads>>>(partials, count, result)` with `const T *partials`, `long count` (the number
    of blocks of the first kernel) and `T *result`, which holds the variable's value before and gets the one after.
    """

    variable: str
    type: CType
    partials: str
    name: str
    definition: tuple[str, ...]
    threads: int


@dataclass(frozen=True, slots=True)
class KernelText:
    """One kernel. `definitions` are what it needs above it (struct types, device functions), each a text of its own, so
    that two kernels of a file can share them; `definition` are the lines of the kernel.

    `iterations` are C expressions of type `long`, in the names of the parameters, for the iterations along x, y, z; one
    that is zero or less means that the kernel must not be launched. A block covers `block[d] * outputs[d]` of them. The
    grid may be cut to `max_blocks` along each axis where the kernel goes on to the next ones itself.
    """

    name: str
    parameters: tuple[KernelParameter, ...]
    definitions: tuple[str, ...]
    definition: tuple[str, ...]
    iterations: tuple[str, str, str]
    block: Extent
    outputs: Extent
    max_blocks: tuple[int, int, int]
    second_passes: tuple[SecondPass, ...] = ()


def kernel_text(facts: NestFacts, plan: KernelPlan) -> KernelText:
    """Text of one kernel; raises PortRefusedError, in the source's terms."""
    raise PortRefusedError("the CUDA port of this loop is not written yet")
