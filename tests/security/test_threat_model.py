"""docs/security.md: each threat has its test, and the test is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

PROJECT = Path(__file__).parents[2]
PAGE = PROJECT / "docs" / "security.md"


def threats() -> list[list[str]]:
    """Rows of the last table, without its head."""
    table = PAGE.read_text(encoding="utf-8").partition("## Threats")[2]
    rows = [line.strip("|").split(" | ") for line in table.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def test_every_threat_names_a_test_that_is_there() -> None:
    rows = threats()
    assert len(rows) > 20
    for row in rows:
        assert len(row) == 4, row
        named = re.fullmatch(r"`(test_\w+\.py)::(test_\w+)`", row[3])
        assert named, row[3]
        assert any(named[2] in functions_of(path) for path in files_called(named[1])), row[3]


def files_called(name: str) -> list[Path]:
    folders = ("robustness", "security", "unit", "e2e")
    return [path for folder in folders for path in (PROJECT / "tests" / folder).rglob(name)]


def functions_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_attack_on_reading_running_and_writing_is_in_the_table() -> None:
    """A new file of attacks is one that the page speaks of."""
    named = {row[3].strip("`").partition("::")[0] for row in threats()}
    here = {path.name for path in Path(__file__).parent.glob("test_*.py")} - {Path(__file__).name}
    assert here <= named
