"""What-if has the numbers of an analysis with the same sizes, GPU and CPU: the nests of all fixtures, in turn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from support.examples import is_nightly
from warplens.analysis.api import analyse
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions, SizeChoice
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.python_preprocessor import preprocess_in_python
from warplens.analysis.ir.ids import LoopId
from warplens.analysis.models.nest.what_if import Changes, what_if
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.hwprofiles.loader import load_cpu, load_gpu
from warplens.hwprofiles.validation import model_errors

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("no_offers")]

FIXTURES = Path(__file__).parents[1] / "fixtures"
FILES = sorted(FIXTURES.rglob("*.c"))[:: 1 if is_nightly() else 3]
NESTS_OF_A_FILE = 1
"""Another one from file to file; all 1289 take minutes, and were compared when this was written."""
MACHINES = (("k20", "server", 7), ("a100", "desktop", 4096), ("h100", "server", 2000), ("a100", "server", 0))
"""GPU, CPU and the value that every size gets that no comment says; the analysis compared with is of an A100."""


@pytest.mark.parametrize("number", range(len(FILES)), ids=[str(file.relative_to(FIXTURES)) for file in FILES])
def test_sizes_and_machines_asked_for_are_those_of_an_analysis(number: int) -> None:
    source, memo = FILES[number].read_text(), Memo()
    preprocessed = preprocess_in_python("/main.c", source, lambda _path: None, (), ())
    functions = parse_unit(source, preprocessed, memo).functions
    known = [nest.id for function in functions for nest in function.nests]
    start = number % max(1, len(known))
    chosen = [*known[start:], *known[:start]][:NESTS_OF_A_FILE]
    options = AnalysisOptions(skipped=frozenset(known) - frozenset(chosen), model_errors=model_errors())

    def nests(sizes: dict[str, int], gpu: str, cpu: str) -> dict[LoopId, NestEvaluation]:
        choices = tuple(SizeChoice(name, value, "setting") for name, value in sizes.items())
        some = replace(options, sizes=choices)
        report = analyse(source, preprocessed, load_gpu(gpu), load_cpu(cpu), some, memo)
        return {n.id: n.evaluation for function in report.functions for n in function.nests if n.evaluation}

    gpu, cpu, size = MACHINES[number % len(MACHINES)]
    for nest, base in nests({}, "a100", "server").items():
        said = {a.subject for a in base.assumptions if a.kind == "size" and a.origin == "directive"}
        sizes = {name: size for name, _ in base.sizes if name not in said}
        fresh = nests(sizes, gpu, cpu)[nest]
        changes = Changes(tuple(sizes.items()), load_gpu(gpu), load_cpu(cpu))
        found = what_if(base, changes, model_errors())
        assert not found.refusals
        assert numbers(found.evaluation) == numbers(fresh)


def numbers(evaluation: NestEvaluation) -> NestEvaluation:
    """Everything but who said the sizes, the launches beside the recommended one, and what rules say of benefits.

    What a directive could ask for is no part of a what-if.
    """
    assumptions = tuple(
        replace(a, text="", origin="default") if a.kind == "size" else a for a in evaluation.assumptions
    )
    order, plain = (None if one is None else numbers(one) for one in (evaluation.source_order, evaluation.plain))
    kernels = tuple(map(without_others, evaluation.kernels))
    return replace(
        evaluation, assumptions=assumptions, kernels=kernels, source_order=order, row_teams=None, plain=plain
    )


def without_others(kernel: KernelEvaluation) -> KernelEvaluation:
    benefits = tuple(replace(each, finding="", has_fix=False) for each in kernel.benefits)
    return replace(kernel, ranking=None, benefits=benefits)
