"""What may stand in the lines of a nest, and which of it does by default."""

from dataclasses import replace

import pytest
from warplens.analysis.facts.verdict import Dependence, LoopVerdict
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.promises.independent import Independent
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.prediction import Hotspot
from warplens.server.render.loop_hints import LoopHint, loop_hints

ROOT, STATEMENT, READ = NodeId(0), NodeId(1), NodeId(3)
"""Of `evaluation`: its loop, what it does, and where it reads `x[i]`."""


def with_hotspots(evaluation: NestEvaluation, *hotspots: Hotspot, **changes: object) -> NestEvaluation:
    (kernel,) = evaluation.kernels
    prediction = replace(kernel.prediction, hotspots=hotspots, **changes)
    return replace(evaluation, kernels=(replace(kernel, prediction=prediction),))


def sequential(evaluation: NestEvaluation, verdict: LoopVerdict, one_core_s: float = 1.0) -> NestEvaluation:
    return replace(
        evaluation,
        kernels=(),
        offload=None,
        facts=replace(evaluation.facts, verdicts=(verdict,), kernels=()),
        cpu_time=replace(evaluation.cpu_time, one_core_s=one_core_s),
    )


def carried(kind: str, distance: int | None) -> LoopVerdict:
    dependence = Dependence(kind, "y'2", STATEMENT, READ, ROOT, (ROOT,), ("<",), (distance,))
    return LoopVerdict(ROOT, "carried", dependences=(dependence,))


def test_the_hotspot_is_shown_and_the_loop_s_place_on_request(evaluation) -> None:
    hot, header = loop_hints(evaluation)
    assert (hot.node, hot.label, hot.is_main) == (READ, "hotspot: 60 % of time", True)
    assert hot.tooltip.startswith("Reading `x[i]`: 60 % of the kernel's time")
    assert (header.node, header.is_main) == (ROOT, False)


def test_equal_accesses_of_a_statement_are_added_up_and_cool_ones_left_out(evaluation) -> None:
    two = (Hotspot(READ, STATEMENT, 10.0, 0.06), Hotspot(READ, STATEMENT, 10.0, 0.05))
    assert loop_hints(with_hotspots(evaluation, *two))[0].label == "hotspot: 11 % of time"
    assert not any(hint.is_main for hint in loop_hints(with_hotspots(evaluation, two[0])))
    spill = Hotspot(None, STATEMENT, 10.0, 0.9)
    assert not any(hint.is_main for hint in loop_hints(with_hotspots(evaluation, spill)))


def test_a_kernel_shorter_than_its_launch_has_no_hotspot_and_one_without_work_nothing(evaluation) -> None:
    short = with_hotspots(evaluation, Hotspot(READ, STATEMENT, 10.0, 0.9), bound_by="launch overhead")
    assert not any(hint.is_main for hint in loop_hints(short))
    idle = replace(evaluation, offload=replace(evaluation.offload, one_core_s=0.0))
    assert loop_hints(idle) == ()


@pytest.mark.parametrize(
    ("verdict", "label"),
    [
        (carried("flow", 1), "sequential: needs y of iteration i - 1"),
        (carried("flow", 4), "sequential: needs y of iteration i - 4"),
        (carried("flow", None), "sequential: needs y of an earlier one"),
        (carried("anti", 1), "sequential: iteration i - 1 reads y first"),
        (carried("output", None), "sequential: an earlier one writes y first"),
        (LoopVerdict(ROOT, "unknown", reason="`f` is not known"), "sequential: not known to be parallel"),
        (
            LoopVerdict(ROOT, "unknown", conditions=(Independent("f"),), under_conditions="parallel"),
            "sequential: parallel if you promise it",
        ),
    ],
)
def test_what_keeps_a_loop_sequential_is_said_in_few_words(evaluation, verdict: LoopVerdict, label: str) -> None:
    (hint,) = loop_hints(sequential(evaluation, verdict))
    assert (hint.node, hint.label, hint.is_main) == (ROOT, label, True)
    assert isinstance(hint, LoopHint)


def test_a_loop_that_counts_down_by_two_needs_what_stands_above(evaluation) -> None:
    nest = evaluation.facts.nest
    down = replace(nest, root=replace(nest.root, step=-2))
    turned = replace(evaluation, facts=replace(evaluation.facts, nest=down))
    (hint,) = loop_hints(sequential(turned, carried("flow", 1)))
    assert hint.label == "sequential: needs y of iteration i + 2"


def test_a_loop_shorter_than_any_launch_is_left_in_peace(evaluation) -> None:
    launch_s = evaluation.gpu.host.launch_overhead_s
    assert loop_hints(sequential(evaluation, carried("flow", 1), launch_s * 0.9)) == ()
    assert loop_hints(sequential(evaluation, carried("flow", 1), launch_s * 1.1)) != ()
