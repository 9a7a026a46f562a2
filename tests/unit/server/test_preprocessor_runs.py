"""Runs one after another: the result is the compiler's whatever was predicted."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from warplens.server.preprocess import preprocessor_runs
from warplens.server.preprocess.flags import PreprocessorFlags
from warplens.server.preprocess.preprocess import preprocess
from warplens.server.preprocess.preprocessor_runs import PreprocessorRun, PreprocessorRuns

SOURCE = "void f(int n, double *x)\n{\n    n = 1;\n    x[n] = 2;\n}\n"
EDITED = SOURCE.replace("x[n] = 2;", "x[n] = 3;")
NO_FLAGS = PreprocessorFlags()


def begin(
    runs: PreprocessorRuns, path: Path, text: str, flags: PreprocessorFlags = NO_FLAGS, *, trusted: bool = True
) -> PreprocessorRun:
    return runs.begin(path, text, flags, [path.parent], 30, trusted=trusted)


def test_the_first_run_is_not_predicted_the_next_one_is(tmp_path: Path) -> None:
    runs, path = PreprocessorRuns(), tmp_path / "m.c"
    first = begin(runs, path, SOURCE)
    assert first.predicted is None
    assert first.result() == preprocess(path, SOURCE, NO_FLAGS, [tmp_path], 30, trusted=True)
    second = begin(runs, path, EDITED)
    assert second.predicted is not None
    assert second.predicted == second.result() == preprocess(path, EDITED, NO_FLAGS, [tmp_path], 30, trusted=True)


def test_an_older_run_that_is_asked_again_is_no_ground_for_the_next(tmp_path: Path) -> None:
    runs, path = PreprocessorRuns(), tmp_path / "m.c"
    older = begin(runs, path, SOURCE)
    older.result()
    newer = begin(runs, path, f"#define N 4\n{EDITED}")
    assert newer.result() != older.result()
    assert begin(runs, path, f"#define N 4\n{SOURCE}").predicted is not None
    assert begin(runs, path, SOURCE).predicted is None


@pytest.mark.parametrize("flags", [PreprocessorFlags(defines=("n=5",)), PreprocessorFlags(standard="c99")])
def test_other_flags_are_not_predicted_from_these(tmp_path: Path, flags: PreprocessorFlags) -> None:
    runs = PreprocessorRuns()
    begin(runs, tmp_path / "m.c", SOURCE).result()
    assert begin(runs, tmp_path / "m.c", EDITED, flags).predicted is None
    assert begin(runs, tmp_path / "m.c", EDITED, trusted=False).predicted is None
    assert begin(runs, tmp_path / "other.c", EDITED).predicted is None


def test_a_changed_header_makes_the_prediction_wrong_and_the_result_right(tmp_path: Path) -> None:
    runs, path = PreprocessorRuns(), tmp_path / "m.c"
    (tmp_path / "h.h").write_text("#define N 4\n")
    text = f'#include "h.h"\n{SOURCE}int a[N];\n'
    begin(runs, path, text).result()
    (tmp_path / "h.h").write_text("#define N 5\n#define n 6\n")
    run = begin(runs, path, text.replace("= 2;", "= 3;"))
    assert "int a[4];" in (run.predicted.text if run.predicted else "")
    result = run.result()
    assert "int a[5];" in result.text
    assert "6 = 1;" in result.text
    assert result != run.predicted


def test_without_a_compiler_nothing_is_predicted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    runs = PreprocessorRuns()
    for text in (SOURCE, EDITED):
        run = begin(runs, tmp_path / "m.c", text)
        assert run.predicted is None
        assert run.result() == preprocess(tmp_path / "m.c", text, NO_FLAGS, [tmp_path], 30, trusted=True)
        assert run.result().preprocessor == "built-in preprocessor"


def test_what_goes_wrong_comes_out_of_the_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object, **_named: object) -> None:
        raise LookupError("in a thread")

    monkeypatch.setattr(preprocessor_runs, "preprocess_and_keep", fail)
    runs = PreprocessorRuns()
    run = begin(runs, tmp_path / "m.c", SOURCE)
    with pytest.raises(LookupError, match="in a thread"):
        run.result()
    monkeypatch.undo()
    assert begin(runs, tmp_path / "m.c", SOURCE).predicted is None


def test_the_compiler_runs_while_something_else_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    may_end = threading.Event()
    whole = preprocessor_runs.preprocess_and_keep

    def slow(*arguments: object, **named: object) -> object:
        assert threading.current_thread().daemon
        assert may_end.wait(60)
        return whole(*arguments, **named)

    monkeypatch.setattr(preprocessor_runs, "preprocess_and_keep", slow)
    run = begin(PreprocessorRuns(), tmp_path / "m.c", SOURCE)
    may_end.set()
    assert "x[n] = 2;" in run.result().text


def test_it_works_without_a_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert "x[n] = 2;" in begin(PreprocessorRuns(), tmp_path / "m.c", SOURCE).result().text


def test_only_a_few_files_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preprocessor_runs, "_MOST_FILES", 2)
    runs = PreprocessorRuns()
    paths = [tmp_path / f"{name}.c" for name in "abc"]
    for path in (*paths[:2], paths[0], paths[2]):
        begin(runs, path, SOURCE).result()
    assert [begin(runs, path, EDITED).predicted is not None for path in paths] == [True, False, True]


def test_what_is_remembered_has_a_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = PreprocessorRuns()
    begin(runs, tmp_path / "a.c", SOURCE).result()
    monkeypatch.setattr(preprocessor_runs, "_MOST_CHARACTERS", 100)
    begin(runs, tmp_path / "b.c", SOURCE).result()
    assert begin(runs, tmp_path / "a.c", EDITED).predicted is None
    assert begin(runs, tmp_path / "b.c", EDITED).predicted is None
