"""Times at another size: the evaluation's own at its size, and what a fresh evaluation has elsewhere."""

from dataclasses import replace

import pytest
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.models.choice.time_range import kernels_range
from warplens.analysis.models.launches.launch_search import TOLERANCE
from warplens.analysis.models.nest.evaluate_nest import evaluate_nest
from warplens.analysis.models.sizes.times_at_size import times_at
from warplens.hwprofiles.loader import load_cpu, load_gpu
from warplens.hwprofiles.validation import model_errors


@pytest.mark.parametrize("gpu", ["a100", "k20", "rtx2080ti"])
@pytest.mark.parametrize("n", [1, 30, 1000, 4096])
def test_at_its_own_size_they_are_those_that_are_shown(some_facts: NestFacts, gpu: str, n: int) -> None:
    made = evaluate_nest(some_facts, {"n": n, "t": 5}, load_gpu(gpu), load_cpu("server"), model_errors())
    assert made.offload is not None
    found = times_at(made, {})
    assert found.offload == made.offload
    assert found.kernels == kernels_range(made)
    assert times_at(made, dict(made.sizes)) == found
    # Without the offload to take them from they are worked out, and differ by what launches predicted alike do.
    again = times_at(replace(made, offload=None), {}).offload
    assert replace(again, kernels_s=made.offload.kernels_s) == made.offload
    assert made.offload.kernels_s / (1 + 2 * TOLERANCE) <= again.kernels_s <= made.offload.kernels_s


def test_elsewhere_all_but_the_launch_is_that_of_an_evaluation_there(some_facts: NestFacts) -> None:
    here, there = (
        evaluate_nest(some_facts, {"n": n, "t": 5}, load_gpu("a100"), load_cpu("server"), model_errors())
        for n in (1000, 7001)
    )
    found = times_at(here, {"n": 7001})
    assert there.offload is not None
    assert found.offload.one_core_s == there.offload.one_core_s
    assert found.offload.all_cores_s == there.offload.all_cores_s
    assert found.offload.transfer_in_s == there.offload.transfer_in_s
    assert found.offload.transfer_out_s == there.offload.transfer_out_s
    assert found.offload.launch_overhead_s == there.offload.launch_overhead_s
    # The best launch of that size may be faster, never much slower.
    assert there.offload.kernels_s <= 1.05 * found.offload.kernels_s
    assert found.offload.kernels_s <= 1.5 * there.offload.kernels_s
