"""The documentation names files that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_NAMED = re.compile(r"`((?:analysis|hwprofiles|server|tests|vscode-client)/[\w/-]+\.(?:py|json|toml))`")
_STANDS_FOR_ANY = {"NAME", "KIND", "MAKER"}


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.stem)
def test_files_named_in_a_page_exist(page: Path) -> None:
    named = {each for each in _NAMED.findall(page.read_text()) if not _STANDS_FOR_ANY & set(re.split(r"[/.]", each))}
    assert [each for each in sorted(named) if not (ROOT / each).is_file()] == []


@pytest.mark.parametrize("page", ["architecture", "contributing"])
def test_pages_for_developers_name_files(page: str) -> None:
    assert len(_NAMED.findall((ROOT / "docs" / f"{page}.md").read_text())) > 15
