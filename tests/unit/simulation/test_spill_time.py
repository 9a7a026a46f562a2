"""Spills: written through to L2, read from L1 as long as it holds what the resident threads spilled."""

import pytest
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.simulation.spill_time import reloads_hit_l1, spill_times
from warplens.hwprofiles.loader import load_gpu


@pytest.fixture
def gpu() -> Gpu:
    return load_gpu("rtx2080ti")


@pytest.mark.parametrize(
    ("spilled", "shared", "hits"), [(64, 16384, True), (65, 0, False), (32, 16388, True), (33, 16388, False)]
)
def test_reloads_hit_while_all_slots_fit_beside_shared_memory(gpu: Gpu, spilled: int, shared: int, hits: bool) -> None:
    """8 warps of 32 threads with a slot of 4 bytes each: 1 KB per register; two blocks; L1 of 64 or 32 KB."""
    assert reloads_hit_l1(gpu, spilled, 8, 2, shared) == hits


def test_stores_go_to_l2_and_reloads_only_where_l1_lost_them(gpu: Gpu) -> None:
    spill, near = spill_times(gpu, 68, in_l1=True)
    _, far = spill_times(gpu, 68, in_l1=False)
    assert spill.l2_cycles == far.l2_cycles > near.l2_cycles == 0
    assert far.latency_cycles > near.latency_cycles > spill.latency_cycles == 0
