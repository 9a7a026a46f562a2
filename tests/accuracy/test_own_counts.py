"""What the models count beside what ncu counted on an H100 and an H200."""

import pytest
from accuracy.ledger.known_bottlenecks import GPUS, counted_launches
from accuracy.ledger.own_counts import COUNTERS, CountErrors, own_counts

FOUND = own_counts()


def test_every_launch_of_a_nest_is_there() -> None:
    assert len(counted_launches()) == 924
    assert {(one.kernel, one.gpu) for one in FOUND} == {(one.kernel, gpu) for one in FOUND for gpu in GPUS}
    assert len(FOUND) == 22


@pytest.mark.parametrize("one", FOUND, ids=lambda one: f"{one.kernel}-{one.gpu}")
def test_requests_and_sectors_are_those_that_ncu_counts(one: CountErrors) -> None:
    """The analysis of accesses is exact on all of these kernels: coalescing, broadcast, strides, tiles."""
    for name in ("load requests", "store requests", "load sectors", "store sectors"):
        assert one.ratios[name] == pytest.approx(1.0, abs=0.005), name
    assert set(one.ratios) <= set(COUNTERS)
