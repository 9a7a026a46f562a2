"""Occupancy is a share, and never grows when a block asks for more."""

from hypothesis import given
from hypothesis import strategies as st
from warplens.analysis.gpu.launch.occupancy import occupancy
from warplens.hwprofiles.loader import gpu_names, load_gpu

_GPUS = st.sampled_from(gpu_names())
_THREADS = st.integers(1, 1024)
_REGISTERS = st.integers(1, 63)
_SHARED = st.integers(0, 48 * 1024)


@given(gpu_id=_GPUS, threads=_THREADS, registers=_REGISTERS, shared=_SHARED)
def test_fraction_and_limits_hold(gpu_id: str, threads: int, registers: int, shared: int) -> None:
    gpu = load_gpu(gpu_id)
    limits = gpu.occupancy
    result = occupancy(gpu, threads, registers, shared)
    if threads > limits.max_threads_per_block:
        assert (result.blocks_per_sm, result.limited_by) == (0, "threads")
        return
    if result.blocks_per_sm == 0:
        assert result.limited_by in {"registers", "shared memory"}
        return
    assert 0 < result.fraction <= 1
    assert result.warps_per_sm <= limits.max_warps_per_sm
    assert result.blocks_per_sm <= limits.max_blocks_per_sm
    assert result.blocks_per_sm * threads <= limits.max_threads_per_sm
    assert result.blocks_per_sm * threads * registers <= limits.registers_per_sm
    assert result.blocks_per_sm * shared <= limits.shared_per_sm_bytes


@given(gpu_id=_GPUS, threads=_THREADS, registers=_REGISTERS, shared=_SHARED, more=st.integers(1, 2000))
def test_more_registers_or_shared_memory_never_help(
    gpu_id: str, threads: int, registers: int, shared: int, more: int
) -> None:
    gpu = load_gpu(gpu_id)
    blocks = occupancy(gpu, threads, registers, shared).blocks_per_sm
    assert occupancy(gpu, threads, registers, shared + more).blocks_per_sm <= blocks
    assert occupancy(gpu, threads, registers + more % 64, shared).blocks_per_sm <= blocks


@given(threads=st.integers(1025, 5000))
def test_a_block_beyond_the_limit_can_not_be_launched(threads: int) -> None:
    assert occupancy(load_gpu("a100"), threads, 32, 0).blocks_per_sm == 0


@given(blocks=st.integers(1, 2000))
def test_a_small_grid_limits(blocks: int) -> None:
    gpu = load_gpu("a100")
    result = occupancy(gpu, 128, 32, 0, blocks_in_grid=blocks)
    assert result.blocks_per_sm == min(16, -(-blocks // 108))
    assert (result.limited_by == "grid") == (blocks <= 15 * 108)
