"""Names of files, and that tests reach every one of them. The layers themselves are `make lint`'s (import-linter)."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_NO_TESTS = {"bench", "node_modules"}


def imported(file: Path) -> Iterator[str]:
    """Modules that a file names in an import, and what may be a module in one."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_every_file_of_the_analysis_is_imported_by_a_test_or_by_what_one_imports() -> None:
    """By what is in the server, too, whose commands are loaded by their names. Benches are no tests."""
    files = [path for layer in ("analysis", "hwprofiles", "server") for path in (ROOT / layer).rglob("*.py")]
    modules = {".".join(("warplens", *path.relative_to(ROOT).with_suffix("").parts)): path for path in files}
    tests = (path for path in (ROOT / "tests").rglob("*.py") if _NO_TESTS.isdisjoint(path.parts))
    reached: set[str] = set()
    commands = {name for name in modules if name.startswith("warplens.server.cli.")}
    new = commands | {name for path in tests for name in imported(path)} & modules.keys()
    while new:
        reached |= new
        new = {name for module in new for name in imported(modules[module])} & modules.keys() - reached
    analysis = {name for name, path in modules.items() if "analysis" in path.parts and path.name != "__init__.py"}
    assert len(analysis) > 500
    assert sorted(analysis - reached) == []


def test_no_name_says_nothing() -> None:
    empty = {"util", "utils", "helper", "helpers", "common", "misc", "manager", "managers"}
    files = [path for folder in ("analysis", "server", "hwprofiles", "tests") for path in (ROOT / folder).rglob("*.py")]
    assert [path for path in files if path.stem in empty and "node_modules" not in path.parts] == []
