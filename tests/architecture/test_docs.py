"""The pages for developers name files that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("page", "least"), [("architecture", 30), ("contributing", 15)])
def test_files_named_in_the_page_exist(page: str, least: int) -> None:
    text = (ROOT / "docs" / f"{page}.md").read_text()
    named = set(re.findall(r"`((?:analysis|hwprofiles|server|tests|vscode-client)/[\w/-]+\.(?:py|json))`", text))
    named = {each for each in named if "NAME" not in each and "KIND" not in each}
    assert len(named) >= least
    assert [n for n in sorted(named) if not (ROOT / n).is_file()] == []
