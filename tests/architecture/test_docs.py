"""The architecture page names files that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_files_named_in_the_architecture_page_exist() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    named = set(re.findall(r"`((?:analysis|hwprofiles|server)/[\w/]+\.py)`", text))
    assert len(named) > 10
    assert [n for n in sorted(named) if not (ROOT / n).is_file()] == []
