"""What the models count beside what ncu counted on an H100 and an H200."""

import pytest
from accuracy.counters.runs import OWN
from accuracy.ledger.known_bottlenecks import counted_launches
from accuracy.ledger.own_counts import COUNTERS, count_ratios, own_counts

pytestmark = pytest.mark.long

EXACT = ("load requests", "store requests", "load sectors", "store sectors")
KERNELS = sorted({one.measurement.kernel for one in counted_launches()})


def test_every_launch_of_a_nest_is_there() -> None:
    assert len(counted_launches()) == 924
    found = own_counts()
    assert [(one.kernel, one.gpu) for one in found] == [(kernel, gpu) for kernel in KERNELS for gpu in OWN.values()]
    assert all(set(EXACT) <= set(one.ratios) <= set(COUNTERS) for one in found)


@pytest.mark.parametrize("kernel", KERNELS)
def test_requests_and_sectors_are_those_that_ncu_counts(kernel: str) -> None:
    """Of every launch: coalescing, broadcast, strides, tiles."""
    launches = [one for one in counted_launches() if one.measurement.kernel == kernel]
    assert len(launches) == 84
    for launch in launches:
        ratios = dict(count_ratios(launch))
        for name in EXACT:
            assert ratios[name] == pytest.approx(1.0, abs=0.005), (name, launch.measurement)
