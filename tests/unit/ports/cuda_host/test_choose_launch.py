"""Which launch is written: the predicted one if that can be done, else the next; what is wished, or why not."""

from dataclasses import replace

import pytest
from support.fix_fixtures.contexts import contexts
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.ports.cuda.choose_launch import choose_launch, launch_text, predicted_time_s, prediction_of
from warplens.analysis.ports.cuda.plan import PortRefusedError
from warplens.analysis.ports.fix import AS_PREDICTED, FixContext, LaunchWish
from warplens.analysis.ports.guessed_grid import ported_threads

GEMM = """
// warplens: n = 1024
void gemm(int n, float c[n][n], float a[n][n], float b[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}
"""
DOT = "double dot(int n, double *x) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }"


GUESSED = GEMM.partition("1024")[2]


@pytest.fixture(scope="module")
def gemm(analyse_c) -> FixContext:
    (context,) = contexts(GEMM, analyse_c(GEMM))
    return context


def _written(launch: LaunchConfig) -> None:
    """Writes any launch."""


def _refuse_staging(launch: LaunchConfig) -> None:
    if launch.shared:
        raise PortRefusedError("nothing can be staged")


def _refuse_all_but_plain(launch: LaunchConfig) -> None:
    if launch.shared or launch.outputs_per_thread != (1, 1, 1):
        raise PortRefusedError("no")


def test_the_best_launch_is_written(gemm: FixContext) -> None:
    kernel = gemm.evaluation.kernels[0]
    chosen = choose_launch(gemm.evaluation, kernel, AS_PREDICTED, _written)
    assert chosen.launch == kernel.ranking.best.launch
    assert chosen.launch.shared
    assert (chosen.passed_over, chosen.is_wished) == ("", False)


@pytest.mark.parametrize("write", [_refuse_staging, _refuse_all_but_plain])
def test_what_cannot_be_written_is_passed_over(write, gemm: FixContext) -> None:
    kernel = gemm.evaluation.kernels[0]
    chosen = choose_launch(gemm.evaluation, kernel, AS_PREDICTED, write)
    write(chosen.launch)
    assert "is predicted faster, but" in chosen.passed_over
    assert chosen.time_s <= kernel.ranking.unstaged.time_s


@pytest.mark.parametrize("write", [_written, _refuse_staging, _refuse_all_but_plain])
def test_no_launch_is_written_for_a_size_that_is_guessed(write, analyse_c) -> None:
    (context,) = contexts(GUESSED, analyse_c(GUESSED))
    kernel = context.evaluation.kernels[0]
    chosen = choose_launch(context.evaluation, kernel, AS_PREDICTED, write)
    assert chosen.launch.threads_per_block == ported_threads(kernel) == 256
    best = kernel.ranking.best.launch
    assert best.threads_per_block not in {128, 256}
    assert chosen.passed_over.endswith("is best for a guessed size only, 256 threads suit any")


def test_where_not_even_the_plain_launch_can_be_written_the_reason_is_given(gemm: FixContext) -> None:
    def refuse(launch: LaunchConfig) -> None:
        raise PortRefusedError("never")

    with pytest.raises(PortRefusedError, match="never"):
        choose_launch(gemm.evaluation, gemm.evaluation.kernels[0], AS_PREDICTED, refuse)


def test_a_launch_slower_than_the_plain_one_is_not_written(gemm: FixContext) -> None:
    kernel = gemm.evaluation.kernels[0]
    ranking = kernel.ranking
    slow = [replace(one, time_s=2 * ranking.unstaged.time_s) for one in ranking.ranked if one.launch.shared]
    kernel = replace(kernel, ranking=replace(ranking, ranked=tuple(slow), one_output=None))
    chosen = choose_launch(gemm.evaluation, kernel, AS_PREDICTED, _written)
    assert chosen.launch == ranking.unstaged.launch


def test_a_wish_is_written_with_its_predicted_time(gemm: FixContext) -> None:
    kernel = gemm.evaluation.kernels[0]
    wish = LaunchWish((16, 16, 1), (1, 2, 1), ("b", "a"))
    chosen = choose_launch(gemm.evaluation, kernel, wish, _written)
    assert (chosen.launch.block, chosen.launch.outputs_per_thread) == ((16, 16, 1), (1, 2, 1))
    assert [choice.array for choice in chosen.launch.shared] == ["b", "a"]
    assert all(choice.size_bytes > 0 for choice in chosen.launch.shared)
    assert chosen.time_s == predicted_time_s(gemm.evaluation, kernel, chosen.launch)
    assert chosen.time_s == pytest.approx(prediction_of(gemm.evaluation, kernel, chosen.launch).time_s)
    plain = choose_launch(gemm.evaluation, kernel, LaunchWish((16, 16, 1), (1, 1, 1), ()), _written)
    assert plain.launch == LaunchConfig((16, 16, 1))
    assert plain.time_s > chosen.time_s
    assert launch_text(chosen.launch) == "block 16x16, 2 outputs per thread, tile of b and a"


def test_a_ranked_launch_is_wished_for_with_its_ranked_time(gemm: FixContext) -> None:
    kernel = gemm.evaluation.kernels[0]
    best = kernel.ranking.best
    names = tuple(choice.array for choice in best.launch.shared)
    wish = LaunchWish(best.launch.block, best.launch.outputs_per_thread, names)
    assert choose_launch(gemm.evaluation, kernel, wish, _written).time_s == pytest.approx(best.time_s, rel=0.02)


@pytest.mark.parametrize(
    ("wish", "reason"),
    [
        (LaunchWish((64, 32, 1)), "a block of 2048 threads is too large: A100 SXM4 40 GB runs 1024"),
        (LaunchWish((0, 8, 1)), "every extent is 1 or more"),
        (LaunchWish((8, 8, 2)), "the threads lie along 2 loops only"),
        (LaunchWish(outputs_per_thread=(1, 1, 2)), "the threads lie along 2 loops only"),
        (LaunchWish(shared=("d",)), "there is no array `d` to stage: the loop uses `a`, `b`, `c`"),
        (LaunchWish(shared=("c",)), "`c` can't be staged"),
        (LaunchWish((32, 32, 1), (16, 32, 1), ("a", "b")), "bytes of shared memory"),
    ],
)
def test_a_wish_that_cannot_be_fulfilled_is_refused(wish: LaunchWish, reason: str, gemm: FixContext) -> None:
    with pytest.raises(PortRefusedError, match=reason.replace("(", r"\(")):
        choose_launch(gemm.evaluation, gemm.evaluation.kernels[0], wish, _written)


def test_one_loop_has_one_axis(analyse_c) -> None:
    (context,) = contexts(DOT, analyse_c(DOT))
    with pytest.raises(PortRefusedError, match="the threads lie along one loop only"):
        choose_launch(context.evaluation, context.evaluation.kernels[0], LaunchWish((32, 8, 1)), _written)
