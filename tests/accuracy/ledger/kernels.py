"""The kernels that were measured, as C nests: which file, which loop is threadIdx.x, and the sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from warplens.analysis.engine.memo import Memo
from warplens.analysis.facts.analyse_nest import analyse_nest
from warplens.analysis.facts.derived import extend_sizes
from warplens.analysis.facts.kernel_at import kernel_at
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.python_preprocessor import preprocess_in_python

SOURCES = Path(__file__).parent.parent / "kernels"


@dataclass(frozen=True, slots=True)
class MeasuredKernel:
    """`file` is the nest's; `swapped` has threadIdx.x on the loop where the analysis would put threadIdx.y.

    `sizes` are parameters that are not the measurement's n; `n_names` those that are.
    """

    file: str
    swapped: bool = False
    n_names: tuple[str, ...] = ("n",)
    sizes: tuple[tuple[str, int], ...] = ()


KERNELS: Mapping[str, MeasuredKernel] = {
    "vecadd": MeasuredKernel("vecadd"),
    "matadd": MeasuredKernel("matadd"),
    "matadd_swapped_threads": MeasuredKernel("matadd", swapped=True),
    "dot": MeasuredKernel("dot"),
    "mm_naive": MeasuredKernel("matmul"),
    "mm_naive_swapped_threads": MeasuredKernel("matmul", swapped=True),
    "mm_tiled": MeasuredKernel("matmul"),
    "mm_tiled_swapped_threads": MeasuredKernel("matmul", swapped=True),
    "gemm": MeasuredKernel("gemm", n_names=("m", "n", "k")),
    "gemm_tiled": MeasuredKernel("gemm", n_names=("m", "n", "k")),
    "conv": MeasuredKernel("convolution"),
    "conv_tiled": MeasuredKernel("convolution"),
    "conv_tiled_padded": MeasuredKernel("convolution"),
    "dedispersion": MeasuredKernel(
        "dedispersion",
        n_names=("dms",),
        sizes=(("samples", 25000), ("channels", 1536), ("pitch", 25650), ("in_elements", 1536 * 25650)),
    ),
    "coulomb": MeasuredKernel("coulomb", sizes=(("atoms", 64),)),
}


def sizes_of(name: str, n: int) -> dict[str, int]:
    """Return every parameter's value."""
    known = KERNELS[name]
    given = dict.fromkeys(known.n_names, n) | dict(known.sizes)
    return dict(extend_sizes(given, _facts(known.file).nest))


@cache
def kernel_of(name: str, n: int) -> Kernel:
    """Return the kernel's facts at a size, with the threads in the measured order."""
    known = KERNELS[name]
    kernel = kernel_at(_facts(known.file).kernels[0], sizes_of(name, n))
    return replace(kernel, thread_order=tuple(reversed(kernel.thread_order))) if known.swapped else kernel


@cache
def _facts(file: str) -> NestFacts:
    path = SOURCES / f"{file}.c"
    text = path.read_text(encoding="utf-8")
    unit = parse_unit(text, preprocess_in_python(f"/{path.name}", text, lambda _path: None, (), ()), Memo())
    return analyse_nest(next(nest for function in unit.functions for nest in function.nests).nest)
