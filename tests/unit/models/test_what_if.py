"""What-if from an evaluation: equal to an evaluation made so, and pinned launches as the models cost them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import pytest
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.models.choice.compare_models import PREDICT
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.analysis.models.nest.evaluate_nest import evaluate_nest
from warplens.analysis.models.nest.what_if import Changes, WhatIf, what_if
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.launch_pin import LaunchPin
from warplens.analysis.workload.kernels.kernel_at import kernel_at
from warplens.hwprofiles.loader import load_cpu, load_gpu
from warplens.hwprofiles.validation import model_errors

FactsOf = Callable[[str], NestFacts]
GPU, CPU = load_gpu("a100"), load_cpu("server")
SIZES = {"n": 1024, "t": 3}
TWO_KERNELS = """void f(int n, const float *restrict a, float *restrict b, float *restrict c) {
 for (int t = 0; t < 10; t++) {
  for (int i = 1; i < n - 1; i++) b[i] = a[i-1] + a[i] + a[i+1];
  for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++) c[i*n+j] = 0.5f * c[i*n+j] + a[i];
 } }"""


def evaluated(facts: NestFacts, sizes: dict[str, int], gpu: str = "a100", cpu: str = "server") -> NestEvaluation:
    known = {name: sizes[name] for name in facts.parameters}
    return evaluate_nest(facts, known, load_gpu(gpu), load_cpu(cpu), model_errors())


def asked(base: NestEvaluation, **changes: Any) -> WhatIf:
    return what_if(base, Changes(**changes), model_errors())


def without(evaluation: NestEvaluation, said: Sequence[Assumption]) -> NestEvaluation:
    """Without what is said of sizes, and without what a directive could ask for, which is no part of a what-if."""
    order, plain = (None if one is None else without(one, said) for one in (evaluation.source_order, evaluation.plain))
    kept = tuple(a for a in evaluation.assumptions if a not in said)
    return replace(evaluation, assumptions=kept, source_order=order, row_teams=None, plain=plain)


def test_nothing_changed_is_the_base_itself(some_facts: NestFacts) -> None:
    base = evaluated(some_facts, SIZES)
    assert asked(base).evaluation is base
    assert asked(base, sizes=base.sizes, gpu=GPU, cpu=CPU).evaluation is base


@pytest.mark.parametrize(
    ("n", "gpu", "cpu"), [(4096, "a100", "server"), (1024, "k20", "server"), (100, "h100", "desktop")]
)
def test_other_sizes_and_machines_are_an_evaluation_at_them(some_facts: NestFacts, n: int, gpu: str, cpu: str) -> None:
    base = evaluated(some_facts, SIZES)
    sizes = {name: n if name == "n" else value for name, value in base.sizes}
    found = asked(base, sizes=tuple(sizes.items()), gpu=load_gpu(gpu), cpu=load_cpu(cpu)).evaluation
    fresh = evaluated(some_facts, {**SIZES, "n": n}, gpu, cpu)
    said = [a for a in found.assumptions if a.origin == "what-if"]
    assert [(a.subject, a.value) for a in said] == ([("n", n)] if n != 1024 else [])
    assert without(found, said) == without(fresh, ())


def test_the_recommended_launch_pinned_changes_nothing(some_facts: NestFacts) -> None:
    base = evaluated(some_facts, SIZES)
    launch = base.kernels[0].prediction.launch
    outputs = prod(launch.outputs_per_thread)
    assert asked(base, pin=LaunchPin(launch.block, outputs)).evaluation is base
    arrays = tuple(choice.array for choice in launch.shared)
    assert asked(base, pin=LaunchPin(launch.block, outputs, arrays)).evaluation is base
    assert (asked(base, pin=LaunchPin(launch.block)).evaluation is base) == (outputs == 1)


@pytest.mark.parametrize("gpu", ["a100", "k20"])
@pytest.mark.parametrize("block", [(256, 1, 1), (32, 8, 1), (16, 16, 1), (20, 3, 1), (7, 1, 1)])
@pytest.mark.parametrize("work", [None, 1, 4])
def test_a_pinned_launch_is_as_every_model_says(
    matmul: NestFacts, block: tuple[int, int, int], gpu: str, work: int | None
) -> None:
    base = evaluated(matmul, SIZES, gpu)
    found = asked(base, pin=LaunchPin(block, work))
    assert not found.refusals
    (kernel,) = found.evaluation.kernels
    prediction = kernel.prediction
    assert prediction.launch.block == block
    assert prod(prediction.launch.outputs_per_thread) == (work or 1)
    case = kernel_on_gpu(SizedKernel(kernel_at(kernel.kernel, SIZES), SIZES), prediction.launch, load_gpu(gpu))
    assert prediction == PREDICT[prediction.model](case)
    offload = found.evaluation.offload
    assert offload is not None
    assert offload.kernels_s == prediction.time_s
    assert base.offload is not None
    assert offload.transfer_in_s == base.offload.transfer_in_s


def test_a_pinned_launch_has_the_time_that_the_search_gave_it(matmul: NestFacts) -> None:
    base = evaluated(matmul, SIZES, "k20")
    ranking = base.kernels[0].ranking
    assert ranking is not None
    for entry in (ranking.best, ranking.one_output, ranking.unstaged):
        assert entry is not None
        launch = entry.launch
        arrays = tuple(choice.array for choice in launch.shared)
        pin = LaunchPin(launch.block, prod(launch.outputs_per_thread), arrays)
        found = asked(base, pin=pin).evaluation.kernels[0].prediction
        if found.launch == launch:
            assert found.time_s == pytest.approx(entry.time_s, rel=1e-9)
        else:  # the same number of outputs the other way round, which is then no slower
            assert prod(found.launch.outputs_per_thread) == prod(launch.outputs_per_thread)
            assert found.time_s <= entry.time_s * 1.01


def test_exactly_the_pinned_arrays_are_staged(matmul: NestFacts) -> None:
    base = evaluated(matmul, SIZES)
    for arrays in ((), ("a",), ("b",), ("a", "b")):
        found = asked(base, pin=LaunchPin(shared=arrays))
        assert not found.refusals
        launch = found.evaluation.kernels[0].prediction.launch
        assert {choice.array for choice in launch.shared} == set(arrays)
        assert launch.outputs_per_thread == (1, 1, 1)


def messages(found: WhatIf) -> list[str]:
    return [f"{each.change}: {each.message}" for each in found.refusals]


def test_what_a_launch_can_not_be_is_said_and_left_out(matmul: NestFacts) -> None:
    base = evaluated(matmul, SIZES)
    pinned = {
        LaunchPin(block=(64, 32, 1)): ["block: a block of 2048 threads is too large: the A100 SXM4 40 GB allows 1024"],
        LaunchPin(block=(8, 8, 4)): ["block: threads lie along 2 loops here"],
        LaunchPin(work_per_thread=7): ["workPerThread: a thread of this loop can have 1, 2, 3, 4,"],
        LaunchPin(shared=("q",)): ["shared: there is no array `q` in this loop, its arrays are `a`, `b`, `c`"],
        LaunchPin(shared=("c",)): ["shared: `c` is written in the loop"],
        LaunchPin((32, 1, 1), shared=("b",)): ["shared: staging `b` would save nothing"],
        LaunchPin((32, 32, 1), 256): ["block: 1024 threads with"],
    }
    for pin, expected in pinned.items():
        found = asked(base, pin=pin)
        assert [said[: len(start)] for said, start in zip(messages(found), expected, strict=True)] == expected


def test_an_array_that_can_not_be_staged_leaves_the_block_as_asked(matmul: NestFacts) -> None:
    base = evaluated(matmul, SIZES)
    found = asked(base, pin=LaunchPin((16, 16, 1), shared=("q", "a")))
    assert [each.change for each in found.refusals] == ["shared"]
    launch = found.evaluation.kernels[0].prediction.launch
    assert launch.block == (16, 16, 1)
    assert [choice.array for choice in launch.shared] == ["a"]


def test_of_several_kernels_one_can_be_pinned_and_a_refusal_names_its_kernel(facts_of: FactsOf) -> None:
    facts = facts_of(TWO_KERNELS)
    base = evaluated(facts, {"n": 1000})
    assert len(base.kernels) == 2
    both = asked(base, pin=LaunchPin(block=(16, 16, 1)))
    assert messages(both) == ["block: kernel 1: threads lie along one loop here: a block has 1 extent"]
    assert both.evaluation.kernels[0] is base.kernels[0]
    assert both.evaluation.kernels[1].prediction.launch.block == (16, 16, 1)
    first = asked(base, pin=LaunchPin(block=(96, 1, 1)), kernel=0)
    assert not first.refusals
    assert first.evaluation.kernels[0].prediction.launch.block == (96, 1, 1)
    assert first.evaluation.kernels[1] is base.kernels[1]


def test_a_sequential_nest_has_its_cpu_times_at_other_sizes(prefix: NestFacts) -> None:
    base = evaluated(prefix, SIZES)
    found = asked(base, sizes=(("n", 2048),)).evaluation
    assert found.offload is None
    assert found.cpu_time == evaluated(prefix, {"n": 2048, "t": 3}).cpu_time
