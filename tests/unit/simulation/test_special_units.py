"""Special-function units work beside the others: a warp that is at one leaves the other to its neighbours."""

import pytest
from warplens.analysis.simulation.machine import Machine
from warplens.analysis.simulation.operation import Operation, Trace
from warplens.analysis.simulation.pipelines import simulate_in_turn

WARPS = 32


def _cycles(*operations: Operation) -> float:
    machine = Machine(1, WARPS, WARPS, 1, WARPS)
    return simulate_in_turn(Trace(operations, WARPS, 1), machine).cycles


def _compute(issue: float, special: float) -> Operation:
    return Operation("compute", 1.0, 0.0, (issue, 0.0, 0.0, 0.0), special_cycles=special)


@pytest.mark.parametrize(("issue", "special"), [(3.0, 2.0), (2.0, 3.0), (2.0, 0.0)])
def test_one_computation_takes_as_long_as_its_busier_units(issue: float, special: float) -> None:
    assert _cycles(_compute(issue, special)) == pytest.approx(max(issue, special) * WARPS)


def test_computations_of_different_units_overlap_over_the_warps() -> None:
    conversions, sums = _compute(0.5, 4.0), _compute(3.0, 0.0)
    alone = 4.0 * WARPS
    assert alone <= _cycles(conversions, sums) < alone + 3.0 * WARPS / 4
