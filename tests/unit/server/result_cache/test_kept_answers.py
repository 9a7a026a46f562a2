"""Answers from an earlier session: equal to fresh ones, and never those of anything that has changed since."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.report import Recomputed
from warplens.server.settings.settings import Settings
from warplens.server.worker import analyse_document as module
from warplens.server.worker.analyse_document import Remembered, analyse_document
from warplens.server.worker.job import AnalysisJob, Answer, BreakEvenJob
from warplens.server.worker.packing import unpack

SOURCE = """#include "sizes.h"
void scale(int n, double *restrict a, const double *restrict b)
{
    for (int i = 0; i < n; i++)
        a[i] = FACTOR * b[i * STRIDE];
}
"""


@pytest.fixture
def job(tmp_path: Path, folder: Path) -> AnalysisJob:
    project = tmp_path / "project"
    project.mkdir()
    (project / "sizes.h").write_text("#define FACTOR 2.0\n#define STRIDE 1\n", encoding="utf-8")
    path = project / "scale.c"
    path.write_text(SOURCE, encoding="utf-8")
    return AnalysisJob(str(path), SOURCE, Settings(), (str(project),), keeps_result=True)


def answer_of(job: AnalysisJob) -> Answer:
    """As a fresh process would answer that has time afterwards."""
    remembered = Remembered()
    answer = analyse_document(job, remembered)
    remembered.answers.write_pending()
    return answer


def is_kept(answer: Answer) -> bool:
    return answer.recomputed == Recomputed(0, 0, 0)


def test_the_same_again_is_not_analysed(job: AnalysisJob, monkeypatch: pytest.MonkeyPatch) -> None:
    first = answer_of(job)
    assert not is_kept(first)

    def refuse(*_arguments: object) -> None:
        raise AssertionError("analysed again")

    monkeypatch.setattr(module, "analyse", refuse)
    second = answer_of(job)
    assert second == replace(first, recomputed=Recomputed(0, 0, 0))
    (nest,) = second.functions[0].nests
    assert unpack(nest.packed).gpu.name == unpack(first.functions[0].nests[0].packed).gpu.name


def test_a_file_that_is_opened_again_in_a_session_is_looked_up_too(job: AnalysisJob) -> None:
    remembered = Remembered()
    first = analyse_document(job, remembered)
    remembered.answers.write_pending()
    later = Remembered(Memo(), remembered.runs, remembered.answers)  # other files took its place in the memo
    again = analyse_document(replace(job, shows_parts=True), later)
    assert again == replace(first, recomputed=Recomputed(0, 0, 0))


def header(job: AnalysisJob) -> AnalysisJob:
    Path(job.path).with_name("sizes.h").write_text("#define FACTOR 2.0\n#define STRIDE 8\n", encoding="utf-8")
    return job


def header_found_earlier(job: AnalysisJob) -> AnalysisJob:
    inner = Path(job.path).parent / "include"
    inner.mkdir()
    (inner / "sizes.h").write_text("#define FACTOR 3.0\n#define STRIDE 1\n", encoding="utf-8")
    Path(job.path).with_name("sizes.h").unlink()
    return replace(job, settings=replace(job.settings, include_paths=(str(inner),)))


def folder_file(job: AnalysisJob) -> AnalysisJob:
    Path(job.path).with_name(".warplens.toml").write_text('gpu = "k20"\n', encoding="utf-8")
    return job


def text(job: AnalysisJob) -> AnalysisJob:
    return replace(job, text=job.text.replace("i < n", "i <= n"))


def only_a_comment(job: AnalysisJob) -> AnalysisJob:
    return replace(job, text=job.text.replace("void", "/* n is 64 */ void"))


def gpu(job: AnalysisJob) -> AnalysisJob:
    return replace(job, settings=replace(job.settings, gpu="k20"))


def size(job: AnalysisJob) -> AnalysisJob:
    return replace(job, settings=replace(job.settings, sizes=(("n", 77),)))


def rules(job: AnalysisJob) -> AnalysisJob:
    return replace(job, settings=replace(job.settings, disabled_rules=frozenset({"WL201"})))


def defines(job: AnalysisJob) -> AnalysisJob:
    return replace(job, text=job.text, settings=replace(job.settings, defines=("OTHER=1", "n=m")))


def name(job: AnalysisJob) -> AnalysisJob:
    return replace(job, path=str(Path(job.path).with_name("other.c")))


CHANGES = [header, header_found_earlier, folder_file, text, only_a_comment, gpu, size, rules, defines, name]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_any_change_is_analysed(job: AnalysisJob, change: Callable[[AnalysisJob], AnalysisJob]) -> None:
    answer_of(job)
    changed = change(job)
    found = answer_of(changed)
    assert not is_kept(found)
    assert is_kept(answer_of(changed))
    assert found == answer_of(replace(changed, keeps_result=False))


def test_edits_of_one_session_leave_the_newest(job: AnalysisJob, folder: Path) -> None:
    remembered = Remembered()
    for text in (SOURCE, SOURCE.replace("i < n", "i <= n"), SOURCE.replace("i < n", "i < n - 1")):
        newest = replace(job, text=text)
        analyse_document(newest, remembered)
        remembered.answers.write_pending()
        assert len(list(folder.iterdir())) == 1
    assert is_kept(answer_of(newest))
    assert not is_kept(answer_of(job))


def test_break_evens_that_were_found_are_kept_too(job: AnalysisJob) -> None:
    first = Remembered()
    (nest,) = analyse_document(job, first).functions[0].nests
    asked = BreakEvenJob(nest.packed, 60.0)
    found = first.answers.break_evens.go_on(asked)
    first.answers.write_pending()
    second = Remembered()
    assert analyse_document(job, second).functions[0].nests == (nest,)
    assert second.answers.break_evens.go_on(replace(asked, portion_s=0.0)) == found
    assert found.is_finished
    assert found.break_even is not None


def test_a_changed_profile_is_analysed(job: AnalysisJob, tmp_path: Path) -> None:
    profile = tmp_path / "project" / "mine.toml"
    text = (
        'schema = 1\nid = "mine"\nname = "Mine"\nextends = "a100"\n\n[device]\n'
        'sm_clock_mhz = { value = 705, unit = "MHz", kind = "measured", source = "nvidia-smi -q -d CLOCK" }\n'
    )
    profile.write_text(text, encoding="utf-8")
    own = replace(job, settings=replace(job.settings, gpu=str(profile)))
    first = answer_of(own)
    assert (first.config_problems, is_kept(first)) == ((), False)
    assert is_kept(answer_of(own))
    profile.write_text(text.replace("705", "1005"), encoding="utf-8")
    assert not is_kept(answer_of(own))


def test_other_code_has_results_of_its_own(job: AnalysisJob, monkeypatch: pytest.MonkeyPatch) -> None:
    answer_of(job)
    monkeypatch.setattr(module, "code_version", lambda: "another")
    assert not is_kept(answer_of(job))


def test_counts_of_a_run_are_part_of_it(job: AnalysisJob, monkeypatch: pytest.MonkeyPatch) -> None:
    answer_of(job)
    from warplens.analysis.measured.line_counts import FileCounts

    counts = FileCounts("digest", (), (), 1, "2026-01-01")
    monkeypatch.setattr(module, "counts_for", lambda *_: (counts, ()))
    assert not is_kept(answer_of(job))


def test_what_is_wrong_with_the_configuration_is_said_each_time(job: AnalysisJob) -> None:
    first = answer_of(job)
    assert first.config_problems == ()
    wrong = replace(job, settings=replace(job.settings, gpu="no such GPU"))
    found = answer_of(wrong)  # the default is used in its place: the same result
    assert found.config_problems


def test_a_result_without_one_of_its_loops_is_not_kept(job: AnalysisJob, folder: Path) -> None:
    (nest,) = answer_of(replace(job, keeps_result=False)).functions[0].nests
    skipping = replace(job, skipped=frozenset({nest.id}))
    assert answer_of(skipping).functions[0].nests[0].failure
    assert list(folder.iterdir()) == []


def test_without_the_setting_nothing_is_read_or_written(job: AnalysisJob, folder: Path) -> None:
    answer_of(replace(job, keeps_result=False))
    assert list(folder.iterdir()) == []
    answer_of(job)
    assert not is_kept(answer_of(replace(job, keeps_result=False)))


def test_a_damaged_result_is_analysed_and_written_again(job: AnalysisJob, folder: Path) -> None:
    first = answer_of(job)
    (file,) = folder.iterdir()
    file.write_bytes(file.read_bytes()[:-7])
    assert answer_of(job) == first
    assert is_kept(answer_of(job))
