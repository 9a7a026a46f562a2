"""What shared memory leaves of L1 where both are cut out of one memory."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from warplens.analysis.gpu.caches.l1_room import l1_room_bytes
from warplens.hwprofiles.loader import gpu_names, load_gpu

KB = 1024


@pytest.mark.parametrize(
    ("gpu", "blocks", "shared", "room"),
    [
        ("rtx2080ti", 16, 0, 64 * KB),
        ("rtx2080ti", 4, 8 * KB, 64 * KB),
        ("rtx2080ti", 4, 8 * KB + 4, 32 * KB),
        ("v100", 4, 0, 128 * KB),
        ("v100", 4, 9 * KB, 64 * KB),
        ("a100", 1, 163 * KB, 28 * KB),
        ("gtx980", 8, 8 * KB, 0),
    ],
)
def test_shared_memory_is_set_aside_in_steps(gpu: str, blocks: int, shared: int, room: int) -> None:
    """Turing sets 32 KB aside even for nothing; a block of compute capability 8.0 has 1 KB more than it asks for."""
    assert l1_room_bytes(load_gpu(gpu), blocks, shared) == room


@given(name=st.sampled_from(sorted(gpu_names())), blocks=st.integers(1, 32), shared=st.integers(0, 64 * KB))
def test_more_shared_memory_leaves_no_more_of_l1(name: str, blocks: int, shared: int) -> None:
    gpu = load_gpu(name)
    rooms = l1_room_bytes(gpu, np.array([blocks, blocks]), np.array([shared, shared + 4 * KB]))
    room, less = np.broadcast_to(rooms, 2).tolist()
    assert gpu.l1.size_bytes >= room >= less >= 0
    assert room == l1_room_bytes(gpu, blocks, shared)
