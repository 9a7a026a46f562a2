"""What goes to the machine with the GPU needs Python's standard library alone, from Python 3.10 on."""

import ast
import sys
from pathlib import Path

import pytest
from accuracy.gpu_day.there import journal

FILES = sorted(Path(journal.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_imports_nothing_that_is_installed(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 10))
    names = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    names |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    own = {f"accuracy.gpu_day.there.{each.stem}" for each in FILES}
    assert {name for name in names - own if name.partition(".")[0] not in sys.stdlib_module_names} == set()


def test_there_is_something_to_look_at() -> None:
    assert len(FILES) > 5
