"""CPU times of C nests at three sets of flags, beside what they took on the machine of the profile (cpu_nests/)."""

import pytest
from accuracy.cpu_nests.corpus import corpus
from accuracy.cpu_nests.predicted import TimedCase, compilation, share_near, timed_cases

FLAGS = ("-O2", "-O3 -march=native", "-O3 -march=native -ffast-math")


def cases(*, held_out: bool) -> list[TimedCase]:
    return [case for case in timed_cases() if case.nest.is_held_out is held_out]


def test_all_nests_are_timed_at_all_flags() -> None:
    timed = {(case.nest.name, case.n, case.flags) for case in timed_cases()}
    assert timed == {(nest.name, n, flags) for nest in corpus() for n in nest.n for flags in FLAGS}
    assert len(corpus()) >= 60
    assert 0.25 <= sum(nest.is_held_out for nest in corpus()) / len(corpus()) <= 0.45


@pytest.mark.parametrize(("held_out", "least"), [(False, 0.90), (True, 0.84)])
def test_most_predictions_are_within_a_factor_of_one_and_a_half(held_out: bool, least: float) -> None:
    assert share_near(cases(held_out=held_out)) >= least


@pytest.mark.parametrize("flags", FLAGS)
def test_no_set_of_flags_is_left_behind(flags: str) -> None:
    assert share_near([case for case in timed_cases() if case.flags == flags]) >= 0.85


def test_few_predictions_are_far_off() -> None:
    far = [case for case in timed_cases() if not 1 / 3 <= case.ratio <= 3]
    assert len(far) <= 0.02 * len(timed_cases()), [(case.nest.name, case.n, case.flags, case.ratio) for case in far]


def test_flags_are_what_the_nests_were_built_with() -> None:
    plain, native, fast = map(compilation, FLAGS)
    assert (plain.level, plain.vector_bytes, plain.fuses_multiply_add) == (2, 16, False)
    assert (native.level, native.vector_bytes, native.fuses_multiply_add, native.reassociates) == (3, 64, True, False)
    assert fast.reassociates
    assert not fast.sets_errno
