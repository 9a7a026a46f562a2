"""CPU time of a nest's break-even, the sizes it looks at, and the longest single size; printed, not asserted.

Run: python tests/bench/bench_break_even.py
"""

from __future__ import annotations

import gc
from statistics import median
from time import process_time

from generated_source import c_source
from warplens.analysis.models.nest.evaluate_nest import evaluate_nest
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.sizes.break_even import BreakEven, break_even_steps
from warplens.hwprofiles.validation import model_errors
from warplens.server.settings.settings import Settings
from warplens.server.worker.analyse_document import Remembered, analyse_document
from warplens.server.worker.child import collect_seldom
from warplens.server.worker.job import AnalysisJob
from warplens.server.worker.packing import unpack

ROUNDS = 5


def evaluations(text: str, settings: Settings) -> list[NestEvaluation]:
    """Of the nests with a kernel."""
    answer = analyse_document(AnalysisJob("/nowhere/bench.c", text, settings, ()), Remembered())
    found = [unpack(nest.packed) for function in answer.functions for nest in function.nests if nest.packed]
    return [each for each in found if each.kernels]


def sought(evaluation: NestEvaluation) -> tuple[float, float, BreakEven | None]:
    """Milliseconds of all steps and of the longest one, and what came of them."""
    steps, each_ms = break_even_steps(evaluation), []
    gc.collect()
    while True:
        started = process_time()
        try:
            next(steps)
        except StopIteration as end:
            each_ms.append(1e3 * (process_time() - started))
            return sum(each_ms), max(each_ms), end.value
        each_ms.append(1e3 * (process_time() - started))


def measure(gpu: str) -> None:
    """The eight kinds of nests of the generated file."""
    total_ms = []
    for evaluation in evaluations(c_source(8, 100), Settings(gpu=gpu)):
        rounds = [sought(evaluation) for _ in range(ROUNDS)]
        whole_ms = min(whole for whole, _, _ in rounds)
        longest_ms = min(longest for _, longest, _ in rounds)
        searched = []
        for _ in range(ROUNDS):
            started = process_time()
            evaluate_nest(evaluation.facts, dict(evaluation.sizes), evaluation.gpu, evaluation.cpu, model_errors())
            searched.append(1e3 * (process_time() - started))
        found = rounds[0][2]
        if found is None:
            continue
        looked = len(found.curve.sizes)
        total_ms.append(whole_ms)
        print(
            f"{gpu} {found.name} of {', '.join(evaluation.facts.parameters)}: {whole_ms:.0f} ms for {looked} sizes "
            f"({whole_ms / looked:.1f} ms each, the longest {longest_ms:.0f} ms); evaluate_nest {min(searched):.0f} ms"
            f"; wins from {', '.join(str(wins.size) for wins in found.wins)}"
        )
    print(f"{gpu}: median {median(total_ms):.0f} ms per nest, most {max(total_ms):.0f} ms")


if __name__ == "__main__":
    collect_seldom()
    for name in ("a100", "k20"):
        measure(name)
