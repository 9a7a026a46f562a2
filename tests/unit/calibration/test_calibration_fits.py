"""Fits recover what synthetic series (NOT measurements) were made from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warplens.hwprofiles.calibrate.fits.affine_transfer import affine_transfer
from warplens.hwprofiles.calibrate.fits.chain_slope import chain_slope

LINKS = (64, 128, 256, 512, 1024)
SIZES = tuple(4.0**power for power in range(5, 15))


@given(st.floats(1, 1000), st.floats(0, 500), st.lists(st.floats(-0.01, 0.01), min_size=5, max_size=5))
def test_a_chain_gives_its_latency_within_the_noise(latency: float, overhead: float, noise: list[float]) -> None:
    times = [(overhead + latency * n) * (1 + off) for n, off in zip(LINKS, noise, strict=True)]
    found = chain_slope(LINKS, times)
    # Slope's error: noise of 1 % of the whole, weighted by least squares over these lengths.
    assert found.per_link == pytest.approx(latency, abs=0.02 * (latency + overhead / 256))


@given(st.floats(1e-6, 1e-4), st.floats(1e9, 1e11))
def test_a_copy_gives_latency_and_bandwidth(latency_s: float, bandwidth: float) -> None:
    found = affine_transfer(SIZES, [latency_s + size / bandwidth for size in SIZES])
    assert found.latency_s == pytest.approx(latency_s, rel=1e-6)
    assert found.bandwidth_bytes_per_s == pytest.approx(bandwidth, rel=1e-6)
    assert found.residual.largest < 1e-6


def test_a_point_off_the_line_shows_in_the_residual() -> None:
    assert chain_slope(LINKS, [4.0 * n for n in LINKS[:-1]] + [8192.0]).residual.largest > 0.3


@pytest.mark.parametrize(("links", "times"), [((64, 64), (1, 2)), ((64, 128), (200, 100)), ((), ())])
def test_no_slope(links: tuple[float, ...], times: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="chain"):
        chain_slope(links, times)


@pytest.mark.parametrize(("sizes", "times"), [((1, 1), (1, 1)), ((1, 2), (0, 1)), ((1, 2), (2, 1))])
def test_no_transfer(sizes: tuple[float, ...], times: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="latency"):
        affine_transfer(sizes, times)
