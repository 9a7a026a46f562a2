"""Kernels of C text as the CUDA port prints them."""

from __future__ import annotations

from support.c_nests.parsed import facts_of
from warplens.analysis.gpu.launch.extent import Extent
from warplens.analysis.ports.cuda.kernel_text import KernelText, kernel_text
from warplens.analysis.ports.cuda.plan import KernelPlan

BLOCKS: dict[int, Extent] = {1: (256, 1, 1), 2: (32, 8, 1), 3: (32, 4, 2)}
ONE: Extent = (1, 1, 1)


def printed(source: str, outputs: Extent = ONE, block: Extent | None = None) -> KernelText:
    """The only kernel of the only nest; raises PortRefusedError."""
    facts = facts_of(source)
    (kernel,) = facts.kernels
    return kernel_text(facts, KernelPlan(kernel, "kernel", block or BLOCKS[len(kernel.grid)], outputs))


def body(source: str, outputs: Extent = ONE, block: Extent | None = None) -> str:
    """What stands in the kernel's braces, not indented."""
    lines = printed(source, outputs, block).definition
    return "\n".join(line.removeprefix("    ") for line in lines[lines.index("{") + 1 : -1])


def statement(declarations: str, text: str) -> str:
    """How one statement of a loop over i is printed, given the function's parameters but `int n`."""
    lines = body(f"void f(int n, {declarations}) {{ for (int i = 0; i < n; i++) {{ {text} }} }}").split("\n")
    return " ".join(line.strip() for line in lines[lines.index("}") + 1 :])
