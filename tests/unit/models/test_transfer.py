from dataclasses import replace

import pytest
from warplens.analysis.models.offload.transfer_time import launch_overhead_s, one_time_overhead_s, transfer_time_s
from warplens.hwprofiles.loader import load_gpu


@pytest.mark.parametrize("direction", ["h2d", "d2h"])
def test_nothing_to_copy_takes_no_time(direction: str) -> None:
    for name in ("a100", "gtx460"):
        assert transfer_time_s(0, load_gpu(name).host, direction) == 0.0


def test_without_a_fit_a_copy_takes_latency_and_size_over_bandwidth() -> None:
    link = replace(
        load_gpu("a100").host,
        latency_s=1e-5,
        h2d_bandwidth_bytes_per_s=1e10,
        d2h_bandwidth_bytes_per_s=5e9,
        resios_fit=None,
    )
    assert transfer_time_s(1e9, link, "h2d") == pytest.approx(0.1 + 1e-5)
    assert transfer_time_s(1e9, link, "d2h") == pytest.approx(0.2 + 1e-5)


@pytest.mark.parametrize("name", ["a100", "gtx460"])
def test_a_larger_copy_never_takes_less(name: str) -> None:
    link = load_gpu(name).host
    times = [transfer_time_s(2.0**power, link, "h2d") for power in range(40)]
    assert times == sorted(times)


def test_overheads_of_the_process_and_of_the_launch_are_apart() -> None:
    link = load_gpu("gtx460").host
    assert launch_overhead_s(link, 1000) == pytest.approx(4e-3)
    assert one_time_overhead_s(link) == pytest.approx(65e-3)


def test_launches_that_follow_each_other_take_the_interval_where_it_is_known() -> None:
    """Launching once takes until the host knows of the end; of a thousand the host waits for the last alone."""
    link = replace(load_gpu("a100").host, launch_overhead_s=1e-5, launch_interval_s=2e-6)
    assert launch_overhead_s(link, 1) == 1e-5
    assert launch_overhead_s(link, 1000) == pytest.approx(1e-5 + 999 * 2e-6)
    assert launch_overhead_s(link, 0.5) == 5e-6
    assert launch_overhead_s(replace(link, launch_interval_s=None), 1000) == pytest.approx(1e-2)
