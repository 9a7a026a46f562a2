"""Every rule has its page, the same text everywhere."""

from pathlib import Path

import pytest
from warplens.analysis.advice.catalogue import RULES, rule_page
from warplens.server.cli.explain import linked_page

PAGES = Path(__file__).resolve().parents[2] / "docs" / "rules"
SECTIONS = ("## What", "## Why", "## Example", "## Fix", "## Fix safety", "## Does not report", "## Source")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_page_in_docs_is_the_rules_docstring(rule) -> None:
    page = PAGES / f"{rule.code}.md"
    assert page.read_text() == linked_page(rule.code), "run `make docs`"
    positions = [rule.page.index(section + "\n") for section in SECTIONS]
    assert positions == sorted(positions)


def test_no_page_without_a_rule() -> None:
    assert {p.stem for p in PAGES.glob("*.md")} == {rule.code for rule in RULES}


def test_unknown_code_has_no_page() -> None:
    assert rule_page("WL000") is None
    assert rule_page("wl101") == rule_page("WL101")
