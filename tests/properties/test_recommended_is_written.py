"""The time that is shown is that of the kernels which a CUDA port writes: none has a tile that the port refuses."""

from collections.abc import Callable
from pathlib import Path

import pytest
from warplens.analysis.engine.report import Report
from warplens.analysis.models.results.grounds import grounds_of
from warplens.analysis.ports.cuda.plan import PortRefusedError
from warplens.analysis.ports.cuda.port import planned_port
from warplens.analysis.ports.fix import AS_PREDICTED, FixContext

TESTS = Path(__file__).parents[1]
FILES = [
    *sorted((TESTS / "accuracy" / "measured_nests" / "nests").glob("*.c")),
    *sorted((TESTS / "accuracy" / "gpu_day" / "mapped_nests").glob("*.c")),
]


@pytest.mark.long
@pytest.mark.parametrize("gpu", ["a100", "k20"])
def test_a_port_takes_what_is_recommended(gpu: str, analyse_c: Callable[..., Report]) -> None:
    written = 0
    for file in FILES:
        source = file.read_text()
        for function in analyse_c(source, gpu=gpu).functions:
            for nest in function.nests:
                evaluation = nest.evaluation
                if evaluation is None or not evaluation.kernels or not grounds_of(evaluation).carry_numbers:
                    continue
                context = FixContext(
                    evaluation, nest.spans, source, file.name, nest.id, function.span, function.has_one_nest
                )
                try:
                    port = planned_port(context, AS_PREDICTED)
                except PortRefusedError:
                    continue
                shown_s = sum(each.launches * each.prediction.time_s for each in evaluation.kernels)
                overhead_s = evaluation.gpu.host.launch_overhead_s
                assert port.time_s <= 1.1 * shown_s + 0.1 * overhead_s, file.name
                written += 1
    assert written > len(FILES) // 2
