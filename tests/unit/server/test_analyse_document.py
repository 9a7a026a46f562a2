"""One file analysed again and again, as its edits come."""

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from warplens.server.preprocess import preprocessor_runs
from warplens.server.settings.settings import Settings
from warplens.server.worker.analyse_document import Remembered, analyse_document
from warplens.server.worker.job import AnalysisJob, Answer
from warplens.server.worker.run_watch import Listener

SOURCE = """#include "stride.h"
void scale(int n, double *restrict a, const double *restrict b)
{
    for (int i = 0; i < n; i++)
        a[i] = 2.0 * b[i * STRIDE];
}
"""


def shown(answer: Answer) -> list[object]:
    return [(nest.spans, nest.findings, nest.lens) for function in answer.functions for nest in function.nests]


def test_what_the_preprocessor_gives_decides_not_what_was_predicted(tmp_path: Path) -> None:
    header = tmp_path / "stride.h"
    header.write_text("#define STRIDE 1\n", encoding="utf-8")
    job = AnalysisJob(str(tmp_path / "f.c"), SOURCE, Settings(), (str(tmp_path),))
    remembered = Remembered()
    first = analyse_document(job, remembered)
    edited = replace(job, text=SOURCE.replace("2.0", "3.0"))
    assert analyse_document(edited, remembered).functions == analyse_document(edited, Remembered()).functions
    header.write_text("#define STRIDE 64\n", encoding="utf-8")
    again = replace(job, text=SOURCE.replace("2.0", "4.0"))
    found = analyse_document(again, remembered)
    assert shown(found) == shown(analyse_document(again, Remembered()))
    assert shown(found) != shown(first)


def test_a_plain_edit_is_analysed_once_though_it_was_predicted(tmp_path: Path) -> None:
    (tmp_path / "stride.h").write_text("#define STRIDE 1\n", encoding="utf-8")
    job = AnalysisJob(str(tmp_path / "f.c"), SOURCE, Settings(), (str(tmp_path),))
    remembered = Remembered()
    analyse_document(job, remembered)
    answer = analyse_document(replace(job, text=SOURCE.replace("2.0", "3.0")), remembered)
    assert answer.recomputed.nests_analysed == 1
    assert answer.recomputed.declarations_parsed == 1


def test_what_is_known_before_the_preprocessor_has_run_is_shown_until_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    header = tmp_path / "stride.h"
    header.write_text("#define STRIDE 1\n", encoding="utf-8")
    job = AnalysisJob(str(tmp_path / "f.c"), SOURCE, Settings(), (str(tmp_path),))
    remembered, parts, is_shown = Remembered(), [], threading.Event()
    first = analyse_document(job, remembered)
    header.write_text("#define STRIDE 64\n", encoding="utf-8")
    real = preprocessor_runs.preprocess_and_keep

    def slow(*given: Any, **named: Any) -> Any:
        assert is_shown.wait(60)
        return real(*given, **named)

    def at_part(part: Answer) -> None:
        parts.append(part)
        is_shown.set()

    monkeypatch.setattr(preprocessor_runs, "preprocess_and_keep", slow)
    found = analyse_document(replace(job, text=SOURCE.replace("2.0", "3.0")), remembered, Listener(at_part=at_part))
    (part,) = parts
    assert shown(part) == shown(first)
    assert shown(found) != shown(first)
