"""Break-evens in portions: the same answer as in one piece, once per content."""

import pickle

import pytest
from support.c_nests.parsed import facts_of
from warplens.analysis.engine.memo import Memo
from warplens.analysis.models.nest.evaluate_nest import evaluate_nest
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.sizes import break_even as models
from warplens.hwprofiles.loader import load_cpu, load_gpu
from warplens.server.worker import break_even_work
from warplens.server.worker.break_even_work import BreakEvenWork
from warplens.server.worker.job import BreakEvenJob, BreakEvenPortion
from warplens.server.worker.packing import pack

SCALE = "void f(int n, double *restrict a) { for (int i = 0; i < n; i++) a[i] *= 2; }"
PREFIX = "void f(int n, double *a) { for (int i = 1; i < n; i++) a[i] += a[i - 1]; }"


def evaluated(source: str, n: int) -> NestEvaluation:
    return evaluate_nest(facts_of(source), {"n": n}, load_gpu("a100"), load_cpu("server"))


def packed(evaluation: NestEvaluation) -> bytes:
    return pack(evaluation, "a100", "server", Memo()).content


def finished(work: BreakEvenWork, content: bytes, portion_s: float = 60) -> BreakEvenPortion:
    for _ in range(1000):
        portion = work.go_on(BreakEvenJob(content, portion_s))
        if portion.is_finished:
            return portion
    raise AssertionError("never finished")


def test_portions_give_what_one_piece_gives() -> None:
    evaluation = evaluated(SCALE, 1000)
    content = packed(evaluation)
    work = BreakEvenWork()
    assert work.go_on(BreakEvenJob(content, 1e-9)) == BreakEvenPortion(False)
    assert finished(work, content, 1e-9) == finished(BreakEvenWork(), content)
    assert finished(work, content).break_even == models.break_even(evaluation)


def test_a_portion_that_is_in_the_way_ends_and_the_work_goes_on() -> None:
    content = packed(evaluated(SCALE, 1000))
    work = BreakEvenWork()
    assert work.go_on(BreakEvenJob(content, 60), lambda: True) == BreakEvenPortion(False)
    assert finished(work, content) == finished(BreakEvenWork(), content)


def test_equal_content_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    content = packed(evaluated(SCALE, 1000))
    work = BreakEvenWork()
    first = finished(work, content)
    monkeypatch.setattr("warplens.analysis.models.sizes.break_even.break_even_steps", None)
    assert work.go_on(BreakEvenJob(pickle.loads(pickle.dumps(content)), 60)) == first


def test_another_nest_in_between_begins_anew() -> None:
    one, other = packed(evaluated(SCALE, 1000)), packed(evaluated(SCALE, 2000))
    work = BreakEvenWork()
    assert not work.go_on(BreakEvenJob(one, 1e-9)).is_finished
    assert not work.go_on(BreakEvenJob(other, 1e-9)).is_finished
    found = [finished(work, content).break_even for content in (other, one)]
    assert [each.current for each in found if each] == [2000, 1000]


def test_a_nest_with_nothing_for_a_gpu_is_finished_with_none() -> None:
    assert finished(BreakEvenWork(), packed(evaluated(PREFIX, 1000))) == BreakEvenPortion(True, None)


def test_what_was_found_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(break_even_work, "_KEPT", 1)
    one, other = packed(evaluated(PREFIX, 1000)), packed(evaluated(PREFIX, 2000))
    work = BreakEvenWork()
    for content in (one, other, one):
        assert finished(work, content).is_finished
    assert len(work._found) == 1
