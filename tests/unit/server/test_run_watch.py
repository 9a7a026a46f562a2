"""An analysis ends where it is in the way: while a file is read, between nests, while the answer is put together."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from warplens.analysis.ir.ids import LoopId
from warplens.server.settings.settings import Settings
from warplens.server.worker.analyse_document import Remembered, analyse_document
from warplens.server.worker.job import AnalysisJob
from warplens.server.worker.run_watch import GaveWayError, Listener, WayGiver

FUNCTION = "void f{0}(int n, double *y) {{\n  for (int i = 0; i < n; i++)\n    y[i] = {0};\n}}\n"
SOURCE = "".join(FUNCTION.format(k) for k in range(3))


def job(tmp_path: Path) -> AnalysisJob:
    return AnalysisJob(str(tmp_path / "f.c"), SOURCE, Settings(), (str(tmp_path),))


def test_a_run_ends_wherever_it_is_and_repeated_ones_get_to_the_end(tmp_path: Path) -> None:
    """In the way all the time: each run does one thing more, and what it did is not done again."""
    remembered, heard = Remembered(), list[LoopId | None]()
    way = WayGiver(lambda: True)
    listener = Listener(heard.append, is_in_the_way=lambda: True)
    runs, answer = 0, None
    while answer is None:
        runs += 1
        assert runs < 500
        with contextlib.suppress(GaveWayError):
            answer = analyse_document(job(tmp_path), remembered, listener, way)
    assert len(answer.functions) == 3
    assert runs > 3 * 3, "it ended while reading, too, not only between nests"
    assert len([nest for nest in heard if nest is not None]) <= 2 * 3
    assert answer.functions == analyse_document(job(tmp_path), Remembered()).functions


def test_a_run_that_is_not_in_the_way_says_which_nest_it_is_at_and_when_none_is_left(tmp_path: Path) -> None:
    heard: list[LoopId | None] = []
    analyse_document(job(tmp_path), Remembered(), Listener(heard.append))
    assert heard == [*(LoopId(f"f{k}", 0) for k in range(3)), None]


def test_a_few_runs_may_end_without_anything_new_and_then_one_goes_on() -> None:
    way = WayGiver(lambda: True)

    def ends(path: str, *, computes: bool = False) -> bool:
        way.begin(path)
        if computes:
            way.computed()
        try:
            way.give_way()
        except GaveWayError:
            return True
        return False

    assert [ends("a.c") for _ in range(5)] == [True, False, False, False, False]
    assert ends("b.c"), "another file has its own"
    assert ends("a.c", computes=True)
    assert [ends("a.c") for _ in range(4)] == [True, False, False, False]
    way.ended()
    assert ends("a.c")


@pytest.mark.parametrize("is_in_the_way", [True, False])
def test_the_preprocessor_is_waited_for_no_longer_than_it_must(
    tmp_path: Path, is_in_the_way: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = tmp_path / "bin" / "cc"
    compiler.parent.mkdir()
    compiler.write_text('#!/bin/sh\nsleep 0.3\nexec /usr/bin/cc "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", f"{compiler.parent}:/usr/bin:/bin")
    (tmp_path / "work").mkdir()
    asked: list[bool] = []

    def in_the_way() -> bool:
        asked.append(True)
        return is_in_the_way and len(asked) > 2

    at = AnalysisJob(str(tmp_path / "work" / "f.c"), SOURCE, Settings(), (str(tmp_path / "work"),))
    if is_in_the_way:
        with pytest.raises(GaveWayError):
            analyse_document(at, Remembered(), Listener(is_in_the_way=in_the_way))
        assert len(asked) == 3
    else:
        assert analyse_document(at, Remembered(), Listener(is_in_the_way=in_the_way)).preprocessor == "cc"
