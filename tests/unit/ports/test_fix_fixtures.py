"""Every quick fix on C files that say themselves what is offered and what the text is after (tests/fixtures/fixes)."""

from pathlib import Path

import pytest
from support.fix_fixtures.fixture import FOLDER, case_name, cases, check, read
from warplens.analysis.ports.catalogue import FIXES
from warplens.analysis.ports.fix import FixRule
from warplens.analysis.ports.restructure import copy_suggestion, transpose_suggestion


@pytest.mark.parametrize("path", cases(*sorted(folder.name for folder in FOLDER.iterdir())), ids=case_name)
def test_fix_is_offered_and_writes_what_the_fixture_says(path: Path, analyse_c) -> None:
    check(path, analyse_c)


def test_a_wrong_expectation_is_noticed(analyse_c, tmp_path: Path) -> None:
    path = FOLDER / "openmp" / "fixed_sizes.c"
    source, after = path.read_text(encoding="utf-8"), path.with_name("fixed_sizes.after.c").read_text(encoding="utf-8")
    case, case_after = tmp_path / "case.c", tmp_path / "case.after.c"
    wrong = {
        "another gain": (source.replace(": ok", ": 2.0x"), after),
        "a refusal": (source.replace(": ok", ": refused: no"), after),
        "another place": (source.replace("//  ^", "//   ^"), after),
        "nothing": (source.replace("//  ^^^ fix openmp: ok", "// no-fix: openmp"), after),
        "another text": (source, after.replace("thread_limit(64)", "thread_limit(128)")),
        "no text": (source, ""),
    }
    for name, (text, text_after) in wrong.items():
        assert (text, text_after) != (source, after), name
        case.write_text(text, encoding="utf-8")
        case_after.write_text(text_after, encoding="utf-8")
        with pytest.raises(AssertionError):
            check(case, analyse_c)
    case.write_text(source, encoding="utf-8")
    case_after.write_text(after, encoding="utf-8")
    check(case, analyse_c)


@pytest.mark.parametrize("rule", FIXES, ids=lambda rule: rule.code)
def test_fix_has_a_case_with_a_text_after_and_a_refusal(rule: FixRule) -> None:
    said = [mark.said for path in cases(rule.code) for mark in read(path).marks if mark.code == rule.code]
    assert any(one.startswith("refused:") for one in said)
    suggestions = (copy_suggestion.FIX, transpose_suggestion.FIX)
    assert rule in suggestions or any(not one.startswith("refused:") for one in said)
