"""Regular expressions mean the same under every Python that may run them."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_POSSESSIVE_GROUP = re.compile(r"\)(?:[*+?]|\{\d*,?\d*\})\+")


@pytest.mark.parametrize("layer", ["analysis", "server", "hwprofiles"])
def test_no_group_is_repeated_possessively(layer: str) -> None:
    """Python 3.11.0 to 3.11.4 match `(?:...)*+` wrongly where the group itself backtracks; `(?>(?:...)*)` is right."""
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for path in sorted((ROOT / layer).rglob("*.py"))
        for line, text in _texts(ast.parse(path.read_text(encoding="utf-8")))
        if _POSSESSIVE_GROUP.search(text)
    ]
    assert found == []


def _texts(tree: ast.Module) -> list[tuple[int, str]]:
    """Every string but those that only document."""
    documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    strings = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in documents)
    return [(node.lineno, node.value) for node in strings if isinstance(node.value, str)]
