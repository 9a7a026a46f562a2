"""What a name stands for is asked of the files that make such names: nobody else takes a name's text apart."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ANALYSIS = Path(__file__).resolve().parents[2] / "analysis"
_MARKS = {"%", "'", "&", "->", "[]", ".", "["}
_TAKES_APART = {"startswith", "endswith", "partition", "rpartition", "split", "removeprefix", "removesuffix", "find"}
_READS_NAMES = {"ir/symbol.py", "ir/memory_path.py", "ir/source_names.py"}


@pytest.mark.parametrize(
    "layer", ["ir", "algebra", "facts", "dependence", "workload", "gpu", "models", "advice", "engine", "simulation"]
)
def test_names_are_taken_apart_in_one_place(layer: str) -> None:
    found = [
        f"{path.relative_to(ANALYSIS)}:{line}"
        for path in sorted((ANALYSIS / layer).rglob("*.py"))
        if str(path.relative_to(ANALYSIS)) not in _READS_NAMES
        for line in _lines_that_take_apart(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert found == []


def test_such_a_line_is_found() -> None:
    lines = 'a = name.startswith("%")\nb = "->" in name\nc = name.partition("x")\nd = name.split(".")[0]\n'
    assert list(_lines_that_take_apart(ast.parse(lines))) == [1, 2, 4]


def _lines_that_take_apart(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr=name), args=[ast.Constant(value=str(mark)), *_]):
                if name in _TAKES_APART and mark in _MARKS:
                    yield node.lineno
            case ast.Compare(left=ast.Constant(value=str(mark)), ops=[ast.In() | ast.NotIn()]) if mark in _MARKS:
                yield node.lineno
