"""One file analysed again and again, as its edits come."""

from dataclasses import replace
from pathlib import Path

from warplens.server.settings import Settings
from warplens.server.worker.analyse_document import Remembered, analyse_document
from warplens.server.worker.job import AnalysisJob, Answer

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
