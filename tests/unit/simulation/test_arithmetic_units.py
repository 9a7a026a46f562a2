"""Units of an SM work beside each other since Volta, and one after the other before."""

import pytest
from warplens.analysis.facts.program import OP_CLASSES
from warplens.analysis.simulation.arithmetic_units import occupied_together, occupied_units
from warplens.hwprofiles.loader import load_gpu


@pytest.mark.parametrize(("name", "apart"), [("a100", True), ("rtx3080", True), ("gtx980", False), ("mi250x", False)])
def test_integers_run_beside_floats_since_volta(name: str, *, apart: bool) -> None:
    gpu = load_gpu(name)
    units = occupied_units(gpu)
    adds, floats = units["int_add"], units["fp32_fma"]
    together = occupied_together([(adds, 10.0), (floats, 10.0)])
    one_by_one = 10 * (adds.busy + floats.busy)
    slots = 20 / gpu.issue_warps_per_cycle_per_sm
    assert together == pytest.approx(max(10 * adds.busy, 10 * floats.busy, slots) if apart else one_by_one)


@pytest.mark.parametrize("name", ["a100", "h100", "rtx3080", "k20", "mi250x"])
def test_nothing_is_faster_than_its_unit_or_the_issue_slots(name: str) -> None:
    gpu = load_gpu(name)
    units = occupied_units(gpu)
    assert set(units) == set(OP_CLASSES)
    for op in OP_CLASSES:
        own = gpu.warp_size_threads / gpu.timing(op).results_per_cycle_per_sm
        assert max(units[op].busy, units[op].special) >= min(own, units[op].busy) > 0


def test_conversions_of_doubles_are_as_slow_as_doubles_where_those_are_rare() -> None:
    rare, common = load_gpu("rtx3080"), load_gpu("a100")
    assert rare.timing("convert64").results_per_cycle_per_sm == rare.timing("fp64_add").results_per_cycle_per_sm
    assert common.timing("convert64").results_per_cycle_per_sm == common.timing("convert").results_per_cycle_per_sm
    assert "convert64" in common.special_unit_ops
    assert "convert64" not in rare.special_unit_ops
