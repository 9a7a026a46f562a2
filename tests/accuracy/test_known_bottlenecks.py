"""Kernels that were written to have one bottleneck, measured: it is what the counters are read as."""

from __future__ import annotations

import numpy as np
import pytest
from accuracy.counters.runs import OWN, OWN_FOLDER, own, runs_of
from warplens.analysis.advice.bottlenecks import Bottleneck, bottlenecks
from warplens.analysis.counters.levels import levels_of
from warplens.hwprofiles.loader import load_gpu
from warplens.server.measure.counters.reading.formats import ReadOptions
from warplens.server.measure.counters.reading.read_counter_files import read_counter_files

LONG_S = 100e-6
H100, H200 = OWN
FIRST = {
    "transpose_naive": "uncoalesced",
    "transpose_conflicts": "bank_conflicts",
    "conflicts_only": "bank_conflicts",
    "matmul_uncoalesced": "uncoalesced",
    "divergent": "divergence",
    "fma_chains": "issue",
    "chain_of_loads": "uncoalesced",
    "local_array": "spills",
}
"""What kernels.cu says of each, but for those where the sizes that were run or a counter that was not decide."""


def found(kernel: str, gpu: str) -> tuple[Bottleneck, ...]:
    """By the levels of the counters alone."""
    levels, remarks = levels_of(runs_of(kernel, gpu), load_gpu(OWN[gpu]))
    assert remarks == ()
    return bottlenecks(levels, (), {})


@pytest.mark.parametrize("gpu", OWN)
@pytest.mark.parametrize("kernel", FIRST)
def test_the_bottleneck_that_a_kernel_was_written_for_is_the_first(kernel: str, gpu: str) -> None:
    assert found(kernel, gpu)[0].key == FIRST[kernel]


@pytest.mark.parametrize("kernel", ["matmul_naive", "matmul_tiled"])
def test_what_is_held_back_by_l1_and_shared_memory_is_said_so(kernel: str) -> None:
    """On the H100, where their use was measured; in tiles there are a few conflicts, which cost nothing."""
    (only,) = found(kernel, H100)
    assert only.key == "l1_bandwidth"
    assert "of the bandwidth of the L1 cache and shared memory is used" in only.evidence[0]
    assert found(kernel, H200) == ()


def test_the_same_transpose_has_no_conflicts_with_padding() -> None:
    for gpu in OWN:
        assert not {"bank_conflicts", "uncoalesced"} & {one.key for one in found("transpose_padded", gpu)}


def test_a_word_that_all_threads_load_is_not_called_uncoalesced() -> None:
    for gpu in OWN:
        assert "uncoalesced" not in [one.key for one in found("local_array", gpu)]


def test_times_under_the_profiler_are_those_without_it() -> None:
    """Of launches that take 100 µs and more: in shorter ones the launch and the caches, which ncu empties, show."""
    events = read_counter_files([OWN_FOLDER / "events.csv.gz"], ReadOptions())
    alone = {(run.kernel, run.gpu, run.problem, run.block): run.time_s for run in events.runs}
    found = []
    for run in own().runs:
        assert run.time_s is not None
        if run.time_s >= LONG_S:
            found.append((alone[run.kernel, run.gpu, run.problem, run.block] or 0) / run.time_s)
    assert len(found) > 400
    assert np.quantile(found, [0.05, 0.5, 0.95]).tolist() == pytest.approx([0.92, 1.0, 1.02], abs=0.01)
