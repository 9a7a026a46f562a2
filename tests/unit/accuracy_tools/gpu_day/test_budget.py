"""Which step comes next: in the order of the stages, none of which takes all of the time."""

from accuracy.gpu_day.there.budget import STAGE_ENDS, next_step
from accuracy.gpu_day.there.steps import STAGES, Step

WHOLE_S = 100.0


def step(name: str, stage: str, estimate_s: float = 1.0) -> Step:
    return Step(name, stage, name, ".", (), estimate_s=estimate_s)


def order(steps: list[Step], *, slower: float = 1.0) -> list[str]:
    """Run them all, each as long as it is expected to take, or longer."""
    waiting, now_s, found = list(steps), 0.0, []
    while (one := next_step(waiting, now_s, WHOLE_S)) is not None:
        waiting.remove(one)
        found.append(one.id)
        now_s += one.estimate_s * slower
    assert now_s <= WHOLE_S * slower
    return found


def test_stages_follow_each_other() -> None:
    steps = [step(stage, stage) for stage in reversed(STAGES)]
    assert order(steps) == list(STAGES)


def test_a_stage_that_takes_long_gives_way_and_goes_on_in_the_end() -> None:
    checks = [step(f"check{k}", "check") for k in range(40)]
    found = order([*checks, step("calibrate", "calibrate"), step("measure", "measure"), step("counters", "counters")])
    first = int(STAGE_ENDS["check"] * WHOLE_S)
    assert found[first : first + 3] == ["calibrate", "measure", "counters"]
    assert len(found) == 43


def test_nothing_begins_that_would_not_end() -> None:
    assert order([step("long", "measure", 101.0), step("short", "measure", 2.0)]) == ["short"]


def test_a_longer_step_of_a_stage_waits_for_the_end() -> None:
    """It would not end within its stage: others come first, but it is not lost."""
    found = order([step("long", "check", 20.0), step("short", "check"), step("measure", "measure")])
    assert found == ["short", "measure", "long"]


def test_steps_that_take_longer_than_expected_take_no_more_than_the_time() -> None:
    steps = [step(f"{stage}{k}", stage) for stage in STAGES for k in range(30)]
    found = order(steps, slower=2.0)
    assert {name.rstrip("0123456789") for name in found} == set(STAGES)
