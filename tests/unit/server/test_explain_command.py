"""`warplens explain`: the pages of the rules."""

import re
from pathlib import Path

import pytest
from support.command_line.called import run
from warplens.analysis.advice.catalogue import RULES

pytestmark = pytest.mark.process


def test_all_pages_of_the_rules_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "explain", "--write-pages", str(tmp_path / "pages"))[0] == 0
    written = {page.stem: page.read_text() for page in (tmp_path / "pages").iterdir()}
    assert set(written) == {rule.code for rule in RULES}
    assert "[warp](../glossary.md#warp)" in written["WL201"]
    assert run(capsys, "explain", "WL201")[1] == re.sub(r"\[([^\[\]]*)\]\([^)]*\)", r"\1", written["WL201"])
    (tmp_path / "file").touch()
    assert run(capsys, "explain", "--write-pages", str(tmp_path / "file"))[0] == 1


def test_a_rule_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "explain", "WL201")
    assert code == 0
    assert out.startswith("# ")
    assert run(capsys, "explain", "WL999")[0] == 2
