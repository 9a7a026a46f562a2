"""Whether a nest is worth porting: one word for each case, held against the best of the CPU."""

from dataclasses import replace

import pytest
from warplens.analysis.advice.stakes import ANY_FILE, Stake, stake_of, together, total_gain_s, total_now_s
from warplens.analysis.advice.worth import Word, runs_on, worth_of
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.loop_directive import LoopDirective
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.sizes.break_even import BreakEven, Cores, WinsFrom
from warplens.analysis.models.sizes.size_curve import SizeCurve

RESIDENT_S, COPIED_S = 1e-3, 4e-3
"""Of the GPU in all cases here."""


@pytest.fixture
def nest(evaluation: NestEvaluation) -> NestEvaluation:
    """One kernel, no error of its model, every size said."""
    assert evaluation.offload is not None
    launch_s = evaluation.offload.launch_overhead_s
    offload = replace(
        evaluation.offload,
        kernels_s=RESIDENT_S - launch_s,
        host_s=0.0,
        transfer_in_s=(COPIED_S - RESIDENT_S) / 2,
        transfer_out_s=(COPIED_S - RESIDENT_S) / 2,
    )
    said = tuple(replace(each, origin="directive") for each in evaluation.assumptions)
    return replace(evaluation, offload=offload, assumptions=said)


def on_cpu(nest: NestEvaluation, one_core_s: float, all_cores_s: float) -> NestEvaluation:
    return replace(nest, cpu_time=replace(nest.cpu_time, one_core_s=one_core_s, all_cores_s=all_cores_s))


def under(nest: NestEvaluation, words: str, language: str = "omp") -> NestEvaluation:
    """The nest below a directive."""
    directive = LoopDirective(NodeId(9), language, words, "threads", frozenset(), (), "variables")  # type: ignore[arg-type]
    inner = replace(nest.facts.nest, root=replace(nest.facts.nest.root, directive=directive))
    return replace(nest, facts=replace(nest.facts, nest=inner))


@pytest.mark.parametrize(
    ("one_core_s", "all_cores_s", "word"),
    [
        (1.0, 10e-3, "worth it"),  # 10 times faster, 2.5 with copies
        (1.0, 2e-3, "if data stays"),  # 2 times faster, half as fast with copies
        (1.0, 1e-3, "all cores"),  # as fast as 32 cores, and one is used
        (1.15e-3, 1.15e-3, "if data stays"),  # the sentence says "1.2x faster"
        (1.05e-3, 1.05e-3, "little gain"),  # "as fast"
        (0.95e-3, 0.95e-3, "little gain"),
        (0.87e-3, 0.87e-3, "not worth it"),  # "1.2x slower"
        (0.5e-3, 0.5e-3, "not worth it"),
        (1e-7, 1e-7, "not worth it"),
    ],
)
def test_the_word_follows_from_the_best_of_the_cpu(
    nest: NestEvaluation, one_core_s: float, all_cores_s: float, word: Word
) -> None:
    worth = worth_of(on_cpu(nest, one_core_s, all_cores_s))
    assert worth.word == worth.at_sizes == word
    assert worth.resident is not None
    assert worth.resident.value == pytest.approx(min(one_core_s, all_cores_s) / RESIDENT_S)


def test_threads_that_do_not_pay_are_not_what_it_is_held_against(nest: NestEvaluation) -> None:
    assert worth_of(on_cpu(nest, 5e-3, 9e-3)).against == "one core"
    assert worth_of(on_cpu(nest, 9e-3, 5e-3)).against == "all cores"


def test_code_with_a_directive_of_threads_has_its_cores_already(nest: NestEvaluation) -> None:
    threaded = under(on_cpu(nest, 32e-3, 1e-3), "parallel for")
    worth = worth_of(threaded)
    assert (worth.word, worth.now, worth.now_s) == ("little gain", "all cores", 1e-3)
    assert runs_on(under(nest, "target teams distribute parallel for")) == "GPU"
    assert runs_on(under(nest, "parallel loop", "acc")) == "GPU"
    ported = worth_of(under(on_cpu(nest, 32e-3, 9e-3), "target teams loop"))
    assert (ported.word, ported.gain_s, ported.now_s) == ("on the GPU", 0.0, pytest.approx(RESIDENT_S))


def found(one: int | None, every: int | None, copied: int | None = 1) -> BreakEven:
    """The data on the GPU, it is faster than one core from `one` on, than all from `every`; with copies `copied`."""

    def wins(cores: Cores, size: int | None) -> tuple[WinsFrom, WinsFrom]:
        return WinsFrom("resident", cores, size, size, size), WinsFrom("cold", cores, copied, copied, copied)

    curve = SizeCurve((), (), (), (), (), ())
    both = (*wins("one core", one), *wins("all cores", every))
    return BreakEven("n", 4096, (), 1, 9999, "its type", both, has_band=False, curve=curve, is_guessed=True)


@pytest.mark.parametrize(
    ("break_even", "word"),
    [
        (None, "size decides"),
        (found(10, 80), "size decides"),
        (found(1, 1), "worth it"),  # at every size: the guess does not matter
        (found(1, 1, copied=300), "if data stays"),  # with the copies it does
        (found(1, 1, copied=None), "if data stays"),
        (found(None, None), "not worth it"),
        (found(10, None), "not worth it"),  # all cores are faster at every one
    ],
)
def test_of_a_guessed_size_the_break_even_decides(
    nest: NestEvaluation, break_even: BreakEven | None, word: Word
) -> None:
    guessed = replace(nest, assumptions=tuple(replace(each, origin="default") for each in nest.assumptions))
    worth = worth_of(on_cpu(guessed, 1.0, 10e-3), break_even)
    assert (worth.word, worth.at_sizes) == (word, "worth it")


def test_a_part_counts_where_its_caller_does(nest: NestEvaluation) -> None:
    slow = on_cpu(nest, 1.0, 1.0)
    alone = stake_of("step", slow, None)
    caller = replace(stake_of("main", slow, None), inlined=frozenset({("", "step")}))

    def seen(*stakes: Stake) -> tuple[list[bool], float, float]:
        found = together(stakes)
        return [each.is_part for each in found], total_now_s(found), total_gain_s(found)

    assert seen(alone) == ([False], 1.0, pytest.approx(1.0 - RESIDENT_S))
    assert seen(alone, caller) == ([True, False], 1.0, pytest.approx(1.0 - RESIDENT_S))
    # A function that calls itself is no part of itself.
    recursive = replace(alone, inlined=frozenset({("", "step")}))
    assert seen(recursive, recursive) == ([False, False], 2.0, pytest.approx(2 - 2 * RESIDENT_S))
    # Another file's function of the same name is another one.
    elsewhere = replace(alone, file="other.c")
    assert seen(elsewhere, caller)[0] == [False, False]
    anywhere = replace(caller, inlined=frozenset({(ANY_FILE, "step")}))
    assert seen(elsewhere, anywhere)[0] == [True, False]
    # The caller is open: its time has the part's in it, and what the part gains is not lost.
    waiting = replace(caller, worth=replace(caller.worth, word="if promised", gpu_s=None, copied_s=None))
    assert seen(alone, waiting) == ([True, False], 1.0, pytest.approx(1.0 - RESIDENT_S))
