"""Constants that were fitted to the ledger's measurements, replaced by what is known without them."""

import pytest
from accuracy.ledger.held_out import SIBLINGS, fitted_keys, with_sibling, without_fits
from accuracy.ledger.published import published
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.hwprofiles.loader import load_gpu, load_profile

MEASURED = sorted({one.gpu for one in published()})


def l2_bytes_per_sm_cycle(gpu: Gpu) -> float:
    return gpu.l2.bandwidth_bytes_per_s / (gpu.sm_count * gpu.clock_hz)


@pytest.mark.parametrize("name", MEASURED)
def test_every_fit_of_a_measured_gpu_has_a_value_without_it(name: str) -> None:
    is_fitted = bool(fitted_keys(load_profile(name)))
    assert (without_fits(name) != load_gpu(name)) == is_fitted


def test_a_kepler_that_nobody_measured() -> None:
    gpu = without_fits("gtx680")
    assert (gpu.block_launch_cycles, gpu.l1.lines_per_cycle_per_sm) == (None, 1.0)
    assert gpu.l2.bandwidth_bytes_per_s == pytest.approx(2 * 192.3e9)
    assert gpu.dram.bandwidth_bytes_per_s == pytest.approx(192.3e9 * 174.97 / 192.4)


@pytest.mark.parametrize(("name", "sibling"), SIBLINGS.items())
def test_rates_of_a_sibling_are_those_per_clock(name: str, sibling: str) -> None:
    exchanged, other = with_sibling(name), load_gpu(sibling)
    assert l2_bytes_per_sm_cycle(exchanged) == pytest.approx(l2_bytes_per_sm_cycle(other))
    assert exchanged.l1.lines_per_cycle_per_sm == other.l1.lines_per_cycle_per_sm
    assert exchanged.clock_hz == load_gpu(name).clock_hz
