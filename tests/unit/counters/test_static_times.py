"""What Warplens predicts for the runs of a measured kernel, and what it says where it predicts nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from warplens.analysis.advice.measured_runs import MeasuredRuns
from warplens.analysis.engine.memo import Memo
from warplens.analysis.gpu.launch.extent import Extent
from warplens.server.measure.counters.linked_kernel import LinkedKernel
from warplens.server.measure.counters.static_job import StaticTimes, StaticTimesJob
from warplens.server.measure.counters.static_times import static_times
from warplens.server.render.measured_kernel import kernel_sections
from warplens.server.worker.packing import pack

SOURCE = """void scale(int n, int m, float *restrict a, const float *restrict b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i * m + j] = 2 * b[i * m + j];
}
void carried(int n, float *a) {
  for (int i = 1; i < n; i++)
    a[i] += a[i - 1];
}
"""


def runs(block: Extent | None = (32, 8, 1), **problem: float) -> MeasuredRuns:
    return MeasuredRuns(tuple(sorted(problem.items())), block, 1e-3, 3)


def kernel(*measured: MeasuredRuns, profile: str | None = "k20") -> LinkedKernel:
    return LinkedKernel("scale", "Tesla K20c", profile, "name", 9, measured, "", None, "", False, 0.02)


@pytest.fixture(scope="module")
def nests(analyse_c) -> list[bytes]:
    return [
        pack(nest.evaluation, "a100", "server", Memo()).content
        for function in analyse_c(SOURCE).functions
        for nest in function.nests
    ]


def of(packed: bytes, *kernels: LinkedKernel) -> tuple[StaticTimes, ...]:
    return static_times(StaticTimesJob(packed, kernels, (), 10))


def test_times_at_the_measured_sizes(nests: list[bytes]) -> None:
    (found,) = of(nests[0], kernel(runs(n=1024, m=1024), runs(n=4096, m=4096)))
    small, large = found.times_s
    assert small is not None
    assert large is not None
    assert large == pytest.approx(16 * small, rel=0.3)  # sixteen times the bytes
    assert found.source.endswith("profile k20")
    assert found.notes == ()


def test_a_size_that_the_runs_do_not_say_is_taken_from_here(nests: list[bytes]) -> None:
    (found,) = of(nests[0], kernel(runs(n=2048)))
    assert found.times_s[0] is not None
    assert found.notes == ("The runs do not say m = 1024: that is taken from here.",)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        (kernel(runs(k=2048)), "The runs vary k, which this loop does not know: its sizes are m, n."),
        (kernel(runs()), "The runs do not say their sizes (its sizes are m, n): fit them again with -D"),
        (kernel(runs(n=2048), profile=None), "There is no profile of Tesla K20c"),
        (kernel(runs(n=2048), profile="gone"), "There is no profile of Tesla K20c"),
    ],
)
def test_why_nothing_is_predicted(nests: list[bytes], changed: LinkedKernel, why: str) -> None:
    (found,) = of(nests[0], changed)
    assert found.times_s == (None,)
    assert why in found.notes[0]


def test_a_loop_that_is_not_parallel_has_no_kernel(nests: list[bytes]) -> None:
    (found,) = of(nests[1], kernel(runs(n=2048)))
    assert found.notes == ("No loop here is known to be parallel, so no kernel is predicted.",)


def test_a_block_that_the_nest_can_not_have_is_said(nests: list[bytes]) -> None:
    (found,) = of(nests[0], kernel(runs(block=(2, 2, 64), n=2048, m=2048)))
    assert found.notes[0].startswith("Not with the measured block everywhere: ")
    assert found.times_s[0] is not None


def test_one_kernel_that_fails_does_not_take_the_others(nests: list[bytes]) -> None:
    found = of(nests[0], kernel(runs(n=2048, m=64), profile=None), kernel(runs(n=2048, m=64)))
    assert [times.times_s == (None,) for times in found] == [True, False]


def test_the_section_puts_the_asked_gpu_first(nests: list[bytes]) -> None:
    here, there, third = kernel(runs(n=64)), replace(kernel(runs(n=64)), gpu="H100", profile="h100"), kernel(runs(n=64))
    found = kernel_sections((here, there, replace(third, gpu="GTX 980", profile="gtx980")), (), "h100")
    assert [section.title for section in found] == [
        "Measured kernel scale on H100",
        "Measured kernel scale on Tesla K20c",
    ]
    assert "It was measured on GTX 980 too." in found[1].items
    assert found[0].table == (("n", "block", "measured"), ("64", "32x8", "1 ms"))
