"""Another GPU: the times of the one carried over straight, from a mixture, or refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from support.measured_kernel_file import SIZES, measured_matmul
from warplens.analysis.advice.studied_kernel import StudiedKernel
from warplens.analysis.counters.counter_table import CounterTable, Run
from warplens.analysis.counters.fitting.similarity import similarity
from warplens.analysis.counters.hardware import Ranking, Similarity
from warplens.analysis.counters.machine import CHARACTERISTICS, characteristics
from warplens.analysis.engine import counter_transfer
from warplens.analysis.engine.counter_transfer import transfer_to
from warplens.analysis.engine.transferred_model import NoTransferError
from warplens.hwprofiles.counter_metrics import counter_vocabulary
from warplens.hwprofiles.loader import load_gpu

pytestmark = pytest.mark.long

METRICS = counter_vocabulary().metrics
K20, GTX_980 = load_gpu("k20"), load_gpu("gtx980")
AT = {"n": 2048.0, "threads_per_block": 256.0}


def elsewhere(times: float, keep: Callable[[Run], bool] = lambda _: True) -> CounterTable:
    """The same kernel on the other GPU, so many times as long."""
    table = measured_matmul(gpu="GeForce GTX 980")
    rows = [i for i, run in enumerate(table.runs) if keep(run)]
    runs = tuple(
        Run(run.kernel, run.gpu, run.problem, (run.time_s or 0) * times, run.block, None)
        for run in (table.runs[i] for i in rows)
    )
    return CounterTable(runs, table.metrics, table.values[rows])


def test_five_runs_carry_the_times_over(matmul: StudiedKernel) -> None:
    some = {(("n", float(size)),) for size in SIZES[2::3]}
    moved = transfer_to(
        matmul, K20, GTX_980, elsewhere(0.4, lambda run: run.problem in some and run.block == (16, 16, 1)), METRICS
    )
    assert moved.transfer is not None
    assert moved.transfer.calibration_runs == 5
    assert 2**moved.transfer.log_ratio == pytest.approx(0.4, rel=0.05)
    found = moved.predict(AT)
    assert found.time_s == pytest.approx(0.4 * (1e-5 + 2.5e-11 * 2048**3), rel=0.08)
    assert found.low_s is not None
    assert found.high_s is not None
    assert found.low_s < found.time_s < found.high_s


def test_without_a_run_the_machines_say_the_ratio_and_nothing_the_interval(matmul: StudiedKernel) -> None:
    moved = transfer_to(matmul, K20, GTX_980, None, METRICS)
    assert moved.transfer is not None
    assert moved.similarity.verdict == "untested"
    ratio = K20.sm_count * K20.clock_hz / (GTX_980.sm_count * GTX_980.clock_hz)
    assert 2**moved.transfer.log_ratio == pytest.approx(ratio)
    assert moved.predict(AT).low_s is None


@pytest.mark.parametrize(
    ("found", "is_by_bandwidth"),
    [
        ((("bandwidth", 0.7),), True),
        ((("uncoalesced", 1.0), ("bandwidth", 0.7)), True),  # what bounds it bounds it, whatever the cause
        ((("issue", 0.9), ("bandwidth", 0.7)), False),
        ((("l1_bandwidth", 0.9),), False),
    ],
)
def test_a_kernel_that_bandwidth_holds_back_goes_by_bandwidth(
    matmul: StudiedKernel, found: tuple[tuple[str, float], ...], is_by_bandwidth: bool
) -> None:
    first = matmul.bottlenecks[0]
    bound = replace(matmul, bottlenecks=tuple(replace(first, key=key, weight=weight) for key, weight in found))
    moved = transfer_to(bound, K20, GTX_980, None, METRICS)
    assert moved.transfer is not None
    by_bandwidth = K20.dram.bandwidth_bytes_per_s / GTX_980.dram.bandwidth_bytes_per_s
    by_cycles = K20.sm_count * K20.clock_hz / (GTX_980.sm_count * GTX_980.clock_hz)
    assert 2**moved.transfer.log_ratio == pytest.approx(by_bandwidth if is_by_bandwidth else by_cycles)


def test_beyond_the_runs_on_the_target_there_is_no_interval(matmul: StudiedKernel) -> None:
    """What was run up to 4096 on the one GPU says nothing of caches on the other one, that was run up to 2048."""
    small = elsewhere(0.4, lambda run: dict(run.problem)["n"] <= 2048)
    moved = transfer_to(matmul, K20, GTX_980, small, METRICS)
    assert moved.predict(AT).low_s is not None
    found = moved.predict(AT | {"n": 4096.0})
    assert found.beyond == ("n = 4096 is outside of 256 to 2048, which were run on gtx980",)
    assert found.low_s is None


def test_without_a_run_and_without_a_profile_it_is_refused(matmul: StudiedKernel) -> None:
    with pytest.raises(NoTransferError, match="no profile of Tesla K20c"):
        transfer_to(matmul, None, GTX_980, None, METRICS)


def verdict_is(monkeypatch: pytest.MonkeyPatch, verdict: str, tau: float) -> None:
    def said(first: Ranking, second: Ranking) -> Similarity:
        return Similarity(tau, similarity(first, second).shared, verdict)  # type: ignore[arg-type]

    monkeypatch.setattr(counter_transfer, "similarity", said)


def test_rankings_that_are_too_unlike_are_refused(matmul: StudiedKernel, monkeypatch: pytest.MonkeyPatch) -> None:
    verdict_is(monkeypatch, "refuse", -0.3)
    with pytest.raises(NoTransferError, match=r"rank correlation -0\.30"):
        transfer_to(matmul, K20, GTX_980, elsewhere(0.4), METRICS)


def test_a_mixture_knows_both_machines(matmul: StudiedKernel, monkeypatch: pytest.MonkeyPatch) -> None:
    verdict_is(monkeypatch, "mix", 0.4)
    moved = transfer_to(matmul, K20, GTX_980, elsewhere(0.4), METRICS)
    assert moved.transfer is None
    assert set(moved.machine) <= set(CHARACTERISTICS)
    assert moved.machine
    assert moved.predict(AT).time_s == pytest.approx(0.4 * (1e-5 + 2.5e-11 * 2048**3), rel=0.15)


def test_runs_that_do_not_say_their_sizes_are_refused(matmul: StudiedKernel) -> None:
    table = elsewhere(0.4)
    runs = tuple(Run(run.kernel, run.gpu, (), run.time_s, run.block, None) for run in table.runs)
    with pytest.raises(NoTransferError, match="says n"):
        transfer_to(matmul, K20, GTX_980, CounterTable(runs, table.metrics, table.values), METRICS)


def test_characteristics_are_the_papers_table() -> None:
    """Of a K20, which table 2 has as 13 multiprocessors of 192 cores and four schedulers."""
    assert tuple(characteristics(K20)) == CHARACTERISTICS
    found = characteristics(K20)
    assert found["sm_count"] == 13
    assert found["warp_schedulers_per_sm"] == 4
    assert found["fp32_per_cycle_per_sm"] == 192
    assert found["registers_max_per_thread"] == 255
