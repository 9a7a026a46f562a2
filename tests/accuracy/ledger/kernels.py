"""The kernels that were measured, as C nests: which file, which loop is threadIdx.x, and the sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from accuracy.ledger.measurement import Measurement, Sizes
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.promise_targets import is_about
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.frontend.comments.warplens_comments import read_promises
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.python_preprocessor import preprocess_in_python
from warplens.analysis.workload.kernels.kernel_at import kernel_at
from warplens.analysis.workload.loops.derived_symbols import extend_sizes

SOURCES = Path(__file__).parent.parent / "kernels"


@dataclass(frozen=True, slots=True)
class MeasuredKernel:
    """`file` is the nest's; `order` are the loops of threadIdx.x, y and z where the analysis would put others there.

    `sizes` are parameters that are not the measurement's n; `n_names` those that are. With `is_batched` the nest has an
    outer loop of one iteration on threadIdx.x: outputs along a measured launch's x and y lie along the nest's y and z,
    where they are next to each other.
    """

    file: str
    order: tuple[str, ...] = ()
    is_batched: bool = False
    n_names: tuple[str, ...] = ("n",)
    sizes: Sizes = ()


_GEMM = MeasuredKernel(
    "gemm", order=("batch", "i", "j"), is_batched=True, n_names=("m", "n", "k"), sizes=(("batches", 1),)
)

KERNELS: Mapping[str, MeasuredKernel] = {
    "vecadd": MeasuredKernel("vecadd"),
    "matadd": MeasuredKernel("matadd"),
    "matadd_swapped_threads": MeasuredKernel("matadd", order=("i", "j")),
    "dot": MeasuredKernel("dot"),
    "mm_naive": MeasuredKernel("matmul"),
    "mm_naive_swapped_threads": MeasuredKernel("matmul", order=("i", "j")),
    "mm_tiled": MeasuredKernel("matmul"),
    "mm_tiled_swapped_threads": MeasuredKernel("matmul", order=("i", "j")),
    "gemm": _GEMM,
    "gemm_tiled": _GEMM,
    "conv": MeasuredKernel("convolution"),
    "conv_tiled": MeasuredKernel("convolution"),
    "conv_tiled_padded": MeasuredKernel("convolution"),
    "dedispersion": MeasuredKernel(
        "dedispersion",
        n_names=("dms",),
        sizes=(("samples", 25000), ("channels", 1536), ("pitch", 25650), ("elements of in", 1536 * 25650)),
    ),
    "coulomb": MeasuredKernel("coulomb", sizes=(("atoms", 64),)),
    "triad": MeasuredKernel("triad"),
    "transpose": MeasuredKernel("transpose", order=("column", "row")),
    "transpose_tiled": MeasuredKernel("transpose", order=("row", "column")),
    "transpose_tiled_padded": MeasuredKernel("transpose", order=("row", "column")),
    "divergent": MeasuredKernel("divergent", n_names=()),
    "fma_chains": MeasuredKernel("fma_chains"),
    "chain_of_loads": MeasuredKernel("chain_of_loads"),
    "local_array": MeasuredKernel("local_array"),
}


def sizes_of(measured: Measurement) -> dict[str, int]:
    """Return every parameter's value."""
    return _sizes(_known(measured), measured.n, measured.sizes)


def kernel_of(measured: Measurement) -> Kernel:
    """Return the kernel's facts at the measurement's size, with the threads in the measured order."""
    return _kernel(_known(measured), measured.n, measured.sizes)


def _known(measured: Measurement) -> MeasuredKernel:
    return KERNELS.get(measured.kernel) or MeasuredKernel(measured.kernel, measured.order, n_names=())


def _sizes(known: MeasuredKernel, n: int, more: Sizes) -> dict[str, int]:
    given = dict.fromkeys(known.n_names, n) | dict(known.sizes) | dict(more)
    return dict(extend_sizes(given, _facts(known.file).nest))


@cache
def _kernel(known: MeasuredKernel, n: int, more: Sizes) -> Kernel:
    kernel = kernel_at(_facts(known.file).kernels[0], _sizes(known, n, more))
    return _with_order(kernel, known.order) if known.order else kernel


def _with_order(kernel: Kernel, iterators: tuple[str, ...]) -> Kernel:
    """Put the loops of these iterators on threadIdx.x, y and z; raises ValueError where these are not the grid's."""
    loops = {loop.iterator: loop.loop for loop in kernel.grid}
    if sorted(iterators) != sorted(loops):
        raise ValueError(f"the kernel's grid has the loops of {sorted(loops)}, not of {sorted(iterators)}")
    bits = [kernel.thread_order.index(loops[iterator]) for iterator in iterators]

    def column(axes: int) -> int:
        return sum(1 << old for new, old in enumerate(bits) if axes >> new & 1)

    def moved(rows: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(row[column(axes)] for axes in range(len(row))) for row in rows)

    return replace(
        kernel,
        thread_order=tuple(loops[iterator] for iterator in iterators),
        live_by_axes=moved(kernel.live_by_axes),
        live_hoisted_by_axes=moved(kernel.live_hoisted_by_axes),
        live_together_by_axes=moved(kernel.live_together_by_axes),
    )


@cache
def _facts(file: str) -> NestFacts:
    path = SOURCES / f"{file}.c"
    text = path.read_text(encoding="utf-8")
    unit = parse_unit(text, preprocess_in_python(f"/{path.name}", text, lambda _path: None, (), ()), Memo())
    nest = next(nest for function in unit.functions for nest in function.nests).nest
    said = (directive.promise for directive in read_promises(text))
    return analyse_nest(nest, tuple(promise for promise in said if is_about(promise, nest)))
