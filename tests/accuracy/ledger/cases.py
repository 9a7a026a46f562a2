"""A measurement as a case that models predict: the kernel on the GPU that it ran on, launched as it was.

What was staged differs in detail from what the analysis would stage, and is taken as it was measured:
- mm_tiled: T x T tiles of both factors, for T x T outputs of a block. That is the analysis' own choice.
- mm_tiled_swapped_threads: the same tiles, filled by threads that lie along columns: of each row of a tile, a warp's
  request has as many elements as the block has columns in a warp.
- gemm_tiled: chunks of 32 iterations of the inner loop, whatever the block; columns of the outputs of the block.
- conv_tiled: the block's outputs and a halo of 7 on each side, filled once, rows at any address.
- conv_tiled_padded, transpose_tiled_padded: rows of the tile are longer, so that no bank is asked twice.
- transpose_tiled: the block's 32 x 32 elements of the input, filled once, by rows.
The convolutions kept their filter in constant memory: there it is an operand of the arithmetic, read by no instruction
of its own, so its accesses cost nothing here.
dot combined its values in shared memory on every GPU, and stored one per block.
The outputs of a gemm thread were neighbours along x too, where the models have them a block apart: its nest has an
outer loop of one iteration, which is x, so that what was measured along x and y is along y and z.
A dedispersion thread ran its outputs one after the other, each with its own loop over the channels (dedispersion.cu of
benvanwerkhoven/benchmark_kernels has the loops over outputs outside), where the
models' outputs share one loop: they take the warp as long as so many warps with one output each.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil

import numpy as np
from accuracy.ledger.kernels import KERNELS, kernel_of, sizes_of
from accuracy.ledger.measurement import Extent, Measurement
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.launch.launch import LaunchConfig, SharedChoice
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.requests.requests import WarpRequests
from warplens.analysis.gpu.staging.staging_opportunities import shared_opportunities
from warplens.analysis.models.launch_work.counted_launches import CountedLaunches
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu, kernel_on_gpu

CONSTANT = {"conv": "f", "conv_tiled": "f", "conv_tiled_padded": "f"}
"""Arrays that the measured kernels kept in constant memory."""
IN_TURN = frozenset({"dedispersion"})
"""Kernels whose threads ran their outputs one after the other."""
GEMM_CHUNK = 32
FILTER = 15
FLOAT_BYTES = 4
LINE_BYTES = 128


class NotStageableError(Exception):
    """The analysis finds no region of this array to stage."""


def case_of(measured: Measurement, gpu: Gpu) -> KernelOnGpu:
    """Build the case; raises NotStageableError where the analysis can't follow what was staged."""
    kernel, sizes = kernel_of(measured), sizes_of(measured)
    shared = tuple(_staged(array, measured, kernel, gpu) for array in measured.staged)
    together = (1, 1, 1) if measured.kernel in IN_TURN else measured.outputs
    launch = LaunchConfig(_extents(measured, measured.block), shared, _extents(measured, together))
    case = kernel_on_gpu(SizedKernel(kernel, sizes), launch, gpu)
    if measured.kernel == "dot":
        case = replace(case, combining="shared memory")
    return replace(case, counted=_as_measured(case.counted, measured))


def _extents(measured: Measurement, extents: Extent) -> Extent:
    """Extents along the measured x, y, z as those of the nest."""
    x, y, _ = extents
    known = KERNELS.get(measured.kernel)
    return (1, x, y) if known is not None and known.is_batched else extents


def _as_measured(counted: CountedLaunches, measured: Measurement) -> CountedLaunches:
    """What constant memory serves asks nothing of global memory, and padded tiles have no bank conflicts."""
    in_constant = [facts.access.array == CONSTANT.get(measured.kernel) for facts in counted.sized.kernel.accesses]
    constant = {access for access, is_in in zip(counted.sized.column_of, in_constant, strict=True) if is_in}
    elsewhere = ~np.array(in_constant)
    asked = counted.requests
    requests = WarpRequests(asked.sectors * elsewhere, asked.lines * elsewhere, asked.partial * elsewhere)
    staging = counted.staging
    if measured.kernel.endswith("_padded"):
        staging = replace(staging, conflict_degree=np.ones_like(staging.conflict_degree))
    return replace(counted, requests=requests, staging=staging, in_registers=counted.in_registers | constant)


def _unpadded(choice: SharedChoice) -> SharedChoice:
    """The tile as who measured it wrote it."""
    return replace(choice, size_bytes=choice.moved_bytes, pad_elements=0, pad_bytes=0)


def _staged(array: str, measured: Measurement, kernel: Kernel, gpu: Gpu) -> SharedChoice:
    sizes = sizes_of(measured)
    covered = tuple(size * outputs for size, outputs in zip(measured.block, measured.outputs, strict=True))
    accesses = tuple(f.access.id for f in kernel.accesses if f.access.array == array and f.is_read)
    threads = measured.threads_per_block
    row_bytes, alignment_bytes = None, LINE_BYTES
    executions = sum(float(f.executions_per_thread.evaluate(sizes)) for f in kernel.accesses if f.access.id in accesses)
    if measured.kernel == "gemm_tiled":
        elements = GEMM_CHUNK * covered["ab".index(array)]
        stagings = ceil(measured.n / GEMM_CHUNK)
    elif measured.kernel.startswith("conv_tiled"):
        elements = (covered[0] + FILTER - 1) * (covered[1] + FILTER - 1)
        stagings = 1
        row_bytes, alignment_bytes = (covered[0] + FILTER - 1) * FLOAT_BYTES, FLOAT_BYTES
    elif measured.kernel.startswith("transpose_tiled"):
        elements, stagings = covered[0] * covered[1], 1
    else:
        found = shared_opportunities(SizedKernel(kernel, sizes), measured.block, gpu, measured.outputs)
        choice = _unpadded(next(choice for choice in found if choice.array == array))
        if measured.kernel == "mm_tiled_swapped_threads":
            columns = max(1, gpu.warp_size_threads // measured.block[0])
            return replace(choice, row_bytes=columns * FLOAT_BYTES, alignment_bytes=columns * FLOAT_BYTES)
        return choice
    size_bytes = elements * FLOAT_BYTES
    reads = executions * threads * measured.outputs_per_thread
    return SharedChoice(
        array=array,
        accesses=accesses,
        size_bytes=size_bytes,
        reads_per_block=reads,
        benefit=reads / size_bytes,
        saved_bytes=0.0,
        stagings_per_block=stagings,
        row_bytes=row_bytes,
        alignment_bytes=alignment_bytes,
    )
