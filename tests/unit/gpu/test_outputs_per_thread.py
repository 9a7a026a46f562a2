"""Costs of accesses where a thread has several outputs: shape of a request, reuse, staged regions."""

import pytest
from support.one_launch.placement import place_threads
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.grid_extents import outputs_run, working_threads
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.hwprofiles.loader import load_gpu


@pytest.fixture
def a100() -> Gpu:
    return load_gpu("a100")


def test_a_block_covers_its_outputs(gemm: Kernel) -> None:
    place = place_threads(gemm, (32, 8, 1), {"n": 1000}, (4, 2, 1))
    assert place.tile == (128, 16, 1)
    assert place.blocks == (8, 63, 1)
    assert place.threads == (1000, 500, 1)
    assert place.counts((1, 1, 1)) == dict(zip(gemm.thread_order, (128, 16), strict=True))


@pytest.mark.parametrize(
    ("iterations", "block", "outputs", "threads", "run"),
    [
        (128, 16, 8, (16, 16), (8.0, 8.0)),
        (100, 8, 4, (28, 25), (3.25, 4.0)),
        (10, 16, 8, (10, 2), (1.0, 5.0)),
        (33, 32, 2, (32, 17), (2.0, 33 / 17)),
        (0, 8, 4, (0, 0), (1.0, 1.0)),
    ],
)
def test_threads_with_work_and_what_they_run(
    iterations: int, block: int, outputs: int, threads: tuple[int, int], run: tuple[float, float]
) -> None:
    """A block apart (x) and side by side (y): other threads are idle at the grid's end, and what these run is left."""
    assert tuple(working_threads(iterations, block, outputs, axis) for axis in (0, 1)) == threads
    assert tuple(outputs_run(iterations, block, outputs, axis) for axis in (0, 1)) == run


def test_outputs_along_x_leave_a_request_coalesced_and_those_along_y_move_its_rows(gemm: Kernel, a100: Gpu) -> None:
    def costs(outputs: tuple[int, int, int]) -> dict[str, float]:
        launch = LaunchConfig((16, 8, 1), (), outputs)
        found = kernel_on_gpu(SizedKernel(gemm, {"n": 1024}), launch, a100).costs
        return {
            facts.access.array: cost.sectors
            for facts, cost in zip(gemm.accesses, found, strict=True)
            if not facts.is_write
        }

    # A warp is two rows of the block: two elements of a, one row of b, wherever its outputs are.
    assert costs((1, 1, 1)) == costs((4, 1, 1)) == costs((4, 4, 1)) == {"a": 2.0, "b": 2.0}


def test_the_stride_between_rows_of_threads_grows_with_outputs_along_y(builder, loop, spec, a100: Gpu) -> None:
    """Threads along y of `a[i]`: side by side with one output, a row of four elements apart with four."""
    kernel = builder(
        [loop("i", 4096), loop("j", 4096)],
        ["j", "i"],
        [spec("a", [Polynomial.symbol("i")], [4096])],
    ).build()
    plain, several = (
        kernel_on_gpu(SizedKernel(kernel, {}), LaunchConfig((1, 32, 1), (), (1, outputs, 1)), a100).costs[0]
        for outputs in (1, 4)
    )
    assert (plain.stride_bytes, plain.sectors) == (4, 4.0)
    assert (several.stride_bytes, several.sectors) == (16, 16.0)
