"""`linked_benefits`: each bottleneck with the finding on this kernel that speaks of it."""

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations

import pytest
from warplens.analysis.advice.benefit_findings import RULES_OF, linked_benefits, with_gains
from warplens.analysis.advice.catalogue import RULES, findings
from warplens.analysis.engine.report import Report
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.gpuperf.gpuperf_benefits import benefits
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.analysis.models.results.benefit import MOST_GAIN
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.hwprofiles.loader import load_gpu
from warplens.server.render.brief_card import brief_card

ROWS = """void f(int n, const float *restrict a, float *restrict c) {
 for (int i = 0; i < n; i++) { float s = 0; for (int k = 0; k < n; k++) s = s / 2 + a[i*n+k]; c[i] = s; } }"""
BRANCH = """void f(int n, const float *restrict a, float *restrict c) { for (int i = 0; i < n; i++) { float x = a[i];
 if (x > 0) { for (int k = 0; k < 100; k++) x = x * x + 2; } else { for (int k = 0; k < 100; k++) x = x * x * x + 3; }
 c[i] = x; } }"""


@pytest.fixture
def evaluated(analyse_c: Callable[..., Report]) -> Callable[[str], NestEvaluation]:
    """The nest of a C function, its benefits as they are before findings are linked to them."""

    def evaluate(source: str) -> NestEvaluation:
        evaluation = analyse_c(source, gpu="k20").functions[0].nests[0].evaluation
        assert evaluation is not None
        plain = evaluation.with_one_output
        return replace(plain, kernels=tuple(with_benefits(kernel, plain) for kernel in plain.kernels))

    return evaluate


def with_benefits(kernel: KernelEvaluation, evaluation: NestEvaluation) -> KernelEvaluation:
    case = kernel_on_gpu(SizedKernel(kernel.kernel, dict(evaluation.sizes)), kernel.prediction.launch, load_gpu("k20"))
    return replace(kernel, benefits=benefits(case))


def test_uncoalesced_access_is_the_finding_about_it(evaluated: Callable[[str], NestEvaluation]) -> None:
    evaluation = evaluated(ROWS)
    best = linked_benefits(evaluation.kernels[0], findings(evaluation), frozenset())[0]
    assert (best.cause, best.finding, best.has_fix) == ("uncoalesced", "WL201", False)


def test_divergence_has_a_fix_where_the_editor_has_one(evaluated: Callable[[str], NestEvaluation]) -> None:
    evaluation = evaluated(BRANCH)
    best = linked_benefits(evaluation.kernels[0], findings(evaluation), {"WL402"})[0]
    assert (best.cause, best.finding, best.has_fix) == ("divergence", "WL402", True)


def test_a_disabled_rule_gives_way_to_the_next_or_to_none(evaluated: Callable[[str], NestEvaluation]) -> None:
    evaluation = evaluated(ROWS)
    kernel = evaluation.kernels[0]
    without = linked_benefits(kernel, findings(evaluation, {"WL201"}), frozenset())[0]
    assert without.finding == "WL202"
    assert linked_benefits(kernel, (), {"WL201"}) == kernel.benefits


def test_findings_on_other_kernels_do_not_count(evaluated: Callable[[str], NestEvaluation]) -> None:
    evaluation = evaluated(ROWS)
    elsewhere = [replace(finding, node=NodeId(10**6)) for finding in findings(evaluation)]
    assert linked_benefits(evaluation.kernels[0], elsewhere, frozenset()) == evaluation.kernels[0].benefits


@pytest.mark.parametrize("share", [0.6, 0.985, 1.0])
def test_hover_and_message_claim_the_same_gain(share: float, evaluated: Callable[[str], NestEvaluation]) -> None:
    found = evaluated(ROWS)
    (kernel,) = found.kernels
    small = replace(kernel.benefits[0], share=0.3, finding="WL201")
    large = replace(small, kind="memory parallelism", cause="uncoalesced", share=share)
    for benefits_ in permutations((small, large)):
        evaluation = replace(found, kernels=(replace(kernel, benefits=benefits_),))
        rows = dict(brief_card(evaluation, evaluation.facts.nest.root.id, lambda _: 1).rows)
        (message,) = (each.message for each in with_gains(evaluation, findings(evaluation)) if each.code == "WL201")
        said = rows["would help"].rpartition("(up to ")[2].rstrip(")")
        assert f"up to {said} faster" in message
        assert float(said.rstrip("x")) <= MOST_GAIN


def test_the_codes_are_rules() -> None:
    assert {code for codes in RULES_OF.values() for code in codes} <= {rule.code for rule in RULES}
