"""The memo changes how long an answer takes, never which answer it is."""

import pytest
from warplens.analysis.engine.memo import Memo


def test_second_request_is_not_computed() -> None:
    memo = Memo()
    assert memo.get("square", 3, lambda: 9) == 9
    assert memo.get("square", 3, lambda: pytest.fail("computed again")) == 9
    assert memo.computed == {"square": 1}


def test_kinds_do_not_meet() -> None:
    memo = Memo()
    memo.get("a", 1, lambda: "a")
    assert memo.get("b", 1, lambda: "b") == "b"


def test_least_recently_used_goes_first() -> None:
    memo = Memo(capacity=2)
    memo.get("k", 1, lambda: 1)
    memo.get("k", 2, lambda: 2)
    memo.get("k", 1, lambda: 0)
    memo.get("k", 3, lambda: 3)
    assert memo.get("k", 1, lambda: "again") == 1
    assert memo.get("k", 2, lambda: "again") == "again"


def test_what_many_runs_did_not_ask_for_is_forgotten() -> None:
    memo = Memo(runs=3)
    for run in range(9):
        memo.begin_run("edited.c")
        memo.get("k", "always", lambda: 0)
        memo.get("k", run, lambda: 0)
    computed = memo.computed["k"]
    for key in ("always", 8, 7, 6, 5):
        memo.get("k", key, lambda: 0)
    assert memo.computed["k"] == computed
    memo.get("k", 4, lambda: 0)
    assert memo.computed["k"] == computed + 1


def test_what_another_file_asked_for_stays() -> None:
    memo = Memo(runs=3)
    memo.begin_run("resting.c")
    memo.get("k", "theirs", lambda: 0)
    memo.get("k", "once theirs", lambda: 0)
    for run in range(9):
        memo.begin_run("edited.c")
        memo.get("k", run, lambda: 0)
        if run == 0:
            memo.get("k", "once theirs", lambda: 0)
    assert memo.get("k", "theirs", lambda: 1) == 0
    assert memo.get("k", "once theirs", lambda: 1) == 1


def test_of_a_file_that_rests_few_runs_are_remembered() -> None:
    memo = Memo(runs=500)
    for run in range(100):
        memo.begin_run("edited.c")
        memo.get("k", run, lambda: 0)
    memo.begin_run("other.c")
    assert memo.get("k", 99, lambda: 1) == 0
    assert memo.get("k", 70, lambda: 1) == 1


def test_failure_is_not_remembered() -> None:
    memo = Memo()
    with pytest.raises(ZeroDivisionError):
        memo.get("k", 1, lambda: 1 // 0)
    assert memo.get("k", 1, lambda: "fine") == "fine"


def test_remembers_none() -> None:
    memo = Memo()
    memo.get("k", 1, lambda: None)
    assert memo.get("k", 1, lambda: pytest.fail("computed again")) is None
